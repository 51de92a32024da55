package policy

import (
	"context"
	"math"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
)

// Values and costs often go together: larger networks are better and dearer. Where results say so, the two models are one joint model,
// MATH.md (40): the logarithm of a cost is a multiple of the standardised value plus a rest with a model of its own. What is known about the value then
// tells about the cost. One-step policies and forecasts use it; plans of several steps take the two for independent, as the paper does.

// tie is that joint model. The zero value is no tie.
type tie struct {
	slope float64
	rest  *gp.Model // of the logarithms of costs without slope·value
}

// Tied is a tie as a plan keeps it.
type Tied struct {
	// Slope is the multiple of the standardised value.
	Slope float64 `json:"slope,omitempty"`

	// Hyper are the hyperparameters of the model of the rest.
	Hyper gp.Hyper `json:"hyper,omitzero"`

	// Standard standardises its targets.
	Standard gp.Standard `json:"standard,omitzero"`
}

// leastTied is the least number of results that a tie is judged by, and tieProof how much likelier it must make the costs, as a logarithm.
const leastTied, tieProof = 5, 2

// newTie returns the tie if it makes the costs clearly likelier than a model of their own does.
func (p *policy) newTie(ctx context.Context, s *State, h history, f fitted, plain *gp.Model) tie {
	if !p.mayTie(s, h) || f.lnCost.Trend().Slope != 0 || ctx.Err() != nil {
		return tie{}
	}
	places := h.priced.compared
	set := p.fitSettings(ctx, s, 1)
	set.Kernel = plain.Hyper().Kernel
	if s.Previous != nil && s.Previous.Tie.Slope != 0 {
		set.Warm = &s.Previous.Tie.Hyper
	}
	rest, slope, density := gp.FitTied(maximise.Pick(s.X, places), maximise.Pick(s.LnCost, places), standardised(f.objective, f.values, places), s.Dim, set)
	if density <= plain.LogDensity()+tieProof || !finite(slope) || slope == 0 {
		return tie{}
	}
	return tieOf(s, h, f, Tied{slope, rest.Hyper(), rest.Standard()})
}

// mayTie says whether costs can be tied to values: every result has both, they are without noise, and not so many that searches use parts of them.
func (p *policy) mayTie(s *State, h history) bool {
	return p.Preset.Tied && !p.plans && !p.noisy() && s.Levels == nil && len(s.Failed) == 0 && len(h.priced.modelled) == len(s.X) && len(s.X) >= leastTied && len(s.X) <= exactData
}

// tieOf returns a tie with all data.
func tieOf(s *State, h history, f fitted, t Tied) tie {
	places := h.priced.modelled
	rest := standardised(f.objective, f.values, places)
	for i, place := range places {
		rest[i] = s.LnCost[place] - t.Slope*rest[i]
	}
	return tie{t.Slope, gp.New(maximise.Pick(s.X, places), rest, t.Standard, t.Hyper)}
}

// standardised returns some of the values in the units of their model.
func standardised(m *gp.Model, values []float64, places []int) []float64 {
	list, s := make([]float64, len(places)), m.Standard()
	for i, place := range places {
		list[i] = s.To(values[place])
	}
	return list
}

// tied returns what a plan keeps of it.
func (t tie) tied() Tied {
	if t.rest == nil {
		return Tied{}
	}
	return Tied{t.slope, t.rest.Hyper(), t.rest.Standard()}
}

// fits says whether it is usable for the dimension. A plan comes from a file.
func (t Tied) fits(dim int) bool {
	return t.Slope == 0 || finite(t.Slope) && t.Hyper.Check(dim) == nil && finite(t.Standard.Shift) && t.Standard.Scale > 0 && finite(t.Standard.Scale)
}

// belief returns what the models say before anything is pending.
func (f fitted) belief(remaining float64) acq.Belief {
	b := acq.Belief{Objective: f.objective, LnCost: f.lnCost, Remaining: remaining}
	if f.tie.rest != nil {
		b.LnCost, b.Slope = f.tie.rest, f.tie.slope
	}
	return b
}

// expectedCostAt is expectedCost for a belief.
func expectedCostAt(b acq.Belief, x []float64) float64 { return costOf(b.LnCostAt(x)) }

// costOf is the expected cost, given mean and standard deviation of its logarithm.
func costOf(mean, sd float64) float64 { return math.Exp(mean + math.Min(sd*sd, 1)/2) }
