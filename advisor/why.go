package advisor

import (
	"encoding/json"
	"math"
	"slices"
	"sync"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Why tells, in the study's own words, why a trial was chosen. It is kept with the trial.
type Why struct {
	Policy      string          `json:"policy"`                   // Policy is who chose the trial; it is "design" for the first trials.
	Picked      string          `json:"picked"`                   // Picked says why this policy was to choose.
	Expected    *study.Expected `json:"expected,omitempty"`       // Expected is what the models expected of the trial; nil before there are models.
	Acquisition float64         `json:"ln_acquisition,omitempty"` // Acquisition is the logarithm of what the policy maximised, see policy.Suggestion; 0 where it maximises nothing.
	Next        []Step          `json:"next,omitempty"`           // Next lists what the plan foresees after this trial, if all goes as expected.
	Earlier     string          `json:"earlier,omitempty"`        // Earlier says how well an earlier study predicts this one; empty if there is none.
	UsesEarlier bool            `json:"follows,omitempty"`        // UsesEarlier says that the models of the values follow the earlier study.
	Between     []int           `json:"between,omitempty"`        // Between are the trials on the front of several objectives that it was expected to lie between.
	CutShort    bool            `json:"cut_short,omitempty"`      // CutShort says that the context ended before the search did.
	Clauses     []study.Clause  `json:"clauses,omitempty"`        // Clauses are what Picked and Earlier say, as data. Older logs have none.

	// Hoped is the chance to beat the best, or to extend the front, by the models alone; 0 where the study's own record has not changed it.
	Hoped float64 `json:"hoped,omitempty" doc:"The chance to beat the best, or to extend the front, by the models alone. Left out where the study's own record has not changed it."`
}

// WhyOf reads the reasons that a trial was chosen for. There may be none, or some of another kind if somebody else asked for it.
func WhyOf(raw json.RawMessage) (why Why, ok bool) {
	if len(raw) == 0 || json.Unmarshal(raw, &why) != nil {
		return Why{}, false
	}
	return why, true
}

// Expected puts a prediction of the models into the study's own words.
func (a *Advisor) Expected(p policy.Prediction) study.Expected {
	quantile := func(z float64) float64 { return math.Min(math.Exp(p.LnCost+z*p.LnCostSD), math.MaxFloat64) }
	if p.Early {
		p.Beats = 0 // nobody knows
	}
	low, high := a.sign()*p.ValueLow, a.sign()*p.ValueHigh
	e := study.Expected{
		Early: p.Early, FailureCost: math.Min(p.FailureCost, math.MaxFloat64), Also: a.also(p.Aims),
		Value: a.sign() * p.Value, ValueSD: p.ValueSD, ValueLow: min(low, high), ValueHigh: max(low, high), Cost: p.Cost, CostSD: p.CostSD,
		CostLow: quantile(-cautious), CostMedian: quantile(0), CostHigh: quantile(cautious), Fits: p.Fits, Beats: p.Beats,
	}
	if p.Limited {
		e.Within = &p.Within
	}
	if p.MayFail {
		e.Works = &p.Works
	}
	return e
}

// Step is a trial that a plan foresees.
type Step struct {
	Setting  space.Setting  `json:"setting"`  // Setting is what would be tried.
	Expected study.Expected `json:"expected"` // Expected is what the models expect of it.
}

// reasons are why a policy chose a trial, which is expected to lie between trials on the front.
func (a *Advisor) reasons(r *study.Record, s policy.Suggestion, pick Pick, between []int) Why {
	picked := pick.reason
	picked.LastTries, picked.Gain = s.LastTries, s.Predicted.Gain
	if s.Predicted.Early {
		picked.Gain, between = 0, nil // nobody knows the scale of values
	}
	picked.Between = between
	if l := s.Look; l != nil {
		picked.Look = &say.Look{Looks: l.Looks, Gain: l.Gain, Correlation: l.Correlation, Others: l.Others, Fidelity: a.study.Fidelity.Name}
		for _, o := range a.study.Objectives {
			picked.Look.Of = append(picked.Look.Of, o.Name)
		}
	}
	w := Why{Policy: s.Policy, Picked: picked.String(), Clauses: picked.Clauses(), Acquisition: s.Acquisition, CutShort: s.CutShort, Between: between}
	if s.Policy == "earlier" { // the policy's own rule has not chosen it
		w.Picked = say.Chosen(s.Policy, "")
		w.Clauses = []study.Clause{{Words: w.Picked}}
	}
	if e := s.Earlier; e != nil {
		c := say.Predicts(*e).Clause()
		w.Earlier, w.UsesEarlier, w.Clauses = say.Clause(c), e.Values, append(w.Clauses, c)
	}
	if s.Predicted.Known {
		e := a.Expected(s.Predicted)
		if chance := a.credited(r, e.Beats); chance != e.Beats {
			w.Hoped, e.Beats = e.Beats, chance
		}
		w.Expected = &e
	}
	for _, p := range s.Next {
		w.Next = append(w.Next, Step{a.space.Decode(a.join(p.X, 1)), a.Expected(p)})
	}
	return w
}

// The trials that are chosen are those whose forecasts are the most hopeful. So their chances to beat the best are said too high where the models are wrong (Smith and
// Winkler 2006), most of all on jagged functions, and where a search has converged. What came of the last chances corrects the next, MATH.md (77). No choice goes by it.

// The prior counts as many new bests as credit says, all of them announced, and all came. Each trial weighs recall times as much as the next. Both were chosen on problems
// for tuning; bench/NOTES.md has the figures.
const credit, recall = 2, 0.9

// leastRecall is the weight below which a trial is forgotten.
const leastRecall = 0.01

// credited returns a chance to beat the best, or to extend the front, as the study's own record corrects it. With noise nobody sees who has won.
func (a *Advisor) credited(r *study.Record, chance float64) float64 {
	if chance == 0 || a.hasNoise(r) {
		return chance
	}
	said, came, weight := float64(credit), float64(credit), 1.0
	for _, t := range slices.Backward(r.Trials) {
		hoped := hopedOf(t)
		if hoped == 0 || !t.IsEvidence() || t.State != study.Done && (isLost(t) || !a.isFailure(t)) {
			continue
		}
		said += weight * hoped
		if a.hasWon(r, t) {
			came += weight
		}
		if weight *= recall; weight < leastRecall {
			break
		}
	}
	factor := came / said
	return chance * factor / (1 + chance*math.Max(factor-1, 0)) // above 1 it is a factor of the odds
}

// hopedOf returns the chance to beat the best, or to extend the front, that a trial had by the models alone; 0 if there was none.
func hopedOf(t study.Trial) float64 {
	why, ok := WhyOf(t.Why)
	if !ok || why.Expected == nil || why.Hoped > 0 {
		return why.Hoped
	}
	return why.Expected.Beats
}

// hasWon says whether a trial's value is better than all that counted when the trial was handed out; with several objectives, whether it extended the front.
func (a *Advisor) hasWon(r *study.Record, t study.Trial) bool {
	y, complete := a.study.Outcome(t)
	if !t.Counts() || !complete || len(a.study.NoBetter(y)) > 0 {
		return false
	}
	for other := range r.EachResult() {
		if !other.EndedBefore(t) {
			continue
		}
		beaten := !a.study.Objective.Goal.Better(t.Value, other.Value)
		if a.study.Several() {
			o, _ := a.study.Outcome(other)
			beaten = a.study.Better(o, y) || slices.Equal(o, y)
		}
		if beaten {
			return false
		}
	}
	return true
}

// ofDesign is the policy's reason for a point of the initial design, which says how the point was found.
func (a *Advisor) ofDesign(r *study.Record, s policy.Suggestion, reason say.Reason) say.Reason {
	switch {
	case s.Cheapest:
		reason.Kind = say.FirstCheap
	case s.Looked:
		reason.Kind = say.FirstLooked
		for _, t := range r.Trials {
			if t.State.Ended() && slices.Equal(a.place(t.Point), s.X) {
				reason.Trial = t.Number
			}
		}
	default:
		reason.Kind = say.FirstSpread
	}
	return reason
}

// earlier keeps the numbers of the study that this one started from, and with them its models, which are fitted once.
type earlier struct {
	mu   sync.Mutex
	of   *study.Earlier
	kept *policy.Earlier

	reported []study.Metrics // by its results, and then by its looks
}

// earlierFor returns what an earlier study found as a policy sees it, and what its results and looks reported; nil if there is none. Results that do not fit the study's parameters
// are left out. Results are at the highest fidelity, and looks are not.
func (a *Advisor) earlierFor(r *study.Record) (_ *policy.Earlier, reported []study.Metrics) {
	if r.Earlier == nil {
		return nil, nil
	}
	a.earlier.mu.Lock()
	defer a.earlier.mu.Unlock()
	if a.earlier.of == r.Earlier {
		return a.earlier.kept, a.earlier.reported
	}
	p := &policy.Earlier{Noisy: r.Earlier.Noisy, Aims: make([]policy.Quantity, max(len(a.study.Objectives)-1, 0))}
	for _, result := range r.Earlier.Results {
		if x, ok := a.space.Adopt(result.Setting); ok {
			for j := range p.Aims {
				o, v := a.study.Objectives[j+1], math.NaN()
				if found, known := result.Metrics[o.Name]; known {
					v = signOf(o.Goal) * found
				}
				p.Aims[j].Y = append(p.Aims[j].Y, v)
			}
			p.X, p.Y, p.LnCost = append(p.X, a.place(x)), append(p.Y, a.sign()*result.Value), append(p.LnCost, lnCost(result.Cost))
			reported = append(reported, result.Metrics)
			if len(a.study.Limits) > 0 { // what it did not report, it may meet
				p.Misses = append(p.Misses, slices.ContainsFunc(a.study.Limits.Violated(result.Metrics), func(name string) bool { _, known := result.Metrics[name]; return known }))
			}
		}
	}
	for _, look := range r.Earlier.Looks {
		if x, ok := a.space.Adopt(look.Setting); ok {
			at, level := a.split(x)
			p.Looks, reported = append(p.Looks, policy.Look{X: at, Level: level, Y: a.sign() * look.Value, LnCost: lnCost(look.Cost)}), append(reported, look.Metrics)
		}
	}
	a.earlier.of, a.earlier.kept, a.earlier.reported = r.Earlier, p, reported
	return p, reported
}

// Earlier says what a study started from, and how well that predicts it.
type Earlier struct {
	From    string `json:"name"`            // From names the earlier study, or the file with its results.
	Results int    `json:"results"`         // Results is how many were taken over.
	Looks   int    `json:"looks,omitempty"` // Looks is how many of its looks were.
	Says    string `json:"says"`            // Says is how well it predicts this study, as of the last trial that was chosen.
}

// EarlierOf returns what the study of a record started from; nil if it started from nothing.
func EarlierOf(r *study.Record) *Earlier {
	if r.Earlier == nil {
		return nil
	}
	e := &Earlier{From: r.Earlier.From, Results: len(r.Earlier.Results), Looks: len(r.Earlier.Looks), Says: say.Predicts{Untried: true}.String()}
	for _, t := range slices.Backward(r.Trials) {
		if why, ok := WhyOf(t.Why); ok && why.Earlier != "" {
			e.Says = why.Earlier
			break
		}
	}
	return e
}

// Words says it in one sentence.
func (e *Earlier) Words() string {
	return say.Earlier(e.From, e.Results, e.Looks, e.Says)
}
