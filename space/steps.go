package space

import (
	"fmt"
	"math"
	"strconv"
)

// steps are the levels of a float with a step: min, min + step, …, max.
type steps struct {
	min, max, step float64
	n              int64
}

// mostSteps is how many steps a bound may be away from zero, so that 15 digits of a value tell which step it is.
const mostSteps = 1e8

// newSteps needs a parameter that passed checkStep.
func newSteps(p *Param) steps {
	return steps{p.Min, p.Max, p.Step, int64(math.Round((p.Max-p.Min)/p.Step)) + 1}
}

func (s steps) count() int64 { return s.n }

// at writes the value as a person would: three steps of 0.1 are 0.3, and not 0.30000000000000004.
func (s steps) at(level int64) Value {
	switch level {
	case 0:
		return Float(s.min)
	case s.n - 1:
		return Float(s.max)
	}
	const digits = 15 // any decimal of so many digits comes back
	x := s.min + float64(float64(level)*s.step)
	if short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64); err == nil {
		x = short
	}
	return Float(x)
}

// near is how far from a step a value may be, as a part of the step: whoever computes values rounds.
const near = 1e-6

func (s steps) find(v Value) (int64, *Error) {
	hint := fmt.Sprintf("give a number from %s to %s in steps of %s", formatFloat(s.min), formatFloat(s.max), formatFloat(s.step))
	x, ok := v.Number()
	switch {
	case !ok || math.IsNaN(x):
		return 0, wrong("value", hint, "value is %s, which is not a number", v.quoted())
	case x < s.min-near*s.step:
		return 0, wrong("value", hint, "value is %s, below min", v)
	case x > s.max+near*s.step:
		return 0, wrong("value", hint, "value is %s, above max", v)
	}
	level := math.Round((x - s.min) / s.step)
	if math.Abs((x-s.min)/s.step-level) > near {
		below := int64(math.Floor((x - s.min) / s.step))
		return 0, wrong("value", fmt.Sprintf("give %s or %s", s.at(below), s.at(below+1)), "value is %s, which steps of %s from %s do not reach", v, formatFloat(s.step), formatFloat(s.min))
	}
	return min(max(int64(level), 0), s.n-1), nil
}

// checkStep finds mistakes in the step of a float whose bounds are right.
func (p *Param) checkStep() Errors {
	switch {
	case p.Step == 0:
		return nil
	case !(p.Step > 0) || math.IsInf(p.Step, 0):
		return Errors{wrong("step", "give a step above zero", "step is %v", formatFloat(p.Step))}
	case (p.Max-p.Min)/p.Step < 1-near:
		return Errors{wrong("step", "give a smaller step, or type fixed", "step is %s, more than from min to max", formatFloat(p.Step))}
	}
	if math.Max(math.Abs(p.Min), math.Abs(p.Max))/p.Step > mostSteps {
		return Errors{wrong("step", "give a larger step, or leave it out", "step is %s, too small against min and max to tell one value from the next", formatFloat(p.Step))}
	}
	if count := (p.Max - p.Min) / p.Step; math.Abs(count-math.Round(count)) > near {
		below := steps{p.Min, math.Inf(1), p.Step, mostSteps}
		last := int64(math.Floor(count))
		return Errors{wrong("max", fmt.Sprintf("give max %s or %s", below.at(last), below.at(last+1)), "max is %s, which steps of %s from min %s do not reach", formatFloat(p.Max), formatFloat(p.Step), formatFloat(p.Min))}
	}
	return nil
}
