package model

import (
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
)

// Suggestion is a point to evaluate and the reasons for it.
type Suggestion struct {
	// X is the point, in the unit cube.
	X []float64

	// Level is the level of fidelity, of a state that has several: 1 is the top.
	Level float64

	// Look says why a look was chosen. It is nil for an evaluation at the top, and in the initial design.
	Look *LookReason

	// Policy names the policy that chose it. It is "design" for a point of the initial design, "earlier" for the best point of an
	// earlier study, and "promise" for what promises most of what somebody wants.
	Policy string

	// Cheapest says that a point of the initial design is the cheapest of some points that are far from all tried points. Looked says that, of all points that
	// were looked at, it promises the most for its price. Other points of the design are spread over the space.
	Cheapest, Looked bool

	// Predicted is what the models say about the point. Before there is an observation it is at most a price, the price of the best point
	// of an earlier study; see Priced.
	Predicted Prediction

	// Acquisition is the logarithm of what the policy maximised. It is never infinite, and 0 where nothing was maximised. For
	// the Gittins policies it is, until the end game, the index minus the best value, in standard deviations of the values, and a
	// logarithm only below −1; see acq.Gittins.
	Acquisition float64

	// Next lists what a multi-step policy would evaluate afterwards if every evaluation had its likeliest outcome.
	Next []Prediction

	// Plan is what the policy's next suggestion continues from. It is nil for a point of the initial design, for the best point of an
	// earlier study, for a random point, and for what promises most of what somebody wants.
	Plan *Plan

	// LastTries is the number of tries that the money still buys, if that is so few that their price counts less. 0 means that it is
	// more.
	LastTries float64

	// Between are the places in X of the evaluations on the front of several objectives that the point is expected to lie between, or next to.
	Between []int

	// Searches is the number of local searches of all kinds, and Evaluations how often they evaluated what they maximised.
	Searches, Evaluations int

	// Earlier says how an earlier study was used. It is nil if there is none.
	Earlier *EarlierUse

	// CutShort says that the context ended before the search did.
	CutShort bool
}

// Prediction is what the models say about a point.
type Prediction struct {
	// X is the point.
	X []float64

	// Value and ValueSD are mean and standard deviation of the value. Where values are modelled after a transformation, or have
	// bounds, they are the median and half the width of the central 68 %.
	Value, ValueSD float64

	// ValueLow and ValueHigh are the ends of the central 80 % of the value. After a transformation they are not equally far from Value.
	ValueLow, ValueHigh float64

	// Cost and CostSD are mean and standard deviation of the log-normal cost.
	Cost, CostSD float64

	// LnCost and LnCostSD are mean and standard deviation of its logarithm. The median cost is exp(LnCost).
	LnCost, LnCostSD float64

	// Fits is the chance that the cost is within the remaining budget.
	Fits float64

	// Beats is the chance that the value is above the best observed value; where values have noise, that the mean is above the mean of the best point. It is 0 where
	// that is not asked: before anything meets the limits, for the best point itself, for looks, and for what a plan foresees.
	Beats float64

	// Gain is what the value is expected to gain over the best that is reported, where values have noise. It is 0 without noise, and where Beats is not asked.
	Gain float64

	// Early says that fewer than leastScaled values are known, so that their scale is unknown.
	Early bool

	// Works is the chance of a value, and MayFail says that evaluations have failed. Without failures nobody knows.
	Works   float64
	MayFail bool

	// FailureCost is what a failure is expected to cost.
	FailureCost float64

	// Within is the chance to meet all limits at the top. Limited says that there are any, and that all of their quantities have models.
	Within  float64
	Limited bool

	// Aims are what the models say about the further objectives, in their order. Beats is then the chance to extend the front.
	Aims []Range

	// Priced says that LnCost and LnCostSD are by what an earlier study paid, before anything is known here.
	Priced bool

	// Known is false when there was nothing to predict from.
	Known bool
}

// Range is a forecast of a number: its mean and standard deviation, and the ends of its central 80 %.
type Range struct{ Mean, SD, Low, High float64 }

// Plan is what a policy remembers for its next call. It is plain data: a store can keep it with the
// trial, and a resumed study continues as if it had never stopped. Plans of one-step policies have no
// tree and no fantasy budget.
type Plan struct {
	// Point is the point that was suggested.
	Point []float64 `json:"point"`

	// Fantasies are the fantasy counts of the tree.
	Fantasies []int `json:"fantasies,omitempty"`

	// Nodes are the tree's points, root first.
	Nodes []float64 `json:"nodes,omitempty"`

	// Outcomes are the outcomes of the root that its children assume.
	Outcomes []acq.Outcome `json:"outcomes,omitempty"`

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

	// Hyper are the hyperparameters by quantity, from which the next fit starts. The quantities are in their usual order: the objective, the log-cost, and then the others.
	Hyper []gp.Hyper `json:"hyper"`

	// Quantities are the names of the further quantities.
	Quantities []string `json:"quantities,omitempty"`

	// Searched is the number of observations when the hyperparameters were searched. 0 means that they are only a start for a
	// new search.
	Searched int `json:"searched,omitempty"`

	// SearchedLooks is the number of looks then.
	SearchedLooks int `json:"searched_looks,omitempty"`

	// Proportional says that costs are modelled as proportional to the fidelity.
	Proportional bool `json:"proportional,omitempty"`

	// GivenUp is the number of levels of fidelity, from the lowest, that the values are modelled without.
	GivenUp int `json:"given_up,omitempty"`

	// Standard standardises the targets of the models, by quantity.
	Standard []gp.Standard `json:"standard,omitempty"`

	// Warp transforms the values before they are standardised.
	Warp gp.Warp `json:"warp,omitzero"`

	// Earlier says how the models follow the models of an earlier study, by quantity. It is empty if none does.
	Earlier []EarlierTrend `json:"follows,omitempty"`

	// Gain is how much likelier an earlier study makes the values, as a logarithm.
	Gain float64 `json:"gain,omitempty"`

	// Laws are the laws that quantities follow, by quantity; nil: none.
	Laws []*gp.Law `json:"laws,omitempty"`

	// Track says how good the forecasts were.
	Track Track `json:"track,omitzero"`
}

// LookReason says why a look was chosen.
type LookReason struct {
	// Gain is the worth of the looks and the evaluation that they help to choose, divided by the worth of evaluating at the top
	// at once.
	Gain float64

	// Looks is the number of looks that this counts on, this one included.
	Looks int

	// Correlation says how well the level predicts the top, from 0 to 1. Others say it of the further objectives.
	Correlation float64
	Others      []float64
}

// EarlierUse says how an earlier study is used.
type EarlierUse struct {
	// Untried says that there are too few results yet to judge it by.
	Untried bool

	// Values and Costs say whether the models of the two follow it.
	Values, Costs bool

	// Joined says that its results count as if they were this study's.
	Joined bool

	// Unclear says that what was seen tells neither for it nor against it.
	Unclear bool

	// Results is the number of results and looks that it is judged by.
	Results int

	// Explained is the fraction of the variance of the values seen that the earlier study explains. It is NaN if nearly all of them are looks.
	Explained float64
}

// EarlierTrend says how a model follows one of an earlier study; see gp.Trend.
type EarlierTrend struct {
	// Slope is the multiple of the other model's mean. 0 means that it is not followed.
	Slope float64 `json:"slope,omitempty"`

	// Shift is by how much the other model is moved.
	Shift []float64 `json:"shift,omitempty"`

	// Joined says that the model holds the results of the earlier study instead.
	Joined bool `json:"joined,omitempty"`
}

// NewPlan returns the plan that every policy remembers for a suggestion of x.
func (d *Beliefs) NewPlan(x []float64) *Plan {
	plan := d.Learnt()
	plan.Point, plan.Remaining, plan.Observed = slices.Clone(x), d.Belief.Remaining, len(d.X)
	if !d.Paper {
		plan.Track = d.newTrack(x)
	}
	return plan
}

// Learnt returns a plan with the models' hyperparameters and nothing else, for fits to the same data and a few more.
func (m *Models) Learnt() *Plan {
	plan := &Plan{Quantities: m.quantityNames()}
	if !m.Paper {
		plan.Searched, plan.SearchedLooks, plan.GivenUp, plan.Warp = m.Searched, m.SearchedLooks, m.GivenUp, m.Warp
		plan.Gain, plan.Proportional = m.Gain, m.LogCost().Hyper().Fading != nil && m.Share != nil
	}
	for o, of := range m.of {
		if plan.Hyper = append(plan.Hyper, of.Hyper()); !m.Paper {
			plan.Standard, plan.Laws = append(plan.Standard, of.Standard()), append(plan.Laws, of.Trend().Law)
			plan.Earlier = append(plan.Earlier, EarlierTrend{of.Trend().Slope, of.Trend().Shift, m.joins(o)})
		}
	}
	if !slices.ContainsFunc(plan.Earlier, EarlierTrend.isUsed) {
		plan.Earlier = nil
	}
	if !slices.ContainsFunc(plan.Laws, func(l *gp.Law) bool { return l != nil }) {
		plan.Laws = nil
	}
	return plan
}

// isUsed says whether there is something to follow.
func (f EarlierTrend) isUsed() bool { return f.Slope != 0 || f.Joined }

// knows says whether the plan is of the same further quantities.
func (p *Plan) knows(s *State) bool {
	return slices.Equal(p.Quantities, s.quantityNames())
}

// quantityNames are the names of the further quantities that have any.
func (s *State) quantityNames() (list []string) {
	for _, q := range s.reported() {
		if q.Name != "" {
			list = append(list, q.Name)
		}
	}
	return list
}

// fits says whether the plan has usable hyperparameters for that dimension and this many quantities. A plan comes from a file.
func (p *Plan) fits(dim, quantities int) bool {
	if len(p.Hyper) < quantities || len(p.Standard) < quantities {
		return false
	}
	usable := func(s gp.Standard) bool { return allFinite(s.Shift, s.Scale) && s.Scale > 0 }
	for o := range quantities {
		if p.Hyper[o].Check(dim) != nil || !usable(p.Standard[o]) {
			return false
		}
	}
	for _, f := range p.Earlier {
		if !Finite(f.Slope) || len(f.Shift) != 0 && len(f.Shift) != dim || !allFinite(f.Shift...) {
			return false
		}
	}
	w := p.Warp
	return !slices.ContainsFunc(p.Laws, func(l *gp.Law) bool { return l != nil && !l.IsUsable(dim) }) &&
		(!w.On || allFinite(w.Power, w.Low, w.High) && w.Low <= w.High && usable(w.Standard))
}

// isLeveled says whether the plan's models had levels. That of the values may be of the top alone.
func (p *Plan) isLeveled() bool { return len(p.Hyper) > logCost && p.Hyper[logCost].Fading != nil }
