package eke

import (
	"fmt"
	"math"
	"slices"

	"github.com/eke-bo/eke/policy"
)

// Trial is a setting to try, and why.
type Trial struct {
	Number  int
	X       []float64
	Reasons Reasons
}

// Reasons tell why a setting was chosen.
type Reasons struct {
	Policy      string // that chose; "design" for the first, spread-out trials
	Predicted   Prediction
	Acquisition float64      // ln of what the policy maximised; 0 where it maximises nothing
	Next        []Prediction // what it would try after this, if all goes as expected
	CutShort    bool         // the context ended before the search did
}

// Prediction is what the models expect of a setting.
type Prediction struct {
	X              []float64
	Known          bool    // false: there was nothing yet to predict from, and the rest is zero
	Value, ValueSD float64 // mean and standard deviation
	Cost, CostSD   float64 // mean and standard deviation
	CostMedian     float64
	Fits           float64 // chance that the cost is within what is left of the budget
}

// Result is a setting that was tried.
type Result struct {
	Number      int // −1: told by Observe
	X           []float64
	Value, Cost float64
	Beyond      bool // its cost went past the budget: on record, but it does not count
}

func (r Result) clone() Result {
	r.X = slices.Clone(r.X)
	return r
}

// Here the words become numbers and the numbers words: settings ↔ unit cube, and what
// is minimised ↔ what is maximised.

func (c *Config) sign() float64 {
	if c.Minimize {
		return -1
	}
	return 1
}

func (c *Config) encode(x []float64) ([]float64, error) {
	if len(x) != len(c.Lower) {
		return nil, fmt.Errorf("eke: %d settings given, the study has %d", len(x), len(c.Lower))
	}
	unit := make([]float64, len(x))
	for i, v := range x {
		lo, hi := c.Lower[i], c.Upper[i]
		if !(v >= lo && v <= hi) {
			return nil, fmt.Errorf("eke: setting %d is %v, outside [%v, %v]", i, v, lo, hi)
		}
		unit[i] = math.Min((v-lo)/(hi-lo), 1)
	}
	return unit, nil
}

func (c *Config) decode(unit []float64) []float64 {
	x := make([]float64, len(unit))
	for i, u := range unit {
		lo, hi := c.Lower[i], c.Upper[i]
		x[i] = math.Min(math.Max(lo+u*(hi-lo), lo), hi)
	}
	return x
}

func (c *Config) trial(number int, s policy.Suggestion) Trial {
	t := Trial{Number: number, X: c.decode(s.X), Reasons: Reasons{
		Policy: s.Policy, Predicted: c.prediction(s.Predicted), Acquisition: s.Acquisition, CutShort: s.CutShort,
	}}
	if !s.Predicted.Known {
		t.Reasons.Predicted.X = slices.Clone(t.X)
	}
	for _, p := range s.Next {
		t.Reasons.Next = append(t.Reasons.Next, c.prediction(p))
	}
	return t
}

func (c *Config) prediction(p policy.Prediction) Prediction {
	if !p.Known {
		return Prediction{}
	}
	return Prediction{
		X: c.decode(p.X), Known: true, Value: c.sign() * p.Value, ValueSD: p.ValueSD,
		Cost: p.Cost, CostSD: p.CostSD, CostMedian: math.Exp(p.LnCost), Fits: p.Fits,
	}
}
