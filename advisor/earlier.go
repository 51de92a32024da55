package advisor

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

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
