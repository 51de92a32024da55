package space

import (
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/fault"
)

// told is an error as it is shown, a line for each detail, with its hint.
func told(err error) string {
	var lines []string
	for _, d := range fault.Details(err) {
		line := d.Message
		if d.Hint != "" {
			line += "; " + d.Hint
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

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
