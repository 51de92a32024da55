package advisor

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Best is the best setting of a study so far. If there is an estimate, the estimated value counts, not the trial's observed value.
type Best struct {
	// Trial is the trial that tried it, the first of several.
	study.Trial

	// Estimate is what the models say about the setting, for a study whose evaluations have noise. It is nil without noise, when the
	// value is what it is.
	Estimate *Estimate

	// Otherwise lists the results whose limits the models judge differently from the observed numbers, if limited quantities have noise. This
	// setting comes first, if it is among them.
	Otherwise []Otherwise
}

// Expected returns the value that is expected of the setting: the estimate or, without noise, the observed value.
func (b Best) Expected() float64 {
	if b.Estimate != nil {
		return b.Estimate.Value
	}
	return b.Value
}

// Words writes the expected value for people, and the band of an estimate: "0.21", "80% between 0.12 and 0.3".
func (b Best) Words() (value, band string) {
	if e := b.Estimate; e != nil {
		return say.Estimate(e.Value, e.Low, e.High)
	}
	return say.Number(b.Value), ""
}

// Text writes both in one: "expected 0.21 (80% between 0.12 and 0.3)". A value that was measured stands alone.
func (b Best) Text() string {
	value, band := b.Words()
	if b.Estimate != nil {
		value = "expected " + value
	}
	if band == "" {
		return value
	}
	return value + " (" + band + ")"
}

// Hurts says that a lower fidelity gave the best setting a better value, if one did. With noise that is unknown; then Hurts says that the models judge
// limits differently from the observed numbers, if they do. Before either, it says that the study may have seen nothing but a plateau, and after
// both that values of choices were never evaluated in full.
func (b Best) Hurts(s *study.Study, r *study.Record) string {
	if text := b.plateau(s, r); text != "" {
		return text
	}
	if below, ok := s.BestBelow(r, b.Trial); ok && b.Estimate == nil {
		return say.Hurts(s, b.Trial, below)
	}
	if len(b.Otherwise) == 0 {
		return untried(s, r, b.Setting)
	}
	text := b.Otherwise[0].Title() + ": " + b.Otherwise[0].Words()
	if more := len(b.Otherwise) - 1; more > 0 {
		text += fmt.Sprintf("; so are %s judged otherwise than seen", say.Count(more, "more result"))
	}
	return text
}

// plateau says that the study may have seen nothing but a plateau, where every model only guesses; "" if it has seen more.
func (b Best) plateau(s *study.Study, r *study.Record) string {
	if usual, results, ok := onlyPlateau(s, r, b.Expected()); ok {
		return say.Flat(s, results, usual)
	}
	return ""
}

// leastFull is how many full evaluations a study with a fidelity judges a plateau by. The policy chose all but the first, after looks. With fewer, no
// study says which values of choices it has not tried.
const leastFull = 3

// leastResults is how many results a study needs before it says what it has not seen: as many as an initial design has.
func leastResults(s *study.Study) int {
	if s.Fidelity != nil {
		return leastFull
	}
	varying := 0
	for _, p := range s.Parameters {
		if p.Kind != space.KindFixed {
			varying++
		}
	}
	return max(s.Policy.Design, 2*(varying+1))
}

// onlyPlateau says whether the best value is hardly better than the median of the first results, how much that is, and of how many results. With a fidelity,
// the best look at the lowest fidelity must be as good: full values of good settings that looks have found are alike, too. An earlier study, or
// an import, leads to good settings at once, so that nothing is said after either. With limits, the first results must be alike whether or not they meet them.
func onlyPlateau(s *study.Study, r *study.Record, best float64) (usual float64, results int, ok bool) {
	bound := s.Objective.Min
	if s.Objective.Goal == study.Maximize {
		bound = s.Objective.Max
	}
	led := r.Earlier != nil || len(r.Known) > 0 && s.Fidelity == nil
	if s.Several() || led || bound != nil && best == *bound { // the best value possible is no plateau
		return 0, 0, false
	}
	results = leastResults(s)
	alike := func(other float64) bool { return math.Abs(best-other) <= flat*math.Abs(other) }
	usual, ok = usualOfFirst(s, r.EachResult(), results)
	if !ok || !alike(usual) && !s.Objective.Goal.Better(usual, best) {
		return 0, 0, false
	}
	if all, _ := usualOfFirst(s, r.EachMeasured(), results); all != usual && !alike(all) { // what meets narrow limits is all in one place
		return 0, 0, false
	}
	if s.Fidelity != nil {
		look, seen := lowestLook(s, r)
		return usual, results, seen && alike(look)
	}
	return usual, results, true
}

// usualOfFirst returns the median of the first n of some results. Known ones are left out: somebody's best settings are alike.
func usualOfFirst(s *study.Study, list iter.Seq[study.Trial], n int) (usual float64, ok bool) {
	var first []float64
	sign := signOf(s.Objective.Goal)
	for t := range list {
		if t.Known {
			continue
		}
		if first = append(first, sign*t.Value); len(first) == n {
			return sign * median(first), true
		}
	}
	return 0, false
}

// lowestLook returns the best value of the looks at the lowest fidelity that was tried.
func lowestLook(s *study.Study, r *study.Record) (best float64, ok bool) {
	at := 0.0
	for _, t := range r.Trials {
		level := s.FidelityOf(t.Setting)
		if !t.Look || t.State != study.Done || !t.IsEvidence() || ok && level > at {
			continue
		}
		if !ok || level < at || s.Objective.Goal.Better(t.Value, best) {
			best, at, ok = t.Value, level, true
		}
	}
	return best, ok
}

// NotCounted says why the value of a trial does not count, or that the models judge its limits differently from its numbers; "" if there is nothing to say.
func (b Best) NotCounted(t study.Trial) string {
	for _, o := range b.Otherwise {
		if o.Number == t.Number && o.Known == t.Known && slices.Equal(o.Point, t.Point) {
			return o.Words()
		}
	}
	return say.NotCounted(t)
}

// Course is how the study went, ready to be drawn; see say.Course and say.Observations.
func (b Best) Course(goal study.Goal, r *study.Record) []say.Step {
	if b.Estimate == nil {
		return say.Course(goal, r)
	}
	return say.Observations(goal, r, b.Has)
}

// Has says whether a trial is the best or, with an estimate, one of the trials that tried this setting.
func (b Best) Has(t study.Trial) bool {
	if b.Estimate != nil {
		return slices.Equal(t.Point, b.Point)
	}
	return t.Number == b.Number
}

// Estimate is what is known about the value of a setting that was evaluated with noise, with the study's own sign.
type Estimate struct {
	Value  float64   `json:"value"`  // Value is the expected value, without the noise.
	SD     float64   `json:"sd"`     // SD is its standard deviation.
	Low    float64   `json:"low"`    // Low is what the value is above with a chance of 90 %.
	High   float64   `json:"high"`   // High is what it is below with a chance of 90 %.
	Values []float64 `json:"values"` // Values are all that were observed at this setting, oldest first.
}

// Best returns the best setting so far. If evaluations have noise, it is the setting that the models expect to be the best: the
// best observation is mostly luck. Without a result, ok is false.
func (a *Advisor) Best(ctx context.Context, r *study.Record) (best Best, ok bool, err error) {
	raw, ok := r.Best(a.study.Objective.Goal)
	if !a.hasNoise(r) || !ok && len(a.study.Limits) == 0 {
		return Best{Trial: raw}, ok, nil
	}
	state, err := a.State(r)
	if err != nil || len(state.X) == 0 {
		return Best{Trial: raw}, ok, err
	}
	models, err := a.Fit(ctx, r, state)
	if err != nil {
		return Best{}, false, err
	}
	best, ok = a.BestBy(models, state, r)
	return best, ok, nil
}

// BestBy returns the best setting by models that were fitted to a state of the record.
func (a *Advisor) BestBy(models *policy.Models, state policy.State, r *study.Record) (best Best, ok bool) {
	raw, ok := r.Best(a.study.Objective.Goal)
	if !a.hasNoise(r) || !ok && len(a.study.Limits) == 0 {
		return Best{Trial: raw}, ok
	}
	// Of a quantity with noise, one observation may be within its limit by luck: the models say which settings meet the limits.
	best, found := a.bestAmong(models, state, slices.Collect(r.EachMeasured()))
	if !found { // the models hold a part of many observations, or expect all to be beyond a limit
		best, found = Best{Trial: raw}, ok
	}
	best.Otherwise = a.otherwise(models, state, r)
	if i := slices.IndexFunc(best.Otherwise, func(o Otherwise) bool { return best.Has(o.Trial) }); i > 0 {
		best.Otherwise[0], best.Otherwise[i] = best.Otherwise[i], best.Otherwise[0]
	}
	return best, found
}

// bestAmong returns the best setting of some results by models that were fitted to a state of the record.
func (a *Advisor) bestAmong(models *policy.Models, state policy.State, results []study.Trial) (best Best, ok bool) {
	tried := func(point []float64) func(study.Trial) bool {
		return func(t study.Trial) bool { return slices.Equal(a.place(t.Point), point) }
	}
	// The models also learn from values that do not count, as they cost more than the budget covers.
	index, e, ok := models.Best(func(i int) bool {
		return (len(a.study.Limits) == 0 || models.Counts(i)) && slices.ContainsFunc(results, tried(state.X[i]))
	})
	if !ok {
		return Best{}, false
	}
	low, high := a.sign()*e.Low, a.sign()*e.High
	best.Estimate = &Estimate{Value: a.sign() * e.Value, SD: e.SD, Low: min(low, high), High: max(low, high)}
	for _, t := range slices.Backward(results) {
		if tried(state.X[index])(t) {
			best.Trial, best.Estimate.Values = t, append(best.Estimate.Values, t.Value)
		}
	}
	slices.Reverse(best.Estimate.Values)
	return best, true
}

// Bests returns the n best settings so far, best first, each with its best trial. There may be fewer. The first is the setting that Best returns.
func (a *Advisor) Bests(ctx context.Context, r *study.Record, n int) (list []Best, err error) {
	results := slices.Collect(r.EachMeasured())
	var models *policy.Models
	var state policy.State
	if a.hasNoise(r) && len(results) > 0 {
		if state, err = a.State(r); err != nil {
			return nil, err
		}
		if len(state.X) > 0 {
			if models, err = a.Fit(ctx, r, state); err != nil {
				return nil, err
			}
		}
	}
	goal := a.study.Objective.Goal
	for len(list) < n && len(results) > 0 {
		best, ok := Best{}, false
		if models != nil {
			best, ok = a.bestAmong(models, state, results)
		}
		if !ok {
			results = slices.DeleteFunc(results, func(t study.Trial) bool { return !t.Counts() })
			if len(results) == 0 {
				break
			}
			best.Trial = results[0]
			for _, t := range results {
				if goal.Better(t.Value, best.Value) {
					best.Trial = t
				}
			}
		}
		list = append(list, best)
		key := a.space.Key(best.Setting)
		results = slices.DeleteFunc(results, func(t study.Trial) bool { return a.space.Key(t.Setting) == key })
	}
	return list, nil
}

// BestCache finds the best setting of a study, or the front of several objectives, and keeps it until the study has other results. Where
// evaluations have noise, finding it means fitting models. Many goroutines may use it at once.
type BestCache struct {
	advisor *Advisor
	finding chan struct{} // holds one token: two that find at once would find the same

	mu     sync.Mutex
	learnt int64 // the results that it was found by; see study.Record.Learnt
	found  bool  // it has been looked for
	best   Best
	ok     bool
	front  *Front // nil: it has not been looked for. Whoever holds the token of finding may use it
	fronts int64  // the results that the front was found by
}

// NewBestCache returns the cache of an advisor's study.
func NewBestCache(a *Advisor) *BestCache {
	return &BestCache{advisor: a, finding: make(chan struct{}, 1)}
}

// Of returns the best setting by a record; see Advisor.Best.
func (c *BestCache) Of(ctx context.Context, r *study.Record) (best Best, ok bool, err error) {
	if best, ok, known := c.kept(r); known {
		return best, ok, nil
	}
	if !c.advisor.hasNoise(r) { // there is nothing to fit
		best.Trial, ok = r.Best(c.advisor.study.Objective.Goal)
		c.keep(r, best, ok)
		return best, ok, nil
	}
	select {
	case c.finding <- struct{}{}:
		defer func() { <-c.finding }()
	case <-ctx.Done():
		return Best{}, false, ctx.Err()
	}
	if best, ok, known := c.kept(r); known { // found while this one waited
		return best, ok, nil
	}
	if best, ok, err = c.advisor.Best(ctx, r); err == nil {
		err = ctx.Err() // models that were cut short depend on the clock
	}
	if err != nil {
		return Best{}, false, err
	}
	c.keep(r, best, ok)
	return best, ok, nil
}

func (c *BestCache) keep(r *study.Record, best Best, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Learnt >= c.learnt {
		c.learnt, c.found, c.best, c.ok = r.Learnt, true, best, ok
	}
}

// Last returns the best setting that was found last, whatever has happened since.
func (c *BestCache) Last() (best Best, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.best, c.ok
}

func (c *BestCache) kept(r *study.Record) (best Best, ok, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.best, c.ok, c.found && c.learnt == r.Learnt
}

// Front returns the front of several objectives by a record; see Advisor.Front.
func (c *BestCache) Front(ctx context.Context, r *study.Record) (Front, error) {
	select {
	case c.finding <- struct{}{}:
		defer func() { <-c.finding }()
	case <-ctx.Done():
		return Front{}, ctx.Err()
	}
	if c.front != nil && c.fronts == r.Learnt {
		return *c.front, nil
	}
	f, err := c.advisor.Front(ctx, r)
	if err == nil {
		err = ctx.Err() // models that were cut short depend on the clock
	}
	if err == nil {
		c.front, c.fronts = &f, r.Learnt
	}
	return f, err
}
