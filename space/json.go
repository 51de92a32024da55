package space

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// MarshalJSON keeps the type: a float that is a whole number is written 1.0.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.holds {
	case aString:
		return json.Marshal(v.text)
	case aFloat:
		if x := v.float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fault.New(fault.BadRequest, "give a finite number", "JSON cannot hold %v", x)
		}
		s := v.String()
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return []byte(s), nil
	case anInt, aBool:
		return []byte(v.String()), nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON takes a string, a bool or a number. A number with a point or an exponent is a
// float, and any other an int, unless it is too large for one.
func (v *Value) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return fault.New(fault.BadRequest, "give a string, a number or a bool", "there is no value")
	}
	switch text := string(data); {
	case text[0] == '"':
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return fault.New(fault.BadRequest, "", "value: %w", err)
		}
		*v = String(s)
		return nil
	case text == "true", text == "false":
		*v = Bool(text == "true")
		return nil
	case text[0] == '-' || (text[0] >= '0' && text[0] <= '9'):
		return v.unmarshalNumber(text)
	default:
		return fault.New(fault.BadRequest, "give a string, a number or a bool", "value is %.40s", text)
	}
}

func (v *Value) unmarshalNumber(text string) error {
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			*v = Int(n)
			return nil
		}
	}
	// Everything JSON calls a number is a float to ParseFloat, and json.Valid refuses the rest.
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !json.Valid([]byte(text)) {
		return fault.New(fault.BadRequest, "give a number that a float64 can hold", "value is %.40s", text)
	}
	*v = Float(x)
	return nil
}
