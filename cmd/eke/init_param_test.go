package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func TestParseParam(t *testing.T) {
	for text, want := range map[string]space.Param{
		"lr=float:1e-5:0.1:log":                {Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 0.1, Log: true},
		" n = int:32:512:32 ":                  {Name: "n", Kind: space.KindInt, Min: 32, Max: 512, Step: 32},
		"n=int:1:8:1:log":                      {Name: "n", Kind: space.KindInt, Min: 1, Max: 8, Step: 1, Log: true},
		"o=choice:sgd, adam":                   {Name: "o", Kind: space.KindChoice, Values: []space.Value{space.String("sgd"), space.String("adam")}},
		"o=ordered:1,2.5,inf":                  {Name: "o", Kind: space.KindOrdered, Values: []space.Value{space.Int(1), space.Float(2.5), space.String("inf")}},
		"b=bool":                               {Name: "b", Kind: space.KindBool},
		"e=fixed:a:b":                          {Name: "e", Kind: space.KindFixed, Value: space.String("a:b")},
		"m=float:0:1 if optimizer=sgd,rmsprop": {Name: "m", Kind: space.KindFloat, Max: 1, When: []space.Condition{{Param: "optimizer", Values: []space.Value{space.String("sgd"), space.String("rmsprop")}}}},
	} {
		got, err := parseParam(text)
		if diff := cmp.Diff(want, got, cmp.Comparer(space.Value.Equal)); err != nil || diff != "" {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
}

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                      nil,
		"python  train.py":      {"python", "train.py"},
		`sh -c "a 'b' c" ''`:    {"sh", "-c", "a 'b' c", ""},
		`x="a b"c`:              {"x=a bc"},
		"one\ttwo\nthree 'f g'": {"one", "two", "three", "f g"},
	} {
		if got, ok := splitWords(text); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
	if _, ok := splitWords(`a "b`); ok {
		t.Error("a quote without an end passed")
	}
}

// Whatever is typed as a parameter is refused with a mistake of the typist's, or makes a valid study file.
func FuzzInitParam(f *testing.F) {
	for _, seed := range []string{"lr=float:1e-5:0.1:log", "n=int:1:8:2", "o=choice:a,b", "b=bool", "e=fixed:x if b=true", "=:", "a=int:::", "trial=bool", "é=fixed:\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := initFlags{params: []string{text}}.read()
		if err == nil {
			_, err = study.Parse([]byte(study.Template(s)), "study.yaml")
		}
		if _, code := explain(errors.Join(err, nil, errors.New("x"))); err != nil && code != fault.ExitUsage {
			t.Errorf("%q: %v ends with %d", text, err, code)
		}
	})
}
