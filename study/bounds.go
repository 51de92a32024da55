package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// An objective may say what it can be: a loss is at least 0, an accuracy at most 1. Models do not know that. Where it is said, no forecast goes beyond, and a study whose
// best value is as good as any can be is over.

// beyondBy is how far beyond a bound, as a fraction of it or of 1, a number may be for which rounding is to blame.
const beyondBy = 1e-9

// Passes returns which bound a number is beyond, "min" or "max", and where that is; "" if it is beyond none.
func (o Objective) Passes(x float64) (field string, bound float64) {
	slack := func(b float64) float64 { return beyondBy * math.Max(math.Abs(b), 1) }
	switch {
	case o.Min != nil && x < *o.Min-slack(*o.Min):
		return "min", *o.Min
	case o.Max != nil && x > *o.Max+slack(*o.Max):
		return "max", *o.Max
	}
	return "", 0
}

// ideal returns the bound in the direction of the goal, nil if there is none, and its name.
func (o Objective) ideal() (bound *float64, field string) {
	if o.Goal == Minimize {
		return o.Min, "min"
	}
	return o.Max, "max"
}

// PassedBounds names the reported numbers that are beyond the bounds of their objectives; "" if there are none.
func (s *Study) PassedBounds(state State, value float64, m Metrics) string {
	if state != Done {
		return ""
	}
	var notes []string
	for i, o := range s.Aims() {
		x, known, path := value, true, "objective"
		if s.Several() {
			path = "objectives." + o.Name
		}
		if i > 0 {
			x, known = m[o.Name]
		}
		if field, bound := o.Passes(x); known && field != "" {
			notes = append(notes, fmt.Sprintf("%s is %s, and %s.%s says that it cannot be: that is %s%s", o.Name, short(x), path, field, short(bound), passedEnds))
		}
	}
	return strings.Join(notes, "\n")
}

const passedEnds = "; the value counts, and the bound no longer does; eke correct mends a value that is wrong"

// PassedAnew returns what PassedBounds says of a trial that is corrected, but for what its note goes on to say.
func (s *Study) PassedAnew(t Trial, c Corrected) string {
	kept, all := strings.Split(t.noteAfter(c), "\n"), s.PassedBounds(c.State, c.Value, t.metricsAfter(c))
	return strings.Join(slices.DeleteFunc(strings.Split(all, "\n"), func(line string) bool { return slices.Contains(kept, line) }), "; ")
}

// noteAfter returns the note of a trial that is corrected: without what PassedBounds says of numbers that change. The value is none of the metrics.
func (t Trial) noteAfter(c Corrected) string {
	isOf := func(line string, m Metrics) bool {
		return slices.ContainsFunc(m.Names(), func(name string) bool { return strings.HasPrefix(line, name+" is ") })
	}
	value := t.State != c.State || t.Value != c.Value
	return strings.Join(slices.DeleteFunc(strings.Split(t.Note, "\n"), func(line string) bool {
		return strings.HasSuffix(line, passedEnds) && (isOf(line, c.Metrics) || value && !isOf(line, t.metricsAfter(c)))
	}), "\n")
}

// readBounds reads what an objective can be.
func (r *reader) readBounds(f fields, path string) (least, most *float64) {
	side := func(key string) *float64 {
		if x, ok := r.number(f.m[key], path+"."+key); ok {
			return &x
		}
		return nil
	}
	least, most = side("min"), side("max")
	if least != nil && most != nil && !(*least < *most) {
		r.fail(f.m["min"].at, path+".min", "give a min below max", "min is %s, and max %s", f.m["min"].text, f.m["max"].text)
	}
	return least, most
}

// CheckBounds returns an error if a study file would not have such bounds. It is for an objective that was not read from one.
func (o Objective) CheckBounds() error {
	for field, x := range map[string]*float64{"min": o.Min, "max": o.Max} {
		if x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0)) {
			return fault.New(fault.BadStudy, "give a finite number, or leave it out", "objective.%s: %s is %v", field, o.Name, *x)
		}
	}
	if o.Min != nil && o.Max != nil && !(*o.Min < *o.Max) {
		return fault.New(fault.BadStudy, "give a min below max", "objective.min: the min of %s is %v, and its max %v", o.Name, *o.Min, *o.Max)
	}
	return nil
}

// formatBounds writes the bounds as a study file does, after other fields.
func (o Objective) formatBounds() (text string) {
	if o.Min != nil {
		text += ", min: " + strconv.FormatFloat(*o.Min, 'g', -1, 64)
	}
	if o.Max != nil {
		text += ", max: " + strconv.FormatFloat(*o.Max, 'g', -1, 64)
	}
	return text
}
