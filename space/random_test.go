package space

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"
)

// someSpace draws a space of up to eight parameters of all kinds, with conditions, in any order.
func someSpace(t *rapid.T) *Space { return drawSpace(t, someParam) }

// smallSpace draws one with few settings.
func smallSpace(t *rapid.T) *Space { return drawSpace(t, smallParam) }

func drawSpace(t *rapid.T, draw func(*rapid.T) Param) *Space {
	var params []Param
	for i := range rapid.IntRange(1, 8).Draw(t, "params") {
		p := draw(t)
		p.Name = fmt.Sprintf("p%d", i)
		p.When = someConditions(t, params)
		params = append(params, p)
	}
	params = rapid.Permutation(params).Draw(t, "order")
	for {
		s, err := New(params)
		if err == nil {
			return s
		}
		// Conditions drawn at random may contradict each other; nothing else may be wrong.
		var list Errors
		if !errors.As(err, &list) {
			t.Fatal(err)
		}
		for _, e := range list {
			if e.Field != "when" || e.Hint != "remove one of the conditions" {
				t.Fatalf("%+v", e)
			}
			params[e.Index].When = nil
		}
	}
}

func someConditions(t *rapid.T, earlier []Param) []Condition {
	var list []Condition
	for _, p := range earlier {
		if rapid.IntRange(0, 2).Draw(t, "condition") > 0 {
			continue
		}
		c := Condition{Param: p.Name}
		if n, at, ascends := numbers(newAxis(&p)); ascends && (p.Kind == KindFloat && p.Step == 0 || rapid.Bool().Draw(t, "compared")) {
			x, _ := at(rapid.Int64Range(0, n-1).Draw(t, "bound"))
			sign := rapid.SampledFrom([]string{"<=", ">=", "=="}).Draw(t, "sign")
			c.Values = []Value{String(sign + " " + formatFloat(x))}
			list = append(list, c)
			continue
		}
		d := newAxis(&p).(discrete)
		for range rapid.IntRange(1, 3).Draw(t, "values") {
			c.Values = append(c.Values, d.at(rapid.Int64Range(0, min(d.count(), 5)-1).Draw(t, "value")))
		}
		list = append(list, c)
	}
	return list
}

func someParam(t *rapid.T) Param {
	switch rapid.SampledFrom([]string{"float", "log float", "step float", "int", "log int", "small"}).Draw(t, "kind") {
	case "float":
		return someFloat(t)
	case "log float":
		return someLogFloat(t)
	case "step float":
		step := rapid.SampledFrom([]float64{0.1, 0.25, 1e-3, 3, 1e-9, 7e5}).Draw(t, "step")
		from := rapid.IntRange(-1000, 1000).Draw(t, "from")
		p := Param{Kind: KindFloat, Min: float64(from) * step, Step: step}
		p.Max = p.Min + step*float64(rapid.IntRange(1, 10000).Draw(t, "steps"))
		p.Log = from > 0 && rapid.Bool().Draw(t, "log")
		return p
	case "int":
		return someInt(t, -1<<53, 1<<53, false)
	case "log int":
		return someInt(t, 1, 1<<53, true)
	}
	return smallParam(t)
}

// someFloat draws bounds of all sizes, from equal but for the last digits to the ends of float64.
func someFloat(t *rapid.T) Param {
	for {
		a, b := someBound(t), someBound(t)
		if rapid.Bool().Draw(t, "narrow") {
			b = a + math.Abs(a)*math.Exp2(-rapid.Float64Range(0, 45).Draw(t, "narrowness"))
		}
		p := Param{Name: "x", Kind: KindFloat, Min: math.Min(a, b), Max: math.Max(a, b)}
		if p.check() == nil {
			return p
		}
	}
}

func someBound(t *rapid.T) float64 {
	x := math.Exp2(rapid.OneOf(rapid.Float64Range(-10, 10), rapid.Float64Range(-1074, 1023)).Draw(t, "exponent"))
	return x * rapid.SampledFrom([]float64{1, -1, 0}).Draw(t, "sign")
}

func someLogFloat(t *rapid.T) Param {
	for {
		p := someFloat(t)
		p.Min, p.Max, p.Log = math.Min(math.Abs(p.Min), math.Abs(p.Max)), math.Max(math.Abs(p.Min), math.Abs(p.Max)), true
		if p.check() == nil {
			return p
		}
	}
}

func someInt(t *rapid.T, low, high int64, log bool) Param {
	for {
		from := rapid.OneOf(rapid.Int64Range(max(low, -10), 10), rapid.Int64Range(low, high)).Draw(t, "min")
		step := rapid.OneOf(rapid.Int64Range(1, 3), rapid.Int64Range(1, 1<<50)).Draw(t, "step")
		levels := rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1, maxLevels)).Draw(t, "levels")
		levels = min(levels, (high-from)/step+1)
		p := Param{Kind: KindInt, Min: float64(from), Max: float64(from + (levels-1)*step), Step: float64(step), Log: log}
		p.Name = "n"
		if p.check() == nil {
			return p
		}
	}
}

func smallParam(t *rapid.T) Param {
	switch k := rapid.SampledFrom([]Kind{KindInt, KindChoice, KindOrdered, KindBool, KindFixed}).Draw(t, "small kind"); k {
	case KindInt:
		n := float64(rapid.IntRange(0, 3).Draw(t, "levels") * 2)
		return Param{Kind: k, Min: 1, Max: 1 + n, Step: 2, Log: rapid.Bool().Draw(t, "log")}
	case KindChoice, KindOrdered:
		all := []Value{String("a"), Int(2), Float(0.5), Bool(true), String("")}
		return Param{Kind: k, Values: slices.Clone(all[:rapid.IntRange(1, 5).Draw(t, "levels")])}
	case KindFixed:
		return Param{Kind: k, Value: rapid.SampledFrom([]Value{String("a"), Int(2), Float(2)}).Draw(t, "value")}
	default:
		return Param{Kind: k}
	}
}

// somePoint draws a point, most often in the cube, often with the ends of an interval.
func somePoint(t *rapid.T, dim int) []float64 {
	coordinate := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 0.5, 1, -1, 2,
		math.NaN(), math.Inf(1), math.Inf(-1), math.Nextafter(0, 1), math.Nextafter(1, 0), math.Copysign(0, -1)}))
	return rapid.SliceOfN(coordinate, dim, dim).Draw(t, "point")
}

func mustNew(params ...Param) *Space {
	s, err := New(params)
	if err != nil {
		panic(err)
	}
	return s
}

// study is the parameters of a usual study.
func study() *Space {
	return mustNew(
		Param{Name: "lr", Kind: KindFloat, Min: 1e-5, Max: 1e-1, Log: true},
		Param{Name: "n", Kind: KindInt, Min: 1, Max: 64},
		Param{Name: "opt", Kind: KindChoice, Values: []Value{String("sgd"), String("adam"), String("lion")}},
		Param{Name: "beta", Kind: KindFloat, Min: 0, Max: 1, When: []Condition{{"opt", []Value{String("adam"), String("lion")}}}},
		Param{Name: "amsgrad", Kind: KindBool, When: []Condition{{"opt", []Value{String("adam")}}}},
		Param{Name: "epochs", Kind: KindFixed, Value: Int(10)},
	)
}
