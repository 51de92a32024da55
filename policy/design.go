package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/sobol"
)

// The initial design spreads a few points over the space, so that the models have something to start from. In the paper it has
// 2(d+1) points and is free. Here it costs money like all else: it takes no more than its share of the budget and, as
// soon as costs can be told apart, the cheap ones of the points that would do. Until then it keeps away from the edges, where
// the dearest settings are, and seldom the best.

// designSize returns the number of points of the initial design, unless its share of the budget ends it earlier.
func (s *Settings) designSize(state *State) int {
	switch {
	case s.Design > 0:
		return s.Design
	case s.Design < 0:
		return 0
	case s.Preset.DesignShare > 0 && state.Parameters > 0:
		return 2 * (state.Parameters + 1)
	}
	return 2 * (state.Dim + 1)
}

// leastDesign is the number of points that a design has whatever they cost. A model needs two to see a difference.
const leastDesign = 2

// designIsPaid says whether another point of the initial design would use more of the budget than the design's share. Whoever
// asks for a number of points gets them.
func (p *policy) designIsPaid(d *decision) bool {
	n := float64(len(d.X) + len(d.Pending) + d.chosenLooks())
	if p.Preset.DesignShare <= 0 || p.Design > 0 || n < leastDesign {
		return false
	}
	spent := d.Initial - d.belief.Remaining // with the expected cost of pending points
	return spent+spent/n > p.Preset.DesignShare*d.Initial
}

// design returns the next point of the initial design, a scrambled Sobol sequence that depends only
// on the study's seed. It is also used while there is nothing to model yet.
func (p *policy) design(ctx context.Context, d *decision) (Suggestion, error) {
	if d.Dim > sobol.MaxDim {
		out, err := p.random(ctx, d)
		out.Policy, out.Level = "design", p.designLevel(d.State)
		return out, err
	}
	x := d.designPoint()
	switch {
	case !p.Preset.CheapDesign || p.blind:
	case d.lnCost != nil && d.lnCost.Len() >= leastDesign:
		x = d.cheapest(d.feasibleOf(append([][]float64{x}, maximise.RawPoints(mostDesigned-1, d.Dim, d.seed(seedDesign))...)))
	case d.Trial < leastDesign && d.Levels == nil:
		x = inner(x)
	}
	out, err := p.newPoint(ctx, d, x, "design")
	out.Level = p.designLevel(d.State)
	return out, err
}

// designPoint returns the next point of the sequence that is feasible, if one comes soon.
func (d *decision) designPoint() []float64 {
	sequence := func() *sobol.Sequence { return sobol.New(d.Dim, mix(d.Seed+seedDesign)) }
	if d.Feasible != nil {
		if x, ok := d.nthFeasible(sequence(), d.Trial); ok {
			return x
		}
	}
	points := sequence()
	points.Skip(d.Trial)
	return points.Next(nil)
}

// inner moves a point into the middle half of every range.
func inner(x []float64) []float64 {
	for j := range x {
		x[j] = 0.25 + x[j]/2
	}
	return x
}

// mostDesigned is the number of points among which the cheapest is looked for.
const mostDesigned = 16

// cheapest returns the point with the lowest expected cost among the half of the points that are farthest from all others tried
// so far (after Lee, Perrone, Archambeau, Seeger 2020).
func (d *decision) cheapest(points [][]float64) []float64 {
	tried := slices.Concat(d.X, d.Pending, d.Tried, d.lookedAt(0))
	distances := make([]float64, len(points))
	for i, x := range points {
		distances[i] = math.Inf(1)
		for _, y := range tried {
			distances[i] = math.Min(distances[i], floats.Distance(x, y, 2))
		}
	}
	chosen, lowest := points[0], math.Inf(1)
	for _, i := range maximise.Highest(distances, (len(points)+1)/2) {
		if cost, _ := d.belief.LnCostAt(points[i]); cost < lowest {
			chosen, lowest = points[i], cost
		}
	}
	return chosen
}

// random is the policy that ignores what was observed.
func (p *policy) random(ctx context.Context, d *decision) (Suggestion, error) {
	rng := rand.New(rand.NewPCG(d.seed(seedRandom), 1))
	x := make([]float64, d.Dim)
	for range mostDesign {
		for j := range x {
			x[j] = rng.Float64()
		}
		if d.feasible(d.snap(x)) {
			break
		}
	}
	return p.newPoint(ctx, d, x, "")
}

// newPoint suggests x or, if its setting was tried before, the nearest setting that was not.
func (p *policy) newPoint(ctx context.Context, d *decision, x []float64, name string) (Suggestion, error) {
	seed := d.seed(seedRandom)
	t := selector{ctx: ctx, state: d.State, taken: d.taken, seed: seed} // mostly this is all: anchors take thousands of draws
	if x = t.snapped(x); !t.isFresh(x) {
		t.anchors = d.anchors(seed)
		near, ok := t.nearestNew(x)
		switch {
		case ok:
			x = near
		case d.Snap != nil || d.Feasible != nil:
			return Suggestion{}, ErrExhausted
		}
	}
	return Suggestion{X: x, Policy: name}, nil
}
