package space

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/fault"
)

// Kind says which values a parameter takes.
type Kind string

// The kinds of parameters. Study files use the same names.
const (
	KindFloat   Kind = "float"   // KindFloat takes any number between two bounds.
	KindInt     Kind = "int"     // KindInt takes whole numbers between two bounds.
	KindChoice  Kind = "choice"  // KindChoice takes one of a few values that have no order.
	KindOrdered Kind = "ordered" // KindOrdered takes one of a few values that are given from one end to the other.
	KindBool    Kind = "bool"    // KindBool takes true or false.
	KindFixed   Kind = "fixed"   // KindFixed has one value.
)

// Kinds lists the kinds of parameters.
func Kinds() []string {
	return []string{string(KindFloat), string(KindInt), string(KindChoice), string(KindOrdered), string(KindBool), string(KindFixed)}
}

// Param is a parameter. Fields that its kind does not use stay zero. Its JSON has the keys of a study file.
type Param struct {
	Name   string      `json:"name"`             // Name is how settings and commands refer to the parameter.
	Kind   Kind        `json:"type"`             // Kind says what values it takes.
	Min    float64     `json:"min,omitempty"`    // Min and Max bound a float or an int; both are reached.
	Max    float64     `json:"max,omitempty"`    //
	Step   float64     `json:"step,omitempty"`   // Step is between neighbouring values; 0 means 1 for an int, and any value for a float.
	Log    bool        `json:"log,omitempty"`    // Log says that equal ratios, not equal differences, of a float or an int are equally far apart.
	Values []Value     `json:"values,omitempty"` // Values are the values of a choice or an ordered choice.
	Value  Value       `json:"value,omitzero"`   // Value is the value of a fixed parameter.
	When   []Condition `json:"when,omitempty"`   // When lists conditions that must all hold, or the parameter does not exist.

	// Default is the value in settings that have none, such as settings of trials from before the parameter was added.
	Default Value `json:"default,omitzero"`
}

// Condition holds where another parameter exists and has one of the listed values. The text ">= 2" stands for all values that are 2
// or more; so do <, <=, >, == and !=, and "> 2 and < 8". A float can only be compared so.
type Condition struct {
	Param  string  `json:"param"`  // Param is the name of the other parameter.
	Values []Value `json:"values"` // Values are those for which the condition holds.
}

const (
	// maxWhole bounds ints: up to here every whole number is a float64.
	maxWhole = 1 << 53
	// maxLevels bounds how many values an int has: with more, neighbours could share a coordinate, on
	// a logarithmic scale first.
	maxLevels = 1 << 40
)

func namesOf(params []Param) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return names
}

func (p Param) clone() Param {
	p.Values = slices.Clone(p.Values)
	p.When = slices.Clone(p.When)
	for i, c := range p.When {
		p.When[i].Values = slices.Clone(c.Values)
	}
	return p
}

// check returns the mistakes in a parameter taken by itself.
func (p *Param) check() Errors {
	var list Errors
	if e := checkName(p.Name); e != nil {
		list = append(list, e)
	}
	if !slices.Contains(Kinds(), string(p.Kind)) {
		return append(list, wrong("type", "give "+fault.OneOf(Kinds()), "type is %q", p.Kind))
	}
	list = append(list, p.checkUnused()...)
	switch p.Kind {
	case KindFloat:
		bounds := p.checkBounds()
		if list = append(list, bounds...); bounds == nil {
			list = append(list, p.checkStep()...)
		}
	case KindInt:
		list = append(list, p.checkInt()...)
	case KindChoice, KindOrdered:
		list = append(list, checkValues(p.Values)...)
	case KindFixed:
		if p.Value.IsZero() {
			list = append(list, wrong("value", "give a string, a number or a bool", "value is missing"))
		} else if e := checkText("value", p.Value); e != nil {
			list = append(list, e)
		}
	}
	if list == nil {
		list = p.checkDefault()
	}
	return list
}

func checkName(name string) *Error {
	const allowed = "use letters a to z and A to Z, digits, _, - and ."
	if name == "" {
		return wrong("name", allowed, "name is empty")
	}
	for _, r := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", r) {
			return wrong("name", allowed, "name has the character %q", r)
		}
	}
	return nil
}

// checkUnused finds fields that mean nothing for the kind. The kind is then more likely wrong than the field.
func (p *Param) checkUnused() Errors {
	var list Errors
	unused := func(field string, given bool, users ...Kind) {
		if !given || slices.Contains(users, p.Kind) {
			return
		}
		names := make([]string, len(users))
		for i, k := range users {
			names[i] = string(k)
		}
		list = append(list, wrong(field, "leave it out, or give another type", "%s is given, but belongs to %s and the type is %s",
			field, strings.Join(names, " and "), p.Kind))
	}
	unused("min", p.Min != 0, KindFloat, KindInt)
	unused("max", p.Max != 0, KindFloat, KindInt)
	unused("step", p.Step != 0, KindFloat, KindInt)
	unused("log", p.Log, KindFloat, KindInt)
	unused("values", len(p.Values) > 0, KindChoice, KindOrdered)
	unused("value", !p.Value.IsZero(), KindFixed)
	unused("default", !p.Default.IsZero(), KindFloat, KindInt, KindChoice, KindOrdered, KindBool)
	return list
}

// checkBounds holds for floats and, equal bounds apart, for ints.
func (p *Param) checkBounds() Errors {
	for _, b := range []struct {
		field string
		x     float64
	}{{"min", p.Min}, {"max", p.Max}} {
		if math.IsNaN(b.x) || math.IsInf(b.x, 0) {
			return Errors{wrong(b.field, "give a finite number", "%s is %v", b.field, b.x)}
		}
	}
	switch {
	case p.Min > p.Max:
		return Errors{wrong("max", "give the smaller one as min", "min is %s, above max %s", formatFloat(p.Min), formatFloat(p.Max))}
	case p.Min == p.Max && p.Kind == KindFloat:
		return Errors{wrong("max", "give a larger max, or type fixed", "min and max are both %s", formatFloat(p.Min))}
	case math.IsInf(p.Max-p.Min, 0):
		return Errors{wrong("max", "give bounds closer together", "min is %s and max %s, and the difference is more than a float64 can hold", formatFloat(p.Min), formatFloat(p.Max))}
	case p.Log && p.Min <= 0:
		return Errors{wrong("min", "give a positive min", "min is %s, but log needs a bound above zero", formatFloat(p.Min))}
	case p.Log && p.Min < smallestNormal:
		return Errors{wrong("min", "give at least 2.3e-308", "min is %s, where floats lose their precision", formatFloat(p.Min))}
	case p.Kind == KindFloat && newContinuous(p).cells < fewestCells:
		return Errors{wrong("max", "give bounds further apart, or vary the difference from min", "min is %s and max %s, too close to tell floats between them apart", formatFloat(p.Min), formatFloat(p.Max))}
	}
	return nil
}

func (p *Param) checkInt() Errors {
	if list := p.checkBounds(); list != nil {
		return list
	}
	var list Errors
	for _, f := range []struct {
		field string
		x     float64
	}{{"min", p.Min}, {"max", p.Max}, {"step", p.Step}} {
		switch {
		case f.x != math.Trunc(f.x) || math.IsInf(f.x, 0): // NaN is not a whole number either
			list = append(list, wrong(f.field, "give a whole number, or type float", "%s is %v, but the type is int", f.field, formatFloat(f.x)))
		case math.Abs(f.x) > maxWhole:
			list = append(list, wrong(f.field, "stay within ±2^53", "%s is %v, where whole numbers have gaps", f.field, formatFloat(f.x)))
		}
	}
	if list != nil {
		return list
	}
	if p.Step < 0 {
		return Errors{wrong("step", "give a step above zero", "step is %v", formatFloat(p.Step))}
	}
	l := newWholes(p)
	if l.count() > maxLevels {
		return Errors{wrong("step", "give a larger step or bounds closer together, or type float", "there are %d values from min %d to max %d, more than 2^40", l.count(), l.min, int64(p.Max))}
	}
	if last := l.at(l.n - 1).int(); last != int64(p.Max) {
		return Errors{wrong("max", "give max "+Int(last).String()+" or "+Int(last+l.step).String(), "max is %d, which steps of %d from min %d do not reach", int64(p.Max), l.step, l.min)}
	}
	return nil
}

func checkValues(values []Value) Errors {
	if len(values) == 0 {
		return Errors{wrong("values", "give at least one value", "values is empty")}
	}
	seen := make(map[string]Value, len(values))
	for _, v := range values {
		if e := checkText("values", v); e != nil {
			return Errors{e}
		}
		// Values that read the same on a command line are the same there.
		switch w, found := seen[v.String()]; {
		case found && w.Equal(v):
			return Errors{wrong("values", "give it once", "values has %s twice", v.quoted())}
		case found:
			return Errors{wrong("values", "keep one of them", "values has %s and %s, which read the same on a command line", w.quoted(), v.quoted())}
		}
		seen[v.String()] = v
	}
	return nil
}

// checkText refuses what could not be written to a command line or to JSON and read back.
func checkText(field string, v Value) *Error {
	switch x, isNumber := v.Number(); {
	case v.IsZero():
		return wrong(field, "give a string, a number or a bool", "%s has an empty entry", field)
	case isNumber && (math.IsNaN(x) || math.IsInf(x, 0)):
		return wrong(field, "give a finite number, or quote it to make it a string", "%s has %v", field, x)
	case !utf8.ValidString(v.text) || strings.ContainsRune(v.text, 0):
		return wrong(field, "give text in UTF-8 without NUL", "%s has %q, which no command line can carry", field, v.text)
	}
	return nil
}
