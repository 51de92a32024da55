package space

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// Value is a string, a float64, an int64 or a bool. Values can be compared with ==, which tells 1 from
// 1.0; Equal does not. The zero Value is no value at all.
type Value struct {
	holds content
	text  string
	bits  uint64 // the float's bits, the int, or 1 for true
}

type content uint8

const (
	nothing content = iota
	aString
	aFloat
	anInt
	aBool
)

// String returns a value that is a string.
func String(s string) Value { return Value{holds: aString, text: s} }

// Int returns a value that is an int.
func Int(n int64) Value { return Value{holds: anInt, bits: uint64(n)} }

// Float returns a value that is a float. There is one zero and one NaN, so that equal floats are equal
// values.
func Float(x float64) Value {
	if x == 0 {
		x = 0 // drops the sign
	}
	if x != x {
		x = math.NaN()
	}
	return Value{holds: aFloat, bits: math.Float64bits(x)}
}

// Bool returns a value that is a bool.
func Bool(b bool) Value {
	v := Value{holds: aBool}
	if b {
		v.bits = 1
	}
	return v
}

// IsZero says whether v is the zero Value, which is no value at all.
func (v Value) IsZero() bool { return v.holds == nothing }

// Any returns the value as a string, a float64, an int64, a bool, or nil.
func (v Value) Any() any {
	switch v.holds {
	case aString:
		return v.text
	case aFloat:
		return v.float()
	case anInt:
		return v.int()
	case aBool:
		return v.bool()
	}
	return nil
}

// Number returns a float or an int as a float64, and whether v is one of these.
func (v Value) Number() (x float64, ok bool) {
	switch v.holds {
	case aFloat:
		return v.float(), true
	case anInt:
		return float64(v.int()), true
	}
	return 0, false
}

// Equal says whether two values are the same. An int and a float are the same if they are the same number.
func (v Value) Equal(w Value) bool {
	if v.holds == w.holds {
		return v == w
	}
	a, okA := v.whole()
	b, okB := w.whole()
	return okA && okB && a == b
}

// String returns the text that stands for the value on a command line: the shortest decimal that
// reads back as the same float, an int without exponent, true or false, or the string itself.
func (v Value) String() string {
	switch v.holds {
	case aString:
		return v.text
	case aFloat:
		return formatFloat(v.float())
	case anInt:
		return strconv.FormatInt(v.int(), 10)
	case aBool:
		return strconv.FormatBool(v.bool())
	}
	return ""
}

// quoted is String for messages and keys: a string can be told from a number.
func (v Value) quoted() string {
	switch v.holds {
	case aString:
		return strconv.Quote(v.text)
	case nothing:
		return "nothing"
	}
	return v.String()
}

func (v Value) float() float64 { return math.Float64frombits(v.bits) }
func (v Value) int() int64     { return int64(v.bits) }
func (v Value) bool() bool     { return v.bits == 1 }

// whole returns v as an int if it is a whole number, whichever way it is written.
func (v Value) whole() (n int64, ok bool) {
	switch v.holds {
	case anInt:
		return v.int(), true
	case aFloat:
		x := v.float()
		// 2⁶³ itself is a float, but not an int64.
		if x == math.Trunc(x) && x >= -1<<63 && x < 1<<63 {
			return int64(x), true
		}
	}
	return 0, false
}

// formatFloat has exponents for the very large and the very small only, so that a whole number
// reads the same whether it is an int or a float.
func formatFloat(x float64) string {
	format := byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	s := strconv.FormatFloat(x, format, -1, 64)
	if i := strings.Index(s, "e-0"); i >= 0 {
		s = s[:i+2] + s[i+3:] // 1e-07 is 1e-7
	}
	return s
}

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
