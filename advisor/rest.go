package advisor

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// Rest is what the rest of the money is expected to buy, in the study's own words.
type Rest struct {
	// Best is the best value so far.
	Best float64 `json:"best"`

	// Left is the money that is not spent yet, with what would be added to it.
	Left float64 `json:"left"`

	// Outlook is what all of that money is expected to buy.
	Outlook

	// Fan has the same for a rising series of amounts, of which all the money is the last.
	Fan []Outlook `json:"fan"`
}

// Outlook is what an amount of money is expected to buy. With eight chances in ten the best value will be between Worse and Better.
type Outlook struct {
	// Money is the amount, from now on.
	Money float64 `json:"money"`

	// Worse is what the best value will be worse than with one chance in ten, once the money is spent.
	Worse float64 `json:"worse"`

	// Median is what it will be better than with one chance in two.
	Median float64 `json:"median"`

	// Better is what it will be better than with one chance in ten.
	Better float64 `json:"better"`

	// Gain is the expected improvement. The rule that ends a study goes by it.
	Gain float64 `json:"gain"`

	// Same is the chance that the best value stays the same.
	Same float64 `json:"-"`
}

// leastSeen is the number of results that a forecast needs. With fewer, nothing is known of how values differ.
const leastSeen = 3

// fanAmounts is how many amounts a fan has.
const fanAmounts = 20

// Rest forecasts what the rest of the money would buy, if that amount were added to it. It is nil if there is no money, or nothing
// to forecast from.
func (a *Advisor) Rest(ctx context.Context, r *study.Record, added float64) (*Rest, error) {
	s, err := a.State(r)
	if err != nil || len(s.X) < leastSeen {
		return nil, err
	}
	s.Initial, s.Remaining = s.Initial+added, s.Remaining+added
	if s.Remaining <= crumbs*s.Initial || a.trialsLeft(r) != nil && len(r.Open()) == 0 {
		return nil, nil
	}
	models, err := a.Fit(ctx, r, s)
	if err != nil {
		return nil, err
	}
	return a.restOf(ctx, r, s, models)
}

func (a *Advisor) restOf(ctx context.Context, r *study.Record, s policy.State, models *policy.Models) (*Rest, error) {
	amounts := make([]float64, fanAmounts)
	for i := range amounts {
		amounts[i] = s.Remaining * float64(i+1) / fanAmounts
	}
	rest, err := models.Rest(ctx, amounts, a.trialsToCome(r))
	if err != nil {
		return nil, err
	}
	out := &Rest{Best: a.sign() * rest.Best, Left: s.Remaining}
	for _, o := range rest.After {
		out.Fan = append(out.Fan, Outlook{o.Money, a.sign() * o.Low, a.sign() * o.Median, a.sign() * o.High, o.Gain, o.Same})
	}
	out.Outlook = out.Fan[fanAmounts-1]
	return out, nil
}

// trialsToCome is how many trials may still be started, or 0 if there is no limit. It is never called when none may.
func (a *Advisor) trialsToCome(r *study.Record) int {
	if a.study.Budget.Trials == 0 {
		return 0
	}
	return max(a.study.Budget.Trials-len(r.Trials)+len(a.lost(r))+len(r.Open()), 1)
}

// spread is how far the values seen lie apart: from the best to the worst, but at most ten times as far as from the best to the
// median of the first ones, which were spread over all settings. A few runs that went astray must not make all others look alike.
func (a *Advisor) spread(s policy.State) float64 {
	if len(s.Y) == 0 {
		return 0
	}
	best, worst := math.Inf(-1), math.Inf(1)
	for _, y := range s.Y {
		best, worst = math.Max(best, y), math.Min(worst, y)
	}
	first := median(s.Y[:min(len(s.Y), a.designSize())])
	return 2 * math.Min(best/2-worst/2, 10*(best/2-first/2)) // halved, so that nothing overflows
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
