package advisor

import (
	"context"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// leastGain is the part of the spread of the values that the rest of the money has to be expected to gain, if the study does not
// say otherwise.
const leastGain = 1e-3

// lookAgain is the part by which the results have to grow before the rest of the study is simulated again: a simulation takes
// about as long as a suggestion.
const lookAgain = 30

// Enough returns an error if the study is to end although there is money for the trial that was chosen: the whole rest of the
// money is expected to gain less than the study asks for. Like the choice of a trial, it depends on the record alone. Next asks
// it by itself.
func (a *Advisor) Enough(ctx context.Context, r *study.Record, asked study.Asked) error {
	why, _ := WhyOf(asked.Why)
	if a.study.Stop.Never || why.Policy == "design" || why.Policy == "random" || why.Expected == nil {
		return nil
	}
	s, err := a.State(r)
	if err != nil || len(s.X) == 0 || len(s.X)%(1+len(s.X)/lookAgain) != 0 {
		return err
	}
	least := a.least(s)
	if a.hasJustBegun(r) || stillImproves(s.Y, least) {
		return nil
	}
	if !a.study.IsLook(asked.Setting) && policy.Improvement(a.sign()*why.Expected.Value, why.Expected.ValueSD, s.Y) >= least {
		return nil // this trial alone is expected to gain as much
	}
	rest, err := a.Rest(ctx, r, 0)
	if err != nil || rest == nil || rest.Gain >= least {
		return err
	}
	if len(r.Open()) > 0 {
		return fault.Wrap(ErrBudgetPending, fault.BudgetPending, "", "the rest of the budget is expected to gain too little, unless the trials under way change that")
	}
	return a.notWorth(*rest, least)
}

// hasJustBegun says whether a study that knows results from elsewhere has tried fewer settings of its own than the initial design would
// have. Nobody who brings results and money wants to hear, before the first trial, that the results will do; and the models have not
// been tested yet.
func (a *Advisor) hasJustBegun(r *study.Record) bool {
	own := 0
	for _, t := range r.Trials {
		if t.State.Ended() && t.State != study.Abandoned {
			own++
		}
	}
	return (len(r.Known) > 0 || r.Prior != nil) && own < 2*(a.space.Varying()+1)
}

// lately is the part of the results that are the latest, and surprise how many times the gain that is asked for they must not
// have made. A model that has just been surprised will be again, whatever it says. On the tuning problems of the suite this
// halves the number of studies that end too early, and delays hardly any that has converged.
const lately, surprise = 6, 10

// stillImproves says whether the latest results have improved the best value by much.
func stillImproves(values []float64, least float64) bool {
	before := values[:len(values)-len(values)/lately]
	return slices.Max(values)-slices.Max(before) > surprise*least
}

// least is what the rest of the money has to be expected to gain.
func (a *Advisor) least(s policy.State) float64 {
	if gain := a.study.Stop.Gain; gain > 0 {
		return gain
	}
	return leastGain * a.spread(s)
}

// goOn is how to go on where a study has ended with money left.
const goOn = "see the result: eke best; to go on, write stop: never in the study file, or give eke run --stop never"

// notWorth says why the study ends, and how to go on.
func (a *Advisor) notWorth(rest Rest, least float64) error {
	limit := "the gain that the study asks for"
	if a.study.Stop.Gain == 0 {
		limit = "a thousandth of the spread of the values"
	}
	return fault.Wrap(ErrNotWorth, fault.NotWorth,
		goOn+"; or ask for a smaller gain, such as stop: {gain: "+say.Digits(least/10, 1)+"}",
		"the rest is not worth its price: %s, a gain of %s on average, less than %s, %s",
		say.Rest(a.study, say.Outlook{Left: rest.Left, Best: rest.Best, Worse: rest.Worse, Median: rest.Median, Better: rest.Better}),
		say.Digits(rest.Gain, 2), limit, say.Digits(least, 2))
}
