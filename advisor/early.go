package advisor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

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
	switch a.study.Fidelity.StopEarly {
	case study.StopNever:
		return "", nil
	case study.StopByMedian:
		why = a.belowMedian(r, t)
	default:
		why, err = a.notWorthRest(ctx, r, t)
	}
	if why != "" {
		why = fmt.Sprintf("stopped early at %s %s: %s", a.study.Fidelity.Name, say.Number(last.Step), why)
	}
	return why, err
}

// notWorthRest is the models' reason to stop a trial; see policy.Going. Random search and successive halving do not stop by models.
func (a *Advisor) notWorthRest(ctx context.Context, r *study.Record, t study.Trial) (string, error) {
	name := a.Pick(r).Name
	if name == "random" || strings.HasPrefix(name, "asha") || strings.HasPrefix(name, "hyperband") || !a.knowsPrices(r) {
		return "", nil
	}
	state, err := a.state(r, t.Number)
	if err != nil || len(state.X) == 0 {
		return "", err
	}
	m, err := a.Fit(ctx, r, state)
	if err != nil || ctx.Err() != nil {
		return "", err
	}
	x, level := a.split(t.Point)
	last, _ := t.LastStep()
	g, ok := m.GoOn(policy.Underway{X: x, Level: level, Spent: r.PaidBefore(t) + last.Cost})
	if !ok || !g.Stops() {
		return "", nil
	}
	return fmt.Sprintf("it has a chance of %s to beat the best value, and its rest promises %.2g times as much for the money as the best other setting", say.Percent(g.Chance), g.Worth), nil
}

// fewestCurves is how many other trials the median rule wants to see.
const fewestCurves = 3

// belowMedian is the reason to stop a trial by the median rule (Golovin et al. 2017, §3.2.2): its best value so far is worse than the
// median of the means that the others' values had up to the same step.
func (a *Advisor) belowMedian(r *study.Record, t study.Trial) string {
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
		return ""
	}
	slices.Sort(means)
	median := (means[(len(means)-1)/2] + means[len(means)/2]) / 2
	if best >= median {
		return ""
	}
	return fmt.Sprintf("its best value, %s, is worse than %s, the median of %d other trials until there", say.Number(a.sign()*best), say.Number(a.sign()*median), len(means))
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

// addSteps adds what a trial showed on its way to a state, as far as the models learn from it.
func (a *Advisor) addSteps(s *policy.State, r *study.Record, t study.Trial) {
	x, _ := a.split(t.Point)
	before := r.PaidBefore(t)
	for i, step := range t.Steps {
		if level := a.ladder.of(step.Step); step.Look && level < 1 {
			// The last one of a trial that was stopped early is all that came of a choice.
			chosen := t.State == study.StoppedEarly && !slices.ContainsFunc(t.Steps[i+1:], func(s study.Step) bool { return s.Look })
			cost := step.Cost
			if t.State == study.Done || t.State == study.StoppedEarly {
				cost = math.Min(cost, t.Charged) // of which it is a part, whatever was said on the way
			}
			if cost > 0 {
				cost += before
			}
			s.Looks = append(s.Looks, policy.Look{X: x, Level: level, Y: a.sign() * step.Value, LnCost: lnCost(cost), Step: !chosen})
		}
	}
}

// Saved returns what stopping a trial early has saved: what it was expected to cost, half of the time, less what it was charged. It is 0
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

// ByFidelity is where the money of a study with a fidelity went. Its JSON form is a promise.
type ByFidelity struct {
	Levels []LevelCost `json:"fidelity,omitempty"` // Levels are the fidelities of its trials, lowest first; none: the study has no fidelity.
	Early  *EarlyStops `json:"early,omitempty"`    // Early are the trials that were stopped early; nil: none.
}

// LevelCost is what the trials of a fidelity cost.
type LevelCost struct {
	Fidelity float64 `json:"fidelity"` // Fidelity is the level.
	Trials   int     `json:"trials"`   // Trials is the number of trials at it.
	Cost     float64 `json:"cost"`     // Cost is what they cost.
}

// EarlyStops are the trials that were stopped early, and by how much they stayed below what they were expected to cost.
type EarlyStops struct {
	Trials int     `json:"trials"` // Trials is their number.
	Saved  float64 `json:"saved"`  // Saved is how much less they cost than was expected.
}

// CostByFidelity adds up what the trials of a study cost.
func CostByFidelity(s *study.Study, trials []study.Trial) (b ByFidelity) {
	if s.Fidelity == nil {
		return b
	}
	for _, t := range trials {
		level := s.FidelityOf(t.Setting)
		i, known := slices.BinarySearchFunc(b.Levels, level, func(l LevelCost, level float64) int { return cmp.Compare(l.Fidelity, level) })
		if !known {
			b.Levels = slices.Insert(b.Levels, i, LevelCost{Fidelity: level})
		}
		b.Levels[i].Trials++
		b.Levels[i].Cost += t.Charged
		if t.State == study.StoppedEarly {
			if b.Early == nil {
				b.Early = &EarlyStops{}
			}
			b.Early.Trials++
			b.Early.Saved += Saved(t)
		}
	}
	return b
}

// Words says what was spent at each fidelity, and what stopping early has saved. Either is empty if there is nothing to say.
func (b ByFidelity) Words(s *study.Study) (spent, saved string) {
	if len(b.Levels) > 1 {
		var parts []string
		for _, l := range b.Levels {
			parts = append(parts, fmt.Sprintf("%s=%s: %s", s.Fidelity.Name, say.Number(l.Fidelity), say.Amount(s.Cost, l.Cost)))
		}
		spent = strings.Join(parts, ", ")
	}
	if e := b.Early; e != nil {
		saved = fmt.Sprintf("about %s by stopping %s early", say.Amount(s.Cost, e.Saved), say.Count(e.Trials, "trial"))
	}
	return spent, saved
}
