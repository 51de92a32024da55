package space

import "testing"

func TestOneOf(t *testing.T) {
	many := make([]string, 13)
	for i := range many {
		many[i] = string(rune('a' + i))
	}
	for want, items := range map[string][]string{
		"a":           {"a"},
		"one of a, b": {"a", "b"},
		"one of a, b, c, d, e, f, g, h, i, j, k, l, … (13 in all)": many,
	} {
		if got := oneOf(items); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNoErrorsAreNil(t *testing.T) {
	if err := (Errors{}).orNil(); err != nil {
		t.Errorf("%v", err)
	}
}
