package advisor

import (
	"context"
	"slices"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// A search for hyperparameters takes most of a forecast's time. A suggestion keeps them for the next suggestion, in its plan. A setting that
// somebody gave has no plan, and there may be hundreds of such settings, with a result between any two. Their forecasts choose nothing, but only say
// what to reserve. So they are made in haste, with the hyperparameters of the last milestone. Milestones depend on the log alone, so that a new
// process finds the same hyperparameters as a process that remembers them.

// pricer returns a function that predicts the cost of a point.
func (a *Advisor) pricer(ctx context.Context, r *study.Record) (func([]float64) policy.Prediction, error) {
	defer a.forget.Reset(forgetAfter)
	then := a.milestone(r)
	m, err := a.fitPrices(ctx, r, a.hasty(r), then)
	if err != nil || m == nil {
		return func([]float64) policy.Prediction { return policy.Prediction{} }, err
	}
	if then == nil {
		a.before.Take(a.tuning.Memory)
	}
	return func(x []float64) policy.Prediction { return m.Charged(a.Predict(m, [][]float64{x})[0]) }, nil
}

// hasty returns the settings for a forecast that chooses nothing.
func (a *Advisor) hasty(r *study.Record) policy.Settings {
	settings := a.settingsFor(r)
	settings.Haste = max(settings.Haste, 1)
	return settings
}

// fitPrices fits models to the latest results of the record, with the newest hyperparameters of a plan and of an earlier record, which may be nil.
// Without results there are no models.
func (a *Advisor) fitPrices(ctx context.Context, r *study.Record, settings policy.Settings, earlier *study.Record) (*policy.Models, error) {
	all, err := a.State(r)
	if err != nil {
		return nil, err
	}
	s := a.latest(all)
	if len(s.X) == 0 {
		return nil, nil
	}
	hidden := len(all.X) - len(s.X)
	if s.Previous != nil && hidden > 0 {
		s.Previous = since(*s.Previous, hidden)
	}
	if earlier != nil {
		then, err := a.State(earlier)
		if err != nil {
			return nil, err
		}
		if p := all.Previous; p == nil || p.Observed < len(then.X) {
			before := settings
			before.Memory = a.before
			m, err := a.fitPrices(ctx, earlier, before, nil)
			if err != nil {
				return nil, err
			}
			if m != nil {
				learnt := since(*m.Learnt(), hidden-(len(then.X)-len(m.X)))
				if p != nil {
					learnt.Track = p.Track
				}
				s.Previous = learnt
			}
		}
	}
	return policy.Fit(ctx, s, settings)
}

// since returns the plan for a state in which that many more of the oldest results are hidden.
func since(p policy.Plan, hidden int) *policy.Plan {
	p.Searched = max(p.Searched-hidden, 0)
	return &p
}

// milestone returns the record as it was at the last milestone: trials that ended later are still under way in it, and none under way has
// shown anything. It returns nil if the last result is a milestone itself.
func (a *Advisor) milestone(r *study.Record) *study.Record {
	var ended []int
	for i := range r.Trials {
		if r.Trials[i].State.Ended() {
			ended = append(ended, i)
		}
	}
	known := len(counting(r.Known))
	n := max(lastMilestone(known+len(ended))-known, 0)
	if n == len(ended) {
		return nil
	}
	slices.SortStableFunc(ended, func(i, j int) int { return r.Trials[i].CompareEnds(r.Trials[j]) })
	then := r.Clone()
	for _, i := range ended[n:] {
		then.Trials[i].State = study.Running
	}
	for i := range then.Trials {
		if t := &then.Trials[i]; t.State.Open() {
			t.Steps = nil
		}
	}
	return then
}

// lastMilestone returns the last milestone of this many results. The next one is a fifth more results away, and never farther than a fifth of
// priceOnly: the models would search by themselves after three tenths.
func lastMilestone(n int) (last int) {
	for next := 1; next <= n; next = last + max(1, min(last, priceOnly)/5) {
		last = next
	}
	return last
}
