package space

import (
	"errors"
	"strings"
	"testing"
)

func machine() []Param {
	return []Param{
		{Name: "batch", Kind: KindInt, Min: 1, Max: 512},
		{Name: "accum", Kind: KindInt, Min: 1, Max: 16},
		{Name: "lr", Kind: KindFloat, Min: 0.001, Max: 1},
		{Name: "lr-min", Kind: KindFloat, Min: 0.001, Max: 1},
		{Name: "opt", Kind: KindChoice, Values: []Value{String("sgd"), String("adam")}},
		{Name: "beta", Kind: KindFloat, Max: 1, When: []Condition{when("opt", String("adam"))}},
		{Name: "fast", Kind: KindBool},
		{Name: "odd", Kind: KindChoice, Values: []Value{Int(1), String("a")}},
	}
}

func TestWhere(t *testing.T) {
	sgd := Setting{"batch": Int(64), "accum": Int(4), "lr": Float(0.5), "lr-min": Float(0.1), "opt": String("sgd"), "fast": Bool(true), "odd": Int(1)}
	for formula, want := range map[string]bool{
		"batch * accum <= 512":                     true,
		"batch * accum < 256":                      false,
		"batch*accum<256 or fast":                  true,
		"lr-min < lr":                              true,
		"lr -lr-min > 0.39":                        true,
		"lr - lr-min < 0.39":                       false,
		"0.05 < lr-min < lr <= 0.5":                true,
		"0.05 < lr-min < 0.07":                     false,
		"2 + 3 * 4 ^ 2 / 8 - 1 == 7 and accum = 4": true,
		"-accum ** 2 == -16":                       true,
		"batch % 10 == 4":                          true,
		"opt == 'sgd'":                             true,
		`opt != "sgd"`:                             false,
		"not (opt == 'adam' or not fast)":          true,
		"min(batch, accum, 7) == 4 && max(batch, accum) == 64":                                               true,
		"sqrt(batch) == 8 and log2(batch) == 6 and abs(0 - accum) == 4 and floor(lr) == 0 and ceil(lr) == 1": true,
		"exp(log(accum)) > 3.999 and log10(batch) < 2":                                                       true,
		"beta > lr":               true, // there is no beta here
		"odd == 1":                true,
		"fast":                    true,
		"fast == false":           false,
		"batch * 1e-2 < 0.65":     true,
		"accum / 0 > 1e9":         true,
		"not sqrt(0 - accum) < 1": true, // not a number
	} {
		s, err := New(machine(), formula)
		if err != nil {
			t.Errorf("%s: %v", formula, err)
			continue
		}
		unit, err := s.Encode(sgd)
		if err != nil {
			t.Fatal(err)
		}
		if s.Feasible(unit) != want {
			t.Errorf("%s: %v", formula, !want)
		}
		if err := s.Allows(sgd); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "does not meet") {
			t.Errorf("%s: %v", formula, err)
		}
	}
}

func TestWhereErrors(t *testing.T) {
	for formula, want := range map[string]string{
		"":                       `where: the constraint is empty; give a condition such as "batch * accum <= 512"`,
		"batch * accum":          `where: "batch * accum": it is neither true nor false; compare it with something, as in "batch * accum <= 512"`,
		"batch * acum < 5":       `where: "batch * acum < 5": "acum" is not a parameter; give one of batch, accum, lr, lr-min, opt, beta, fast, odd`,
		"1 < 2":                  `where: "1 < 2": it does not depend on any parameter; name a parameter in it, or remove it`,
		"opt < 3":                `where: "opt < 3": it computes with something that is not a number; use numbers with + - * / % ^ and < <= > >=`,
		"opt == 3":               `where: "opt == 3": the two sides of == are of different kinds; compare like with like; a text needs quotes`,
		"batch and fast":         `where: "batch and fast": it joins something that is neither true nor false; give and, or and not something that is true or false`,
		"(batch < 3":             `where: "(batch < 3": a parenthesis is open; close it`,
		"batch < 3)":             `where: "batch < 3)": ")" is out of place; write one condition; and, or and not connect several`,
		"batch < ":               `where: "batch < ": something is missing at its end; write a number, a text in quotes or the name of a parameter`,
		"batch < 'a":             `where: "batch < 'a": a quote is open; close it`,
		"batch < 3; 1":           `where: "batch < 3; 1": the character ';' has no meaning; use names, numbers, + - * / % ^, comparisons, and, or, not and parentheses`,
		"min < batch":            `where: "min < batch": "min" is not a parameter; write min(…)`,
		"abs(batch, 2) < 3":      `where: "abs(batch, 2) < 3": abs takes one number, and gets 2; give it one number`,
		"batch > 512":            `where: no setting was found that meets "batch > 512"; loosen it, or widen the ranges`,
		strings.Repeat("(", 500): `where: "` + strings.Repeat("(", 500) + `": it is nested too deep; make several constraints of it`,
	} {
		if _, err := New(machine(), formula); told(err) != want {
			t.Errorf("%q: %s", formula, told(err))
		}
	}
	_, err := New(machine(), "batch > 300", "accum > 1", "batch + accum < 200")
	if told(err) != "where: no setting was found that meets all constraints; loosen one of them, or widen the ranges" {
		t.Error(told(err))
	}
	_, err = New(machine(), "batch > 3", "batch <", "accum >")
	if list, _ := errors.AsType[Errors](err); len(list) != 2 || list[0].Index != 1 || list[1].Index != 2 {
		t.Errorf("%v", err)
	}
}

// Of a finite space, what meets the constraints is counted and listed.
func TestFeasibleSettings(t *testing.T) {
	s, err := New([]Param{{Name: "a", Kind: KindInt, Min: 1, Max: 6}, {Name: "b", Kind: KindInt, Min: 1, Max: 6}}, "a + b == 7", "a < b")
	if err != nil {
		t.Fatal(err)
	}
	points, ok := s.Enumerate(10)
	if n, finite := s.Size(); n != 3 || !finite || !ok || len(points) != 3 || !s.Constrained() {
		t.Errorf("%d settings, %v", n, points)
	}
	for _, x := range points {
		if !s.Feasible(x) {
			t.Errorf("%v", s.Decode(x))
		}
	}
}

// Any text is a constraint or an error with a hint.
func FuzzWhere(f *testing.F) {
	for _, text := range []string{"batch * accum <= 512", "lr-min < lr", "not fast or opt == 'adam'", "min(batch,accum)>=2^-1", "((", "1e", "a--b", "!", "'"} {
		f.Add(text)
	}
	params := machine()
	f.Fuzz(func(t *testing.T, text string) {
		s, err := New(params, text)
		if list, isList := errors.AsType[Errors](err); err != nil && (!isList || list[0].Hint == "" || list[0].Field != "where") {
			t.Fatalf("%v", err)
		}
		if err == nil {
			s.Feasible(make([]float64, s.Dim()))
		}
	})
}
