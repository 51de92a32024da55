package space

import (
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// ParseValue reads a parameter's value from text, as it stands on a command line. Whether the parameter
// exists under the other values is not its concern.
func (s *Space) ParseValue(name, text string) (Value, error) {
	i, known := s.places[name]
	if !known {
		return Value{}, wrong("name", s.knownNames(), "there is no such parameter").of(-1, name)
	}
	// Text can mean a string or something else; the parameter knows which it takes.
	var first *Error
	for _, v := range readings(text) {
		admitted, err := s.axes[i].admit(v)
		if err == nil {
			return admitted, nil
		}
		if first == nil {
			first = err
		}
	}
	return Value{}, first.of(i, name)
}

// readings lists what a text can mean, the most special first: an error then speaks of a number that is too
// large, not of a string that is no number.
func readings(text string) []Value {
	var list []Value
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		list = append(list, Int(n))
	} else if x, err := strconv.ParseFloat(text, 64); err == nil {
		list = append(list, Float(x))
	}
	switch text {
	case "true", "false":
		list = append(list, Bool(text == "true"))
	}
	return append(list, String(text))
}

// ParseSetting reads a setting from texts of the form name=value. What can have one value only may be
// left out.
func (s *Space) ParseSetting(assignments []string) (Setting, error) {
	setting := make(Setting, len(s.params))
	for _, text := range assignments {
		name, value, found := strings.Cut(text, "=")
		if !found {
			return nil, fault.New(fault.BadRequest, "give name=value", "%q is not an assignment", text)
		}
		if _, twice := setting[name]; twice {
			return nil, wrong("value", "give one value", "it is given twice").of(s.places[name], name)
		}
		v, err := s.ParseValue(name, value)
		if err != nil {
			return nil, err
		}
		setting[name] = v
	}
	s.fillSingles(setting)
	if _, err := s.admit(setting); err != nil {
		return nil, err
	}
	return setting, nil
}

// fillSingles adds the parameters that exist and have one value only. Parents go first, since
// they may be such parameters themselves.
func (s *Space) fillSingles(setting Setting) {
	for _, i := range s.order {
		d, ok := s.axes[i].(discrete)
		name := s.params[i].Name
		if _, given := setting[name]; given || !ok || d.count() != 1 {
			continue
		}
		exists := true
		for _, n := range s.needs[i] {
			level, err := s.axes[n.parent].(discrete).find(setting[s.params[n.parent].Name])
			exists = exists && err == nil && n.holds(level)
		}
		if exists {
			setting[name] = d.at(0)
		}
	}
}
