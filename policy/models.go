package policy

import (
	"context"
	"math"

	"github.com/eke-bo/eke/gp"
)

// Models are the two models that every policy uses, for inspection. They are immutable and safe for concurrent use.
type Models struct {
	fitted
	policy *policy
	state  *State
}

// Fit fits the models to a state, exactly as Suggest does with the same settings. Pending points are left out: a policy
// assumes an outcome there, but nobody has seen it. When the context ends during the fit, the models have the best
// hyperparameters found so far.
func Fit(ctx context.Context, s State, set Settings) (*Models, error) {
	set, err := set.complete()
	if err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	p := &policy{Settings: set}
	return &Models{p.fitModels(ctx, &s, p.newHistory(&s)), p, &s}, nil
}

// Predict returns what the models say about points.
func (m *Models) Predict(points [][]float64) []Prediction {
	list := make([]Prediction, len(points))
	value, valueSD := posterior(m.objective, points)
	widths := m.state.widths()
	b := m.belief(m.state.Remaining)
	ln, lnSD := posterior(b.LnCost, points)
	for i, x := range points {
		ln[i], lnSD[i] = b.Tie(ln[i], lnSD[i], value[i], valueSD[i])
		list[i] = m.policy.forecast(m.warp, b, x, value[i], valueSD[i], ln[i], lnSD[i], widths)
	}
	return list
}

// rowsAtOnce is how many points go through a model together: enough for a matrix product, and few
// enough for the cache.
const rowsAtOnce = 64

// posterior returns mean and standard deviation at points, in the units of the targets.
func posterior(m *gp.Model, points [][]float64) (mean, sd []float64) {
	mean, sd = make([]float64, 0, len(points)), make([]float64, 0, len(points))
	std := m.Standard()
	var flat []float64
	for len(points) > 0 {
		some := points[:min(rowsAtOnce, len(points))]
		points = points[len(some):]
		flat = flat[:0]
		for _, x := range some {
			flat = append(flat, x...)
		}
		b := m.NewBatch(len(some), nil)
		b.Forward(flat, false)
		for i := range some {
			mean = append(mean, std.From(b.Mean[i]))
			sd = append(sd, std.Scale*math.Sqrt(b.Var[i]))
		}
	}
	return mean, sd
}
