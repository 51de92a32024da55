package study

import (
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

// ReadValue reads a parameter's value from a text, such as one typed by a person or read from a table. A text that the parameter
// cannot mean becomes a string, which the space refuses with the reason.
func (s *Study) ReadValue(parameter, text string) space.Value {
	inputs := s.Inputs()
	i := slices.IndexFunc(inputs, func(p space.Param) bool { return p.Name == parameter })
	if i < 0 {
		return space.String(text)
	}
	switch p := inputs[i]; p.Kind {
	case space.KindFloat, space.KindInt:
		if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil {
			return space.Int(n)
		}
		if x, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			return space.Float(x)
		}
	case space.KindBool:
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true", "1", "yes":
			return space.Bool(true)
		case "false", "0", "no":
			return space.Bool(false)
		}
	default:
		for _, v := range append(slices.Clone(p.Values), p.Value) {
			if !v.IsZero() && sameText(v, text) {
				return v
			}
		}
	}
	return space.String(text)
}

// sameText says whether a text stands for a value. A number may be written in any way.
func sameText(v space.Value, text string) bool {
	if v.String() == text {
		return true
	}
	x, isNumber := v.Number()
	y, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return isNumber && err == nil && x == y
}

// CheckName returns an error if a study cannot have the name.
func CheckName(name string) error {
	if studyName.MatchString(name) {
		return nil
	}
	return fault.New(fault.BadRequest, "use letters a to z and A to Z, digits, _, - and ., at most 100", "a study cannot be called %q", name)
}
