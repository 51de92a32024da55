package advisor

import (
	"encoding/json"
	"fmt"
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
	Policy      string    `json:"policy"`                   // Policy is who chose the trial; it is "design" for the first, spread-out trials.
	Picked      string    `json:"picked"`                   // Picked says why this policy was to choose.
	Expected    *Expected `json:"expected,omitempty"`       // Expected is what the models expected of the trial; nil before there are models.
	Acquisition float64   `json:"ln_acquisition,omitempty"` // Acquisition is the logarithm of what the policy maximised; 0 where it maximises nothing.
	Next        []Step    `json:"next,omitempty"`           // Next lists what the plan foresees after this trial, if all goes as expected.
	Earlier     string    `json:"earlier,omitempty"`        // Earlier says how well an earlier study predicts this one; empty if there is none.
	Follows     bool      `json:"follows,omitempty"`        // Follows says that the models of the values follow the earlier study.
	CutShort    bool      `json:"cut_short,omitempty"`      // CutShort says that the context ended before the search did.
}

// WhyOf reads the reasons that a trial was chosen for. There may be none, or some of another kind if somebody else asked for it.
func WhyOf(raw json.RawMessage) (why Why, ok bool) {
	if len(raw) == 0 || json.Unmarshal(raw, &why) != nil {
		return Why{}, false
	}
	return why, true
}

// Expected is what the models expect of a trial: values with the study's own sign, costs in its unit. The cost has a
// log-normal distribution.
type Expected struct {
	Value      float64 `json:"value"`       // Value is the mean of the value, or the median if values are transformed before they are modelled.
	ValueSD    float64 `json:"value_sd"`    // ValueSD is the standard deviation of the value, or half the width of the central 68 %.
	Cost       float64 `json:"cost"`        // Cost is the mean of the cost.
	CostSD     float64 `json:"cost_sd"`     // CostSD is the standard deviation of the cost.
	CostLow    float64 `json:"cost_low"`    // CostLow is what one trial in ten stays below.
	CostMedian float64 `json:"cost_median"` // CostMedian is what half of the trials stay below.
	CostHigh   float64 `json:"cost_high"`   // CostHigh is what nine trials in ten stay below.
	Fits       float64 `json:"fits"`        // Fits is the chance that the cost is within what is left of the budget.

	// ValueLow is what one value in ten stays below.
	ValueLow float64 `json:"value_low" required:"false" doc:"What one value in ten stays below."`

	// ValueHigh is what nine values in ten stay below.
	ValueHigh float64 `json:"value_high" required:"false" doc:"What nine values in ten stay below."`

	// Beats is the chance that the value beats the best one so far. It is 0 where it is not known: where values have noise, for looks, and
	// in older logs.
	Beats float64 `json:"beats,omitempty"`
}

// Expected puts a prediction of the models into the study's own words.
func (a *Advisor) Expected(p policy.Prediction) Expected {
	quantile := func(z float64) float64 { return math.Min(math.Exp(p.LnCost+z*p.LnCostSD), math.MaxFloat64) }
	low, high := a.sign()*p.ValueLow, a.sign()*p.ValueHigh
	return Expected{
		Value: a.sign() * p.Value, ValueSD: p.ValueSD, ValueLow: min(low, high), ValueHigh: max(low, high), Cost: p.Cost, CostSD: p.CostSD,
		CostLow: quantile(-cautious), CostMedian: quantile(0), CostHigh: quantile(cautious), Fits: p.Fits, Beats: p.Beats,
	}
}

// UnmarshalJSON reads what is kept with a trial. Older logs have no ends of the value's band, which are then as far from the value as those
// of a normal, and mean and median of the cost but no further quantiles; these follow, since the mean of a log-normal is exp(σ²/2) times
// its median.
func (e *Expected) UnmarshalJSON(raw []byte) error {
	type plain Expected
	read := plain{ValueLow: math.NaN(), ValueHigh: math.NaN()}
	err := json.Unmarshal(raw, &read)
	if math.IsNaN(read.ValueLow) || math.IsNaN(read.ValueHigh) {
		read.ValueLow = math.Max(read.Value-cautious*read.ValueSD, -math.MaxFloat64)
		read.ValueHigh = math.Min(read.Value+cautious*read.ValueSD, math.MaxFloat64)
	}
	if *e = Expected(read); err != nil || e.CostHigh > 0 {
		return err
	}
	e.CostLow, e.CostHigh = e.CostMedian, e.CostMedian
	if e.CostMedian > 0 && e.Cost > e.CostMedian {
		width := math.Exp(cautious * math.Sqrt(2*math.Log(e.Cost/e.CostMedian)))
		e.CostLow, e.CostHigh = e.CostMedian/width, math.Min(e.CostMedian*width, math.MaxFloat64)
	}
	return nil
}

// Step is a trial that a plan foresees.
type Step struct {
	Setting  space.Setting `json:"setting"`  // Setting is what would be tried.
	Expected Expected      `json:"expected"` // Expected is what the models expect of it.
}

func (a *Advisor) reasons(s policy.Suggestion, pick Pick) Why {
	picked := pick.Why
	if s.LastTries > 0 {
		picked += fmt.Sprintf("; with money for about %.0f more, prices count less", math.Max(s.LastTries, 1))
	}
	if s.Learns {
		picked += "; the last of the money goes to what settles which of the tried settings is the best"
	}
	if s.Plan != nil && s.Plan.Tie.Slope != 0 {
		picked += fmt.Sprintf("; better settings cost %s here, and the forecast of the cost counts on it", map[bool]string{true: "more", false: "less"}[s.Plan.Tie.Slope > 0])
	}
	if s.Look != nil {
		first, help := "a look first", "it helps"
		if s.Look.Looks > 1 {
			first, help = fmt.Sprintf("%d looks first", s.Look.Looks), "they help"
		}
		picked += fmt.Sprintf("; %s, and then the evaluation that %s to choose, are worth %.2g times as much as one at the highest %s at once (values at this one predict those with a correlation of %.2f)",
			first, help, s.Look.Gain, a.study.Fidelity.Name, s.Look.Correlation)
	}
	w := Why{Policy: s.Policy, Picked: picked, Acquisition: s.Acquisition, CutShort: s.CutShort, Earlier: earlierWords(s.Earlier), Follows: s.Earlier != nil && s.Earlier.Values}
	if s.Predicted.Known {
		e := a.Expected(s.Predicted)
		w.Expected = &e
	}
	for _, p := range s.Next {
		w.Next = append(w.Next, Step{a.space.Decode(a.join(p.X, 1)), a.Expected(p)})
	}
	return w
}

// earlier keeps the numbers of the study that this one started from, and with them its models, which are fitted once.
type earlier struct {
	mu   sync.Mutex
	of   *study.Prior
	kept *policy.Prior
}

// prior returns what an earlier study found as a policy sees it; nil if there is none. Results that do not fit the study's parameters
// are left out.
func (a *Advisor) prior(r *study.Record) *policy.Prior {
	if r.Prior == nil || a.ladder != nil { // an earlier study knows of one fidelity
		return nil
	}
	a.earlier.mu.Lock()
	defer a.earlier.mu.Unlock()
	if a.earlier.of == r.Prior {
		return a.earlier.kept
	}
	p := &policy.Prior{Noisy: r.Prior.Noisy}
	for _, result := range r.Prior.Results {
		if x, ok := a.space.Adopt(result.Setting); ok {
			p.X, p.Y, p.LnCost = append(p.X, x), append(p.Y, a.sign()*result.Value), append(p.LnCost, lnCost(result.Cost))
		}
	}
	a.earlier.of, a.earlier.kept = r.Prior, p
	return p
}

// Start says what a study started from, and how well that predicts it.
type Start struct {
	From    string `json:"name"`    // From names the earlier study, or the file with its results.
	Results int    `json:"results"` // Results is how many were taken over.
	Says    string `json:"says"`    // Says is how well it predicts this study, as of the last trial that was chosen.
}

// StartOf returns what the study of a record started from; nil if it started from nothing.
func StartOf(r *study.Record) *Start {
	if r.Prior == nil {
		return nil
	}
	s := &Start{From: r.Prior.From, Results: len(r.Prior.Results), Says: earlierWords(&policy.Earlier{Untried: true})}
	for _, t := range slices.Backward(r.Trials) {
		if why, ok := WhyOf(t.Why); ok && why.Earlier != "" {
			s.Says = why.Earlier
			break
		}
	}
	return s
}

// Words says it in one sentence.
func (s *Start) Words() string {
	return fmt.Sprintf("%s, with %s: %s", s.From, say.Count(s.Results, "result"), s.Says)
}

// earlierWords says how well an earlier study predicts this one.
func earlierWords(e *policy.Earlier) string {
	switch {
	case e == nil:
		return ""
	case e.Untried:
		return "it is too early to tell how well the earlier study predicts this one"
	case e.Values:
		return fmt.Sprintf("the earlier study explains %.0f%% of the variance of the values so far", math.Floor(100*e.Explained))
	case e.Costs:
		return "the earlier study predicts the costs; its values are ignored, as they do not predict this one"
	}
	return "the earlier study is ignored: it does not predict this one"
}
