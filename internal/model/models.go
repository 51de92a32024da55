package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/sobol"
)

// Models are the models of a state, for choosing and for inspection.
type Models struct {
	*Fitter
	*State
	history
	Fitted

	steady []bool // of each limited quantity, that it has no noise; nil where nothing has
}

// Fit fits the models to a state. Pending points are left out.
func (f *Fitter) Fit(ctx context.Context, s *State) *Models {
	m := &Models{Fitter: f, State: s, history: f.newHistory(s)}
	m.Fitted = f.fit(ctx, s, &m.history)
	for k := range s.Further {
		if f.IsNoisy() {
			m.steady = append(m.steady, m.isSteady(k))
		}
	}
	return m
}

// Predict returns what the models say about points.
func (m *Models) Predict(points [][]float64) []Prediction {
	list := make([]Prediction, len(points))
	value, valueSD := Posterior(m.Objective(), points)
	widths, doubt, b := m.widths(), m.costDoubt(), m.belief(m.of)
	ln, lnSD := Posterior(b.LnCost, points)
	works := b.Works()
	for i, x := range points {
		list[i] = m.forecast(b, x, value[i], valueSD[i], ln[i], lnSD[i], widths, doubt)
		if len(m.Further) > 0 {
			list[i].Within, list[i].Limited = m.within(b, x, widths), m.Lacks == nil
		}
		if list[i].Works = works(x); b.Fails != nil {
			list[i].MayFail, list[i].FailureCost = true, b.Fails.Cost(ln[i])
		}
		list[i].Aims = m.ranges(m.aimed(m.of), x, widths)
	}
	return list
}

// PredictAt returns what the models say about points at levels of fidelity. Without levels they are ignored.
func (m *Models) PredictAt(points [][]float64, levels []float64) []Prediction {
	list := make([]Prediction, len(points))
	at, within := map[float64]*Models{}, m.Within()
	for i, x := range points {
		view := m
		if m.LogCost().Hyper().Fading != nil && levels[i] != 1 {
			if view = at[levels[i]]; view == nil {
				other := *m
				other.of = nil
				for _, model := range m.of {
					other.of = append(other.of, model.At(levels[i]))
				}
				view, at[levels[i]] = &other, &other
			}
		}
		if list[i] = view.Predict([][]float64{x})[0]; within != nil && view != m {
			list[i].Within = within(x)
		}
	}
	return list
}

// LevelCorrelation says how well a level predicts the top: the correlation of values there with those at the top.
func (m *Models) LevelCorrelation(level float64) float64 {
	return m.Objective().Hyper().LevelCorrelation(level)
}

// The models are a little too sure of the best point, and it is the best of many because they think too well of it. On the noisy tuning
// problems the truth lies half a standard deviation below the posterior mean, and spreads 1.4 times as wide.
const optimism, tooSure = 0.5, 1.4

// Estimate is what the models say about the value of a point, without its noise.
type Estimate struct {
	Value, SD float64 // Value is the median, and SD the standard deviation.
	Low, High float64 // Low and High are the ends of the band that holds the value with a chance of 80 %.
}

// Best returns the index of the observation whose point the models expect to be the best, among those with an index that counts, and
// what they say about it. Without noise that is the observed value. If none counts, ok is false.
func (m *Models) Best(counts func(index int) bool) (index int, e Estimate, ok bool) {
	var best float64
	values, places := m.estimates()
	for k, v := range values {
		if (!ok || v > best) && counts(places[k]) {
			index, best, ok = places[k], v, true
		}
	}
	if !ok {
		return 0, e, false
	}
	if !m.IsNoisy() {
		observed := m.Y[index]
		return index, Estimate{Value: observed, Low: observed, High: observed}, true
	}
	_, sd := m.Objective().PosteriorSD(m.X[index])
	if !m.Paper {
		sd *= widening(m.Objective(), value)
	}
	p := NewPrediction(m.Warp, m.Bound(0), nil, best-optimism*sd, tooSure*sd, 0, 0, 0)
	return index, Estimate{p.Value, p.ValueSD, p.ValueLow, p.ValueHigh}, true
}

// estimates returns the values of observations as they are judged, after the warp: what was observed or, with noise, what the models say. places
// has their indices.
func (m *Models) estimates() (values []float64, places []int) {
	switch {
	case !m.IsNoisy():
		return m.Values, maximise.Indices(m.Values)
	case m.IsLeveled():
		values, _ = Posterior(m.Objective(), m.X)
		return values, maximise.Indices(values)
	}
	fitted, places := m.Objective().Fitted(), m.list[value].modelled
	return fitted[len(fitted)-len(places):], places // the earlier study's come first
}

// Posterior returns mean and standard deviation at points, in the units of the targets.
func Posterior(m *gp.Model, points [][]float64) (mean, sd []float64) {
	mean, sd = m.Posteriors(points)
	std := m.Standard()
	for i := range mean {
		mean[i], sd[i] = std.From(mean[i]), std.Scale*math.Sqrt(sd[i])
	}
	return mean, sd
}

// Share is the fraction of a model's variation over the cube that comes from some coordinates (Sobol 1993), between 0
// and 1.
type Share struct {
	// First is what they contribute alone, and Total what they contribute together with all others. The difference is
	// interaction.
	First, Total float64
}

// sampleSize is the number of points a sensitivity is estimated from, each moved once for every span.
// With quasi-random points the shares of smooth functions are right to a hundredth.
const sampleSize = 1024

// mostWork bounds points × observations², the work for a sensitivity, to a few seconds on one core.
// With many hundreds of observations there are fewer points.
const mostWork, fewestPoints = 4e10, 128

// Sensitivity returns the shares of each span in three kinds of posterior means: of the objective, of the logarithm of the cost, and of each
// further objective. All coordinates are uniform. snap moves a point to its setting's own point, as in State; nil means that every point is
// its own setting. The results are nil when the context ends before they are known.
//
// With points a and b, and ab a copy of a with the coordinates of one span taken from b,
//
//	First = E[f(b)·(f(ab) − f(a))] / Var f     (Saltelli et al. 2010, table 2 (b))
//	Total = E[(f(a) − f(ab))²] / 2 Var f       (Jansen 1999, as there, (f))
func (m *Models) Sensitivity(ctx context.Context, spans []Span, snap func(x []float64) []float64) (objective, lnCost []Share, aims [][]Share) {
	dim, seen := m.Objective().Dim(), m.Objective().Len()
	n := sampleSize
	for n > fewestPoints && float64(n)*float64(len(spans)+2)*float64(seen)*float64(seen) > mostWork {
		n /= 2
	}
	a, b := pairedPoints(n, dim)
	moved := make([][][]float64, len(spans))
	for s, span := range spans {
		moved[s] = make([][]float64, n)
		for i := range a {
			x := slices.Clone(a[i])
			copy(x[span.From:span.To], b[i][span.From:span.To])
			moved[s][i] = x
		}
	}
	if snap != nil {
		for _, list := range append(moved, a, b) {
			for i, x := range list {
				list[i] = snap(x)
			}
		}
	}
	var wait sync.WaitGroup
	wait.Go(func() { objective = shares(ctx, m.Objective(), a, b, moved) })
	lnCost = shares(ctx, m.LogCost(), a, b, moved)
	for _, aim := range m.aimed(m.of) {
		aims = append(aims, shares(ctx, aim, a, b, moved))
	}
	wait.Wait()
	if ctx.Err() != nil {
		return nil, nil, nil
	}
	return objective, lnCost, aims
}

// pairedPoints returns two independent sets of n points. Together they are quasi-random, if the sequence has that
// many dimensions. They are always the same, so equal models have equal shares.
func pairedPoints(n, dim int) (a, b [][]float64) {
	points := maximise.RawPoints(n, 2*dim, 1)
	if rng := rand.New(rand.NewPCG(1, 1)); 2*dim > sobol.MaxDim {
		for _, x := range points {
			for j := range x {
				x[j] = rng.Float64()
			}
		}
	}
	for _, x := range points {
		a, b = append(a, x[:dim:dim]), append(b, x[dim:])
	}
	return a, b
}

func shares(ctx context.Context, m *gp.Model, a, b [][]float64, moved [][][]float64) []Share {
	list := make([]Share, len(moved))
	fa, fb := StandardMeans(m, a), StandardMeans(m, b)
	both := slices.Concat(fa, fb)
	mean, variance := 0.0, 0.0
	for _, f := range both {
		mean += f / float64(len(both))
	}
	for _, f := range both {
		variance += (f - mean) * (f - mean) / float64(len(both))
	}
	if variance < 1e-10 { // for targets of variance one: the mean is flat, so there is nothing to share
		return list
	}
	for s, points := range moved {
		if ctx.Err() != nil {
			return nil
		}
		first, total := 0.0, 0.0
		for i, f := range StandardMeans(m, points) {
			first += (fb[i] - mean) * (f - fa[i])
			total += (fa[i] - f) * (fa[i] - f) / 2
		}
		scale := variance * float64(len(a))
		list[s].Total = math.Min(total/scale, 1)
		list[s].First = math.Min(math.Max(first/scale, 0), list[s].Total) // sampling errors may carry it beyond these
	}
	return list
}

// StandardMeans returns the posterior means in standardised units, which neither overflow nor vanish.
func StandardMeans(m *gp.Model, points [][]float64) []float64 {
	mean, _ := Posterior(m, points)
	std := m.Standard()
	for i, v := range mean {
		mean[i] = std.To(v)
	}
	return mean
}
