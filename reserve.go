package eke

import (
	"fmt"
	"math"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// cautious is the quantile of the predicted cost that is reserved, in standard deviations of its logarithm: nine
// trials in ten cost less.
const cautious = 1.2815515655446004 // Φ⁻¹(0.9)

// leastChance is the chance to fit the budget below which a trial is not worth its price.
const leastChance = 0.05

// reserve returns the money to hold for a suggested trial: a cautious quantile of its predicted cost, but no more
// than the limit of a trial, nor than what is left.
func (t *Thinker) reserve(r *study.Record, s policy.Suggestion) (float64, error) {
	left := r.Ledger.Left()
	// Before anything is known of costs, the initial design may use up the budget in equal parts.
	share := r.Ledger.Total / float64(2*(t.space.Dim()+1))
	want, median := share, 0.0
	if p := s.Predicted; p.Known {
		want, median = math.Exp(p.LnCost+cautious*p.LnCostSD), math.Exp(p.LnCost)
		if s.Policy == "design" { // after one or two results a cautious guess is a wild one
			want = math.Min(want, math.Max(share, median))
		}
	}
	want = math.Max(want, t.leastHold(r))
	if limit := t.study.Budget.PerTrial; limit > 0 && !s.Predicted.Known {
		want = limit
	} else if limit > 0 && t.study.Measured() { // a cost that is only reported may go past its limit
		want, median = math.Min(want, limit), math.Min(median, limit)
	}
	switch {
	case left <= 0 || median > left:
		if len(r.Open()) > 0 {
			return 0, ErrBudgetPending
		}
		return 0, fmt.Errorf("%w: %.4g %s are left, the best candidate is expected to cost %.4g", ErrNotWorth, left, t.study.Cost.Unit, median)
	case s.Predicted.Known && s.Predicted.Fits < leastChance && len(r.Open()) == 0:
		return 0, fmt.Errorf("%w: %.4g %s are left, and the best candidate fits that with a chance of %.0f %%", ErrNotWorth, left, t.study.Cost.Unit, 100*s.Predicted.Fits)
	}
	return math.Min(want, left), nil
}

// leastHold is what is held for any trial where the cost is wall time. A reservation is raised while its trial runs,
// but that takes moments of its own, which a trial of milliseconds does not have.
func (t *Thinker) leastHold(r *study.Record) float64 {
	if !t.study.Measured() {
		return 0
	}
	const second = 1.0
	return math.Min(second, r.Ledger.Total/float64(20*max(t.study.Parallel, 1)))
}

// Why tells, in the study's own words, why a trial was chosen. It is kept with the trial.
type Why struct {
	Policy      string    `json:"policy"` // "design" for the first, spread-out trials
	Picked      string    `json:"picked"` // why this policy
	Expected    *Expected `json:"expected,omitempty"`
	Acquisition float64   `json:"ln_acquisition,omitempty"`
	Next        []Step    `json:"next,omitempty"` // what it would try after this, if all goes as expected
	CutShort    bool      `json:"cut_short,omitempty"`
}

// Expected is what the models expect of a trial.
type Expected struct {
	Value      float64 `json:"value"`
	ValueSD    float64 `json:"value_sd"`
	Cost       float64 `json:"cost"`
	CostSD     float64 `json:"cost_sd"`
	CostMedian float64 `json:"cost_median"`
	Fits       float64 `json:"fits"` // chance to fit what is left of the budget
}

// Step is a trial that a plan foresees.
type Step struct {
	Setting  space.Setting `json:"setting"`
	Expected Expected      `json:"expected"`
}

func (t *Thinker) reasons(s policy.Suggestion, pick Pick) Why {
	w := Why{Policy: s.Policy, Picked: pick.Why, Acquisition: s.Acquisition, CutShort: s.CutShort}
	if s.Predicted.Known {
		e := t.expected(s.Predicted)
		w.Expected = &e
	}
	for _, p := range s.Next {
		w.Next = append(w.Next, Step{t.space.Decode(p.X), t.expected(p)})
	}
	return w
}

func (t *Thinker) expected(p policy.Prediction) Expected {
	return Expected{
		Value: t.sign() * p.Value, ValueSD: p.ValueSD, Cost: p.Cost, CostSD: p.CostSD,
		CostMedian: math.Min(math.Exp(p.LnCost), math.MaxFloat64), Fits: p.Fits,
	}
}
