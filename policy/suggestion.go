package policy

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/lookahead"
)

// Suggestion is a point to evaluate and the reasons for it.
type Suggestion struct {
	// X is the point, in the unit cube.
	X []float64

	// Level is the level of fidelity, of a state that has several: 1 is the top.
	Level float64

	// Look says why a look was chosen. It is nil for an evaluation at the top, and in the initial design.
	Look *LookReason

	// Policy names the policy that chose it. It is "design" for a point of the initial design, and "earlier" for the best point of an
	// earlier study.
	Policy string

	// Predicted is what the models say about the point. Nothing is predicted before there is an
	// observation.
	Predicted Prediction

	// Acquisition is the logarithm of what the policy maximised. It is never infinite, and 0 where nothing was maximised. For
	// the Gittins policies it is the index minus the best value, in standard deviations of the values, and a logarithm only
	// below −1; see acq.Gittins.
	Acquisition float64

	// Next lists what a multi-step policy would evaluate afterwards if every evaluation had its likeliest outcome.
	Next []Prediction

	// Plan is what the policy's next suggestion continues from. It is nil for a point of the initial design and for
	// "random".
	Plan *Plan

	// LastTries is the number of tries that the money still buys, if that is so few that their price counts less. 0 means that it is
	// more.
	LastTries float64

	// Learns says that the point was chosen for what it teaches about the best of the tried points.
	Learns bool

	// Searches is the number of local searches of all kinds, and Evaluations how often they evaluated what they maximised.
	Searches, Evaluations int

	// Earlier says how an earlier study was used. It is nil if there is none.
	Earlier *Earlier

	// CutShort says that the context ended before the search did.
	CutShort bool
}

// Prediction is what the models say about a point.
type Prediction struct {
	// X is the point.
	X []float64

	// Value and ValueSD are mean and standard deviation of the value. Where values are modelled after a transformation, they
	// are the median and half the width of the central 68 %.
	Value, ValueSD float64

	// ValueLow and ValueHigh are the ends of the central 80 % of the value. After a transformation they are not equally far from Value.
	ValueLow, ValueHigh float64

	// Cost and CostSD are mean and standard deviation of the log-normal cost.
	Cost, CostSD float64

	// LnCost and LnCostSD are those of its logarithm. The median cost is exp(LnCost).
	LnCost, LnCostSD float64

	// Fits is the chance that the cost is within the remaining budget.
	Fits float64

	// Beats is the chance that the value is above the best observed one. It is 0 where that is not asked: where values have noise, for
	// looks, and for what a plan foresees.
	Beats float64

	// Known is false when there was nothing to predict from.
	Known bool
}

// Plan is what a policy remembers for its next call. It is plain data: a store can keep it with the
// trial, and a resumed study continues as if it had never stopped. One-step policies remember only
// their hyperparameters.
type Plan struct {
	// Point is the point that was suggested.
	Point []float64 `json:"point"`

	// Fantasies are the fantasy counts of the tree.
	Fantasies []int `json:"fantasies,omitempty"`

	// Nodes are the tree's points, root first.
	Nodes []float64 `json:"nodes,omitempty"`

	// Outcomes are the outcomes of the root that its children assume.
	Outcomes []lookahead.Outcome `json:"outcomes,omitempty"`

	// Budget is the fantasy budget when the plan was made. 0 means that it is unreliable.
	Budget float64 `json:"budget"`

	// Refill is the level at which a new fantasy budget is made.
	Refill float64 `json:"refill"`

	// Remaining is the money that was left then, minus what was set aside for pending points.
	Remaining float64 `json:"remaining"`

	// Observed is the number of observations that the plan was made from.
	Observed int `json:"observed"`

	// Lambda is the price that a Gittins policy set on a unit of money, in standard deviations of the values.
	Lambda float64 `json:"lambda,omitempty"`

	// Index is the Gittins index of the point, in the values' own units.
	Index float64 `json:"index,omitempty"`

	// Hyper are the hyperparameters of objective and log-cost, from which the next fit starts.
	Hyper [2]gp.Hyper `json:"hyper"`

	// Searched is the number of observations when the hyperparameters were searched. 0 means that they are only a start for a
	// new search.
	Searched int `json:"searched,omitempty"`

	// SearchedLooks is the number of looks then.
	SearchedLooks int `json:"searched_looks,omitempty"`

	// GivenUp is the number of levels of fidelity, from the lowest, that the values are modelled without.
	GivenUp int `json:"given_up,omitempty"`

	// Standard standardises the targets of the two models.
	Standard [2]gp.Standard `json:"standard,omitzero"`

	// Warp transforms the values before they are standardised.
	Warp gp.Warp `json:"warp,omitzero"`

	// Follows says how the two models follow those of an earlier study.
	Follows [2]Followed `json:"follows,omitzero"`

	// Tie says how costs are tied to values.
	Tie Tied `json:"tie,omitzero"`

	// Track says how good the forecasts were.
	Track Track `json:"track,omitzero"`
}

// newPlan returns the plan that every policy remembers for a suggestion of x.
func (p *policy) newPlan(d *decision, x []float64) *Plan {
	plan := &Plan{
		Point: slices.Clone(x), Remaining: d.belief.Remaining, Observed: len(d.X),
		Hyper: [2]gp.Hyper{d.objective.Hyper(), d.lnCost.Hyper()},
	}
	if p.Preset.Remembers {
		plan.Searched, plan.SearchedLooks, plan.GivenUp, plan.Warp = d.searched, d.searchedLooks, d.givenUp, d.warp
		plan.Standard = [2]gp.Standard{d.objective.Standard(), d.lnCost.Standard()}
		plan.Follows = [2]Followed{followed(d.objective), followed(d.lnCost)}
		plan.Tie, plan.Track = d.tie.tied(), d.newTrack(x)
	}
	return plan
}

// tenth is how many standard deviations a normal stays below nine times in ten.
var tenth = normal.Quantile(0.9)

// newPrediction caps what would be infinite, so that a prediction can be written as JSON.
func newPrediction(w gp.Warp, x []float64, mean, sd, ln, lnSD, remaining float64) Prediction {
	p := Prediction{
		X: append([]float64(nil), x...), Value: capped(w.From(mean)), ValueSD: capped(spread(w, mean, sd)), LnCost: ln, LnCostSD: lnSD, Known: true,
		ValueLow: capped(w.From(mean - tenth*sd)), ValueHigh: capped(w.From(mean + tenth*sd)),
		Cost:   capped(math.Exp(ln + lnSD*lnSD/2)),
		CostSD: capped(math.Exp(ln+lnSD*lnSD/2) * math.Sqrt(math.Expm1(lnSD*lnSD))),
	}
	if remaining > 0 {
		p.Fits = normal.CDF((math.Log(remaining) - ln) / math.Max(lnSD, 1e-12))
	}
	return p
}

// spread is a standard deviation after the warp is undone.
func spread(w gp.Warp, mean, sd float64) float64 {
	if w == (gp.Warp{}) {
		return sd
	}
	return (capped(w.From(mean+sd)) - capped(w.From(mean-sd))) / 2
}

func capped(v float64) float64 { return math.Min(math.Max(v, -math.MaxFloat64), math.MaxFloat64) }
