package space

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSettingJSON(t *testing.T) {
	setting := Setting{"lr": Float(1), "n": Int(1), "opt": String("1"), "on": Bool(true), "eps": Float(1e-9), "big": Float(1e30)}
	got, err := json.Marshal(setting)
	const want = `{"big":1e+30,"eps":1e-9,"lr":1.0,"n":1,"on":true,"opt":"1"}`
	if err != nil || string(got) != want {
		t.Fatalf("%s, %v, want %s", got, err, want)
	}
	var back Setting
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(setting, back); diff != "" {
		t.Error(diff)
	}
}

func TestJSONKeepsTheType(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := someValue(t)
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var back Value
		if err := json.Unmarshal(text, &back); err != nil || back != v {
			t.Fatalf("%#v: %s reads %#v, %v", v, text, back, err)
		}
	})
}

func TestJSONNumbers(t *testing.T) {
	for text, want := range map[string]Value{
		"1": Int(1), "-0": Int(0), "1.0": Float(1), "1e3": Float(1000), "1E3": Float(1000), "-2.5": Float(-2.5),
		"9223372036854775807": Int(math.MaxInt64), "9223372036854775808": Float(1 << 63),
	} {
		var v Value
		if err := json.Unmarshal([]byte(text), &v); err != nil || v != want {
			t.Errorf("%s: %#v, %v", text, v, err)
		}
	}
}

func TestJSONErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":        "there is no value; give a string, a number or a bool",
		"null":    "value is null; give a string, a number or a bool",
		"[1]":     "value is [1]; give a string, a number or a bool",
		`{"a":1}`: `value is {"a":1}; give a string, a number or a bool`,
		"1e999":   "value is 1e999; give a number that a float64 can hold",
		"01.5":    "value is 01.5; give a number that a float64 can hold",
		"0x10":    "value is 0x10; give a number that a float64 can hold",
		`"a`:      "value: unexpected end of JSON input",
	} {
		var v Value
		if err := v.UnmarshalJSON([]byte(text)); err == nil || told(err) != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := Float(x).MarshalJSON(); err == nil {
			t.Errorf("%v was written", x)
		}
	}
	if text, err := (Value{}).MarshalJSON(); string(text) != "null" || err != nil {
		t.Errorf("the zero value: %s, %v", text, err)
	}
}
