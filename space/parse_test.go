package space

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseValue(t *testing.T) {
	s := mustNew(
		Param{Name: "x", Kind: KindFloat, Min: 0, Max: 10},
		Param{Name: "n", Kind: KindInt, Min: 0, Max: 2000},
		Param{Name: "bits", Kind: KindChoice, Values: []Value{Int(8), String("16"), Float(0.5), Bool(true), String("nan")}},
		Param{Name: "on", Kind: KindBool},
		Param{Name: "f", Kind: KindFixed, Value: String("a=b")},
	)
	for _, c := range []struct {
		name, text string
		want       Value
		err        string
	}{
		{name: "x", text: "1", want: Float(1)},
		{name: "x", text: "1e-3", want: Float(0.001)},
		{name: "x", text: "11", err: `parameter x: value is 11, above max; give a number from 0 to 10`},
		{name: "x", text: "nan", err: `parameter x: value is NaN; give a number from 0 to 10`},
		{name: "x", text: "", err: `parameter x: value is "", which is no number; give a number from 0 to 10`},
		{name: "x", text: "1,5", err: `parameter x: value is "1,5", which is no number; give a number from 0 to 10`},
		{name: "n", text: "12", want: Int(12)},
		{name: "n", text: "1e3", want: Int(1000)},
		{name: "n", text: "1.5", err: `parameter n: value is 1.5, which is no whole number; give a whole number from 0 to 2000`},
		{name: "bits", text: "8", want: Int(8)},
		{name: "bits", text: "8.0", want: Int(8)},
		{name: "bits", text: "16", want: String("16")},
		{name: "bits", text: ".5", want: Float(0.5)},
		{name: "bits", text: "true", want: Bool(true)},
		{name: "bits", text: "nan", want: String("nan")},
		{name: "bits", text: "9", err: `parameter bits: value is 9, which is none of its values; give one of 8, "16", 0.5, true, "nan"`},
		{name: "on", text: "false", want: Bool(false)},
		{name: "on", text: "yes", err: `parameter on: value is "yes", which is none of its values; give one of false, true`},
		{name: "f", text: "a=b", want: String("a=b")},
		{name: "y", text: "1", err: `parameter y: there is no such parameter; give one of x, n, bits, on, f`},
	} {
		got, err := s.ParseValue(c.name, c.text)
		text := ""
		if err != nil {
			text = told(err)
		}
		if got != c.want || text != c.err {
			t.Errorf("%s=%s: %#v, %s, want %#v, %s", c.name, c.text, got, text, c.want, c.err)
		}
	}
}

// What stands on the command line can be read back.
func TestParseReadsString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := someSpace(t)
		setting := s.Decode(somePoint(t, s.Dim()))
		var texts []string
		for name, v := range setting {
			texts = append(texts, name+"="+v.String())
		}
		got, err := s.ParseSetting(texts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(setting, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestParseSetting(t *testing.T) {
	s := mustNew(
		Param{Name: "opt", Kind: KindChoice, Values: []Value{String("sgd"), String("adam")}},
		Param{Name: "eps", Kind: KindFixed, Value: Float(1e-8), When: []Condition{when("mode", String("slow"))}},
		Param{Name: "mode", Kind: KindFixed, Value: String("slow"), When: []Condition{when("opt", String("adam"))}},
		Param{Name: "seed", Kind: KindInt, Min: 7, Max: 7},
	)
	for _, c := range []struct {
		texts []string
		want  Setting
		err   string
	}{
		{texts: []string{"opt=sgd"}, want: Setting{"opt": String("sgd"), "seed": Int(7)}},
		{texts: []string{"opt=adam", "seed=7"},
			want: Setting{"opt": String("adam"), "seed": Int(7), "mode": String("slow"), "eps": Float(1e-8)}},
		{texts: nil, err: `parameter opt: value is missing; give it a value`},
		{texts: []string{"opt"}, err: `"opt" is not an assignment; give name=value`},
		{texts: []string{"opt=sgd", "opt=adam"}, err: `parameter opt: it is given twice; give one value`},
		{texts: []string{"opt=x"}, err: `parameter opt: value is "x", which is none of its values; give one of "sgd", "adam"`},
		{texts: []string{"opt=sgd", "mode=slow"}, err: `parameter mode: value is "slow", but it exists only when opt is "adam"; leave it out`},
	} {
		got, err := s.ParseSetting(c.texts)
		text := ""
		if err != nil {
			text = told(err)
		}
		if text != c.err {
			t.Errorf("%q: %s, want %s", c.texts, text, c.err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.texts, diff)
		}
	}
}
