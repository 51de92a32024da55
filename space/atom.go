package space

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/eke-bo/eke/internal/fault"
)

// What formulas are made of: numbers, texts, parameters, functions.

// functions of numbers, with how many they take; 0 means one or more.
var functions = map[string]struct {
	takes int
	of    func(x []float64) float64
}{
	"abs":   {1, func(x []float64) float64 { return math.Abs(x[0]) }},
	"sqrt":  {1, func(x []float64) float64 { return math.Sqrt(x[0]) }},
	"exp":   {1, func(x []float64) float64 { return math.Exp(x[0]) }},
	"log":   {1, func(x []float64) float64 { return math.Log(x[0]) }},
	"log2":  {1, func(x []float64) float64 { return math.Log2(x[0]) }},
	"log10": {1, func(x []float64) float64 { return math.Log10(x[0]) }},
	"floor": {1, func(x []float64) float64 { return math.Floor(x[0]) }},
	"ceil":  {1, func(x []float64) float64 { return math.Ceil(x[0]) }},
	"min":   {0, slices.Min[[]float64]},
	"max":   {0, slices.Max[[]float64]},
}

func (p *parser) atom() formula {
	token := p.token
	p.next()
	constant := func(v Value, gives content) formula { return formula{func([]Value) Value { return v }, gives} }
	switch {
	case token == "":
		p.fail("write a number, a text in quotes or the name of a parameter", "something is missing at its end")
	case token == "(":
		p.deeper()
		f := p.or()
		if !p.take(")", "") {
			p.fail("close it", "a parenthesis is open")
		}
		return f
	case token[0] == '"' || token[0] == '\'':
		return constant(String(token[1:len(token)-1]), aString)
	case token == "true" || token == "false":
		return constant(Bool(token == "true"), aBool)
	case token[0] >= '0' && token[0] <= '9' || token[0] == '.':
		x, err := strconv.ParseFloat(token, 64)
		if err != nil {
			p.fail("give a number", "%s is not a number", token)
		}
		return constant(Float(x), aFloat)
	case p.token == "(" && functions[token].of != nil:
		return p.call(token)
	}
	return p.parameter(token)
}

func (p *parser) call(name string) formula {
	p.deeper()
	var args []func([]Value) float64
	for p.token != ")" || len(args) == 0 {
		p.next() // past ( or ,
		args = append(args, p.number(p.or()))
		if p.token != "," && p.token != ")" {
			p.fail("close it", "the parenthesis of %s is open", name)
		}
	}
	p.next()
	f := functions[name]
	if f.takes > 0 && len(args) != f.takes {
		p.fail("give it one number", "%s takes one number, and gets %d", name, len(args))
	}
	return numeric(func(v []Value) float64 {
		x := make([]float64, len(args))
		for i, arg := range args {
			x[i] = arg(v)
		}
		return f.of(x)
	})
}

func (p *parser) parameter(name string) formula {
	i := slices.Index(namesOf(p.params), name)
	if i < 0 {
		hint := "give " + fault.OneOf(namesOf(p.params))
		if functions[name].of != nil {
			hint = fmt.Sprintf("write %s(…)", name)
		}
		p.fail(hint, "%q is not a parameter", name)
	}
	if !slices.Contains(p.uses, i) {
		p.uses = append(p.uses, i)
	}
	return formula{func(v []Value) Value { return v[i] }, p.params[i].holds()}
}

// holds says what all values of a parameter are; nothing if that differs.
func (p *Param) holds() content {
	kind := func(v Value) content {
		if v.holds == anInt {
			return aFloat
		}
		return v.holds
	}
	switch p.Kind {
	case KindFloat, KindInt:
		return aFloat
	case KindBool:
		return aBool
	case KindFixed:
		return kind(p.Value)
	}
	for _, v := range p.Values {
		if kind(v) != kind(p.Values[0]) {
			return nothing
		}
	}
	return kind(p.Values[0])
}

func numeric(f func([]Value) float64) formula {
	return formula{func(v []Value) Value { return Float(f(v)) }, aFloat}
}

// number needs a formula that gives a number.
func (p *parser) number(f formula) func([]Value) float64 {
	if f.gives != aFloat {
		p.fail("use numbers with + - * / % ^ and < <= > >=", "it computes with something that is not a number")
	}
	return func(v []Value) float64 { x, _ := f.of(v).Number(); return x }
}

// boolean needs a formula that is true or false.
func (p *parser) boolean(f formula) func([]Value) bool {
	if f.gives != aBool {
		p.fail("give and, or and not something that is true or false", "it joins something that is neither true nor false")
	}
	return func(v []Value) bool { return f.of(v).bool() }
}

func (p *parser) deeper() {
	if p.depth++; p.depth > mostDepth {
		p.fail("make several constraints of it", "it is nested too deep")
	}
}
