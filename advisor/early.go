package advisor

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// Early says why a running trial is to be stopped early, in the light of its last step; if it is to go on, the reason is empty.
func (a *Advisor) Early(ctx context.Context, r *study.Record, trial int) (why string, err error) {
	t := r.Trials[trial-1]
	last, ok := t.LastStep()
	if a.ladder == nil || !ok || last.Step >= a.study.FidelityOf(t.Setting) {
		return "", nil
	}
	own := a.Pick(r).Name
	if w, _ := WhyOf(t.Why); policy.IsBlind(w.Policy) && !policy.IsBlind(own) {
		return "", nil // random settings are tried in full where neither models nor other curves are to be believed
	}
	var stop *say.EarlyStop
	switch a.study.Fidelity.StopEarly {
	case study.StopNever:
	case study.StopByMedian:
		stop = a.belowMedian(r, t)
	default:
		if policy.IsBlind(own) || policy.Climbs(own) || !a.knowsPrices(r) {
			return "", nil
		}
		stop, err = a.notWorthRest(ctx, r, t)
	}
	if stop == nil || err != nil {
		return "", err
	}
	stop.Fidelity, stop.At = a.study.Fidelity.Name, last.Step
	return stop.String(), nil
}

// notWorthRest is the models' reason to stop a trial; see policy.Going.
func (a *Advisor) notWorthRest(ctx context.Context, r *study.Record, t study.Trial) (*say.EarlyStop, error) {
	state, err := a.state(r, t.Number)
	if err != nil || len(state.X) == 0 {
		return nil, err
	}
	m, err := a.Fit(ctx, r, state)
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	x, level := a.split(t.Point)
	last, _ := t.LastStep()
	g, ok := m.GoOn(policy.Underway{X: x, Level: level, Spent: a.ownSpent(r, t, last.Cost)})
	if !ok || !g.Stops() {
		return nil, nil
	}
	return &say.EarlyStop{Chance: g.Chance, Worth: g.Worth, Front: a.study.Several()}, nil
}

// fewestCurves is how many other trials the median rule wants to see.
const fewestCurves = 3

// belowMedian is the reason to stop a trial by the median rule (Golovin et al. 2017, §3.2.2). Every other trial has a mean of its values up to
// the same step. The trial's best value so far is worse than the median of these means.
func (a *Advisor) belowMedian(r *study.Record, t study.Trial) *say.EarlyStop {
	last, _ := t.LastStep()
	best := math.Inf(-1)
	for _, s := range t.Steps {
		best = math.Max(best, a.sign()*s.Value)
	}
	var means []float64
	for _, other := range r.Trials {
		if mean, ok := a.meanUntil(other, last.Step); ok && other.Number != t.Number {
			means = append(means, mean)
		}
	}
	if len(means) < fewestCurves {
		return nil
	}
	slices.Sort(means)
	median := (means[(len(means)-1)/2] + means[len(means)/2]) / 2
	if best >= median {
		return nil
	}
	return &say.EarlyStop{Best: a.sign() * best, Median: a.sign() * median, Others: len(means)}
}

// meanUntil is the mean of the values that a trial had until a step, if it has ended and got that far.
func (a *Advisor) meanUntil(t study.Trial, step float64) (float64, bool) {
	if !t.State.Ended() || !t.IsEvidence() {
		return 0, false
	}
	sum, n, reached := 0.0, 0.0, t.State == study.Done && a.study.FidelityOf(t.Setting) >= step
	for _, s := range t.Steps {
		if s.Step <= step {
			sum, n = sum+a.sign()*s.Value, n+1
		}
		reached = reached || s.Step >= step
	}
	return sum / n, reached && n > 0
}

// addSteps adds to a state the values on a trial's way that the models learn from.
func (a *Advisor) addSteps(s *policy.State, r *study.Record, t study.Trial) {
	x, _ := a.split(t.Point)
	best := math.Inf(-1)
	for i, step := range t.Steps {
		y := a.sign() * step.Value
		if best = math.Max(best, y); a.study.Fidelity.Count == study.CountBest {
			y = best // a trial that ended here would have this value
		}
		if level := a.ladder.of(step.Step); step.Look && level < 1 {
			// The last one of a trial that was stopped early is all that came of a choice.
			chosen := t.State == study.StoppedEarly && !slices.ContainsFunc(t.Steps[i+1:], func(s study.Step) bool { return s.Look })
			cost := step.Cost
			if t.State == study.Done || t.State == study.StoppedEarly {
				cost = math.Min(cost, t.Charged) // of which it is a part, whatever was said on the way
			}
			if cost > 0 {
				cost = a.ownSpent(r, t, cost)
			}
			s.Looks = append(s.Looks, policy.Look{X: x, Level: level, Y: y, LnCost: lnCost(cost), Step: !chosen})
		}
	}
}

// Saved returns what stopping a trial early has saved: the median of its forecast cost, less what it was charged. It is 0
// for all other trials, and if nobody knew what to expect.
func Saved(t study.Trial) float64 {
	if t.State != study.StoppedEarly {
		return 0
	}
	why, ok := WhyOf(t.Why)
	if !ok || why.Expected == nil {
		return 0
	}
	return math.Max(why.Expected.CostMedian-t.Charged, 0)
}
