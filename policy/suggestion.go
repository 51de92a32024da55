package policy

import (
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/lookahead"
)

// Suggestion is a point to evaluate and the reasons for it.
type Suggestion struct {
	X      []float64
	Policy string // the policy that chose; "design" for the initial design

	Predicted   Prediction // nothing is predicted before there is an observation
	Acquisition float64    // ln of what was maximised, never infinite; 0 where nothing was
	Next        []Prediction
	Plan        *Plan

	Searches    int  // local searches run, all kinds
	Evaluations int  // of what they maximised
	CutShort    bool // the context ended before the search did
}

// Prediction is what the models say of a point.
type Prediction struct {
	X                []float64
	Value, ValueSD   float64 // where values are transformed, the median, and half the width of what 68 % lie in
	Cost, CostSD     float64 // mean and standard deviation of the log-normal cost
	LnCost, LnCostSD float64 // of its logarithm: the median cost is exp(LnCost)
	Fits             float64 // chance that the cost is within the remaining budget
	Known            bool    // false: there was nothing to predict from
}

// Plan is what a multi-step policy remembers for its next call. It is plain
// data, so that a store can keep it with the trial and a resumed study goes on as if it
// had never stopped.
type Plan struct {
	Point     []float64           `json:"point"`
	Fantasies []int               `json:"fantasies,omitempty"`
	Nodes     []float64           `json:"nodes,omitempty"`    // the tree's points, root first
	Outcomes  []lookahead.Outcome `json:"outcomes,omitempty"` // what the root's children stand on
	Budget    float64             `json:"budget"`             // the fantasy budget when the plan was made
	Refill    float64             `json:"refill"`             // made anew when no more than this is left of it
	Remaining float64             `json:"remaining"`          // the money left then, less what was set aside for pending points
	Observed  int                 `json:"observed"`           // how many observations it was made from
	Hyper     [2]gp.Hyper         `json:"hyper"`              // of objective and log-cost, for the next fit
}

// predict asks the models about a point. They speak of values as the warp has them.
func predict(w gp.Warp, b acq.Belief, x []float64) Prediction {
	mean, sd := b.Objective.PosteriorSD(x)
	ln, lnSD := b.LnCost.PosteriorSD(x)
	return newPrediction(w, x, mean, sd, ln, lnSD, b.Remaining)
}

// newPrediction caps what would be infinite: a prediction can be written down as JSON.
func newPrediction(w gp.Warp, x []float64, mean, sd, ln, lnSD, remaining float64) Prediction {
	p := Prediction{
		X: append([]float64(nil), x...), Value: capped(w.From(mean)), ValueSD: capped(spread(w, mean, sd)), LnCost: ln, LnCostSD: lnSD, Known: true,
		Cost:   capped(math.Exp(ln + lnSD*lnSD/2)),
		CostSD: capped(math.Exp(ln+lnSD*lnSD/2) * math.Sqrt(math.Expm1(lnSD*lnSD))),
	}
	if remaining > 0 {
		p.Fits = normal.CDF((math.Log(remaining) - ln) / math.Max(lnSD, 1e-12))
	}
	return p
}

// spread is a standard deviation on the way back from a warp.
func spread(w gp.Warp, mean, sd float64) float64 {
	if w == (gp.Warp{}) {
		return sd
	}
	return (capped(w.From(mean+sd)) - capped(w.From(mean-sd))) / 2
}

func capped(v float64) float64 { return math.Min(math.Max(v, -math.MaxFloat64), math.MaxFloat64) }
