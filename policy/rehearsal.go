package policy

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/sobol"
)

// seedRest is the purpose of the seeds of a simulation.
const seedRest uint64 = 0x72657374

// The points of a simulation: those of the raw points that are promising, the first others, which are spread over the cube, and
// some nearby the best point, which are drawn anew as a simulation goes on.
const rawRest, promising, spreadOut, nearby = 512, 48, 48, 32

// mostImagined is how many evaluations a simulation has. If the money buys more than half as many, each stands for several.
const mostImagined = 96

// rehearsal is what all simulations of a state share. Values and logarithms of costs are standardised.
type rehearsal struct {
	*State
	fitted
	money   []float64 // rising
	trials  int       // how many evaluations may follow at most; 0: no limit
	batch   float64   // how many evaluations a simulated one stands for
	repeats bool      // evaluations are noisy: a point may be chosen twice, and the best is what the model takes for the best
	start   uint64    // of the random numbers

	best         float64 // now
	bestAt       []float64
	taken        [][]float64 // points that cannot be chosen
	points       [][]float64
	forced       int        // the first points are pending, or of the initial design, and are evaluated first
	remembered   int        // the next points were evaluated before
	roots        int        // the next points are compared as first steps
	values       []*gp.Pool // one for each possible model of the values
	costs        *gp.Pool
	lengthscales []float64
	costUnits    gp.Standard
}

func newRehearsal(p *policy, f fitted, s *State, money []float64, trials int, roots ...[]float64) *rehearsal {
	r := &rehearsal{State: s, fitted: f, money: money, trials: trials, start: s.seed(seedRest), repeats: p.noisy(),
		taken: slices.Concat(s.X, s.Pending, s.Tried, s.failures()), lengthscales: f.objective.Hyper().Lengthscales, costUnits: f.lnCost.Standard()}
	top := highest(f.values)
	r.best, r.bestAt = f.objective.Standard().To(f.values[top]), s.X[top]
	r.points = slices.Clone(s.Pending)
	if f.objective.Trend().Slope == 0 { // or else there is no design
		r.points = append(r.points, p.restOfDesign(s)...)
	}
	r.forced = len(r.points)
	if r.repeats {
		r.remember()
	}
	r.points, r.roots = append(r.points, roots...), len(roots)
	r.addCandidates()
	for _, m := range p.possible(s, f, r.start) {
		r.values = append(r.values, m.NewPool(r.points, mostImagined))
	}
	r.costs = f.lnCost.NewPool(r.points, mostImagined)
	r.batch = math.Max(1, math.Round(r.expectedSteps()/(mostImagined/2)))
	return r
}

// restOfDesign returns the points of the initial design that are still to come.
func (p *policy) restOfDesign(s *State) (list [][]float64) {
	points := sobol.New(min(s.Dim, sobol.MaxDim), mix(s.Seed+seedDesign))
	points.Skip(s.Trial)
	for range p.designToCome(s) {
		if x := s.snap(points.Next(nil)); s.feasible(x) {
			list = append(list, x)
		}
	}
	return list
}

// designToCome is how many points of the initial design are still to come, as far as the design's share of the budget pays for
// them at the prices so far.
func (p *policy) designToCome(s *State) int {
	known := len(s.X) + len(s.Pending)
	n := min(p.designSize(s)-known, mostImagined/2)
	if n <= 0 || s.Dim > sobol.MaxDim {
		return 0
	}
	if spent := s.Initial - s.Remaining; p.Preset.DesignShare > 0 && p.Design <= 0 && spent > 0 {
		paid := (p.Preset.DesignShare*s.Initial - spent) / (spent / float64(len(s.X)))
		n = min(n, max(int(paid), leastDesign-known, 0))
	}
	return n
}

// remember lets evaluated points compete, and takes the one for the best that the model says is.
func (r *rehearsal) remember() {
	means := standardMeans(r.objective, r.X)
	chosen := maximise.Highest(means, spreadOut)
	r.points, r.remembered = append(r.points, maximise.Pick(r.X, chosen)...), len(chosen)
	r.best, r.bestAt, r.taken = means[chosen[0]], r.X[chosen[0]], r.Tried
}

// isFree reports whether a point may be chosen.
func (r *rehearsal) isFree(x []float64) bool {
	return r.feasible(x) && maximise.FarFrom(r.taken, x, sameDistance)
}

// addCandidates adds the points that may be chosen.
func (r *rehearsal) addCandidates() {
	var raw [][]float64
	for _, x := range maximise.RawPoints(rawRest, r.Dim, r.start) {
		if x = r.snap(x); r.isFree(x) && (r.Snap == nil || maximise.FarFrom(raw, x, sameDistance)) {
			raw = append(raw, x)
		}
	}
	mean, sd := posterior(r.objective, raw)
	lnCost, _ := posterior(r.lnCost, raw)
	index, std := make([]float64, len(raw)), r.objective.Standard()
	for i := range raw {
		v, _, _ := acq.LogEI(std.To(mean[i]), sd[i]/std.Scale, r.best)
		index[i] = v - lnCost[i]
	}
	chosen := maximise.Highest(index, promising)
	for i := 0; i < len(raw) && len(chosen) < promising+spreadOut; i++ {
		if !slices.Contains(chosen, i) {
			chosen = append(chosen, i)
		}
	}
	r.points = append(r.points, maximise.Pick(raw, chosen)...)
	rng := rand.New(rand.NewPCG(r.start, 0))
	for range nearby {
		r.points = append(r.points, r.near(r.bestAt, rng))
	}
}

// near draws a point around another: at any scale from a thousandth of the lengthscales to half of them, and often along a few
// coordinates only.
func (r *rehearsal) near(x []float64, rng *rand.Rand) []float64 {
	return r.snap(nearPoint(x, r.lengthscales, rng))
}

func nearPoint(x, lengthscales []float64, rng *rand.Rand) []float64 {
	const nearest, farthest, along, whole = 1e-3, 0.5, 0.3, 0.6
	scale := nearest * math.Pow(farthest/nearest, rng.Float64())
	all := rng.Float64() < whole
	y := slices.Clone(x)
	for j := range y {
		if all || rng.Float64() < along {
			y[j] = min(max(y[j]+scale*math.Min(lengthscales[j], 2)*rng.NormFloat64(), 0), 1)
		}
	}
	return y
}

// expectedSteps is how many evaluations all the money buys, at the prices of the cheaper points.
func (r *rehearsal) expectedSteps() float64 {
	prices := slices.Sorted(slices.Values(r.costs.Mean[r.forced+r.remembered:]))
	steps := r.money[len(r.money)-1] / math.Exp(r.costUnits.From(prices[len(prices)/4]))
	if r.trials > 0 {
		steps = math.Min(steps, float64(r.trials))
	}
	return math.Min(steps, math.MaxInt32)
}

// draws is the number of simulations: fewer where each takes long.
func (r *rehearsal) draws() int {
	const work = 1.5e8
	steps := math.Min(r.expectedSteps(), mostImagined)
	each := (steps + 1) * float64(len(r.points)) * (float64(r.objective.Len()+r.lnCost.Len()) + steps + 100)
	return int(min(max(work/each, fewestRests), mostRests))
}
