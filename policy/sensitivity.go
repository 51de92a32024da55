package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/sobol"
)

// Share is the part of a model's variation over the cube that comes from some coordinates (Sobol 1993), between 0
// and 1.
type Share struct {
	// First is what they contribute alone, and Total what they contribute together with all others. The difference is
	// interaction.
	First, Total float64
}

// Span is a range of coordinates that belong together, such as those of one parameter.
type Span struct {
	// From is the first of them, and To the one after the last.
	From, To int
}

// sampleSize is the number of points a sensitivity is estimated from, each moved once for every span.
// With quasi-random points the shares of smooth functions are right to a hundredth.
const sampleSize = 1024

// mostWork bounds points × observations², the work for a sensitivity, to a few seconds on one core.
// With many hundreds of observations there are fewer points.
const mostWork, fewestPoints = 4e10, 128

// Sensitivity returns the shares of each span in the posterior means of the objective and of the logarithm of
// the cost, when all coordinates are uniform. snap moves a point to its setting's own point, as in State; nil means that
// every point is its own setting. The results are nil when the context ends before they are known.
//
// With points a and b, and ab a copy of a with the coordinates of one span taken from b,
//
//	First = E[f(b)·(f(ab) − f(a))] / Var f     (Saltelli et al. 2010, table 2 (b))
//	Total = E[(f(a) − f(ab))²] / 2 Var f       (Jansen 1999, as there, (f))
func (m *Models) Sensitivity(ctx context.Context, spans []Span, snap func(x []float64) []float64) (objective, lnCost []Share) {
	dim, seen := m.objective.Dim(), m.objective.Len()
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
	wait.Go(func() { objective = shares(ctx, m.objective, a, b, moved) })
	lnCost = shares(ctx, m.lnCost, a, b, moved)
	wait.Wait()
	if ctx.Err() != nil {
		return nil, nil
	}
	return objective, lnCost
}

// pairedPoints returns two independent sets of n points. Together they are quasi-random, if the sequence has that
// many dimensions. They are always the same, so equal models have equal shares.
func pairedPoints(n, dim int) (a, b [][]float64) {
	a, b = make([][]float64, n), make([][]float64, n)
	var next func() []float64
	if 2*dim <= sobol.MaxDim {
		sequence := sobol.New(2*dim, 1)
		next = func() []float64 { return sequence.Next(nil) }
	} else {
		rng := rand.New(rand.NewPCG(1, 1))
		next = func() []float64 {
			x := make([]float64, 2*dim)
			for j := range x {
				x[j] = rng.Float64()
			}
			return x
		}
	}
	for i := range n {
		x := next()
		a[i], b[i] = x[:dim:dim], x[dim:]
	}
	return a, b
}

func shares(ctx context.Context, m *gp.Model, a, b [][]float64, moved [][][]float64) []Share {
	list := make([]Share, len(moved))
	fa, fb := standardMeans(m, a), standardMeans(m, b)
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
		for i, f := range standardMeans(m, points) {
			first += (fb[i] - mean) * (f - fa[i])
			total += (fa[i] - f) * (fa[i] - f) / 2
		}
		scale := variance * float64(len(a))
		list[s].Total = math.Min(total/scale, 1)
		list[s].First = math.Min(math.Max(first/scale, 0), list[s].Total) // sampling errors may carry it beyond these
	}
	return list
}

// standardMeans returns the posterior means in standardised units, which neither overflow nor vanish.
func standardMeans(m *gp.Model, points [][]float64) []float64 {
	mean, _ := posterior(m, points)
	std := m.Standard()
	for i, v := range mean {
		mean[i] = std.To(v)
	}
	return mean
}
