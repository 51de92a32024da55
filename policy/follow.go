package policy

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/parallel"
)

// What an earlier, similar study found is prior knowledge about a new one, MATH.md §11. The models of the new study follow those of the earlier
// one and learn the difference, which is smoother and smaller than the function itself if the two are alike (Kennedy and O'Hagan
// 2000; Golovin et al. 2017). They compete with models that know nothing of it, and whichever makes the study's own results likelier is used. So an earlier study
// that does not predict the new one is ignored, for values and costs each by itself.

// slopeSD is the standard deviation of the multiple of the earlier study's values, or log-costs, that the new one follows; it is
// expected to be 1. shiftSD is that of how far an optimum is from the earlier one, in each coordinate. expectedRest is how large the differences are expected to be, in standard deviations of the earlier study.
const slopeSD, shiftSD, expectedRest = 0.5, 0.1, 0.1

// mostScale is the largest change of scale between the values of two studies that a warp takes part in, and usualScale the number of results that the expectation counts
// for that there is none.
const mostScale, usualScale = 5, 2

// leastJudged is the least number of results that an earlier study is judged by, the first points of the design, and proof how much likelier it must
// make them, as a logarithm. An unrelated study does so in one case of seven at most.
const leastJudged, proof = 3, 2

// follow returns the models that follow the earlier study instead, where they are better than those that do not. plain has the log
// densities of these.
func (p *policy) follow(ctx context.Context, s *State, h history, f fitted, plain [2]float64) fitted {
	earlier := s.Prior.fitted(ctx, s.Dim, p.Threads)
	of := [2]*gp.Model{earlier.objective, earlier.lnCost}
	warp := earlier.warpFor(s.X, s.Y)
	x, targets, data := [2][][]float64{s.X, h.costX}, [2][]float64{warped(warp, s.Y), h.lnCosts}, [2]parts{h.valued, h.priced}
	jobs := p.followers(earlier)
	models, densities := make([]*gp.Model, len(jobs)), make([]float64, len(jobs))
	parallel.For(context.WithoutCancel(ctx), len(jobs), p.Threads, func() func(int) {
		return func(i int) {
			if o := jobs[i].output; ctx.Err() == nil {
				places := data[o].compared
				models[i], densities[i] = gp.Follow(maximise.Pick(x[o], places), maximise.Pick(targets[o], places), s.Dim, of[o],
					p.followSettings(ctx, s, jobs[i], of[o]))
			}
		}
	})
	slope := warp.LogSlope(maximise.Pick(s.Y, h.valued.compared))
	best, gain := [2]*gp.Model{}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i, m := range models {
		o := jobs[i].output
		if o == 0 {
			densities[i] += slope
		}
		if m != nil && densities[i]-plain[o] > gain[o] {
			best[o], gain[o] = m, densities[i]-plain[o]
		}
	}
	if proves(gain[0], gain[1]) {
		f.objective = p.extendFollower(ctx, s, best[0], 0, x[0], targets[0], data[0])
		f.warp, f.values = warp, targets[0]
	}
	if proves(gain[1], gain[0]) {
		f.lnCost = p.extendFollower(ctx, s, best[1], 1, x[1], targets[1], data[1])
	}
	return f
}

// warpFor returns the warp of the earlier values for the values of the new study: after the change of level and scale that brings these closest to
// what was expected of them. Results that tell of no other scale leave it as it is.
func (f *fitted) warpFor(x [][]float64, y []float64) gp.Warp {
	w, n := f.warp, float64(len(y))
	if !w.On {
		return w
	}
	expected, _ := posterior(f.objective, x)
	var meanE, meanY float64
	for i, v := range expected {
		expected[i] = w.From(v)
		meanE, meanY = meanE+expected[i]/n, meanY+y[i]/n
	}
	known := usualScale * w.Standard.Scale * w.Standard.Scale
	up, down := known, known
	for i, v := range expected {
		up, down = up+(v-meanE)*(y[i]-meanY), down+(v-meanE)*(v-meanE)
	}
	scale := math.Min(math.Max(up/down, 1/mostScale), mostScale)
	if s := (gp.Standard{Shift: meanY + scale*(w.Standard.Shift-meanE), Scale: scale * w.Standard.Scale}); finite(s.Shift) && finite(s.Scale) && s.Scale > 0 {
		w.Standard = s
	}
	return w
}

// proves says whether an output is to follow the earlier study, by how much likelier that makes the study's results, as a logarithm. What the
// other output gains counts as well: whoever predicts the costs probably knows something about the values.
func proves(gain, other float64) bool { return gain > math.Max(proof-math.Max(other, 0), 0) }

// followJob is a model that follows the earlier one of an output.
type followJob struct {
	output int
	kernel gp.Kernel
	moved  bool // by a shift that is searched for
}

// followers lists the models that may follow the earlier ones. With few results only those without a shift have a chance.
func (p *policy) followers(earlier *fitted) (jobs []followJob) {
	kernels := [2][]gp.Kernel{{gp.Matern52}, p.costKernels()}
	if p.Preset.Rough {
		kernels[0] = append(kernels[0], gp.Matern32)
	}
	if earlier.lnCost.Len() < leastPrior {
		kernels[1] = nil
	}
	for o, list := range kernels {
		for _, kernel := range list {
			jobs = append(jobs, followJob{o, kernel, false}, followJob{o, kernel, true})
		}
	}
	return jobs
}

func (p *policy) followSettings(ctx context.Context, s *State, job followJob, of *gp.Model) gp.FollowSettings {
	set := gp.FollowSettings{Settings: p.fitSettings(ctx, s, job.output), SlopeSD: slopeSD, Spread: expectedRest * of.Standard().Scale}
	if set.Kernel = job.kernel; job.moved {
		set.ShiftSD = shiftSD
	}
	return set
}

// extendFollower returns the model with all data, as extend does.
func (p *policy) extendFollower(ctx context.Context, s *State, m *gp.Model, output int, x [][]float64, targets []float64, h parts) *gp.Model {
	if len(h.modelled) == len(h.compared) || ctx.Err() != nil {
		return m
	}
	trend := m.Trend()
	set, warm := p.followSettings(ctx, s, followJob{output, m.Hyper().Kernel, trend.Shift != nil}, trend.Of), m.Hyper()
	set.Warm, set.Starts = &warm, -1
	m, _ = gp.Follow(maximise.Pick(x, h.searched), maximise.Pick(targets, h.searched), s.Dim, trend.Of, set)
	return m.Like(maximise.Pick(x, h.modelled), maximise.Pick(targets, h.modelled), m.Hyper())
}

// explore returns the next point of the initial design, or a test of the earlier study in its place.
func (p *policy) explore(ctx context.Context, d *decision) (Suggestion, error) {
	if x, ok := p.test(ctx, d); ok {
		return Suggestion{X: x, Policy: "earlier"}, nil
	}
	return p.design(ctx, d)
}

// test returns the best point of the earlier study, if it has not been tried yet. It is tried in place of the first point of the design: nothing shows
// sooner whether the earlier study is right, and if it is, there is nothing better to begin with.
func (p *policy) test(ctx context.Context, d *decision) (x []float64, ok bool) {
	if !d.Prior.usable() || p.blind {
		return nil, false
	}
	x, ok = d.Prior.best(ctx, d.State, math.Min(math.Max(p.Preset.DesignShare, 0.1)*d.Initial, d.Remaining), p.Threads)
	tried := slices.Concat(d.X, d.failures(), d.Pending, d.Tried)
	return x, ok && !slices.ContainsFunc(tried, func(t []float64) bool { return slices.Equal(t, x) })
}

// Followed says how a model follows one of an earlier study; see gp.Trend.
type Followed struct {
	// Slope is the multiple of the other model's mean. 0 means that it is not followed.
	Slope float64 `json:"slope,omitempty"`

	// Shift is by how much the other model is moved.
	Shift []float64 `json:"shift,omitempty"`
}

func followed(m *gp.Model) Followed { return Followed{m.Trend().Slope, m.Trend().Shift} }

// fits says whether it is usable for the dimension. A plan comes from a file.
func (f Followed) fits(dim int) bool {
	return finite(f.Slope) && (len(f.Shift) == 0 || len(f.Shift) == dim) && !slices.ContainsFunc(f.Shift, func(v float64) bool { return !finite(v) })
}

// Earlier says how an earlier study is used.
type Earlier struct {
	// Untried says that there are too few results yet to judge it by.
	Untried bool

	// Values and Costs say whether the models of the two follow it.
	Values, Costs bool

	// Explained is the part of the variance of the values seen that it explains.
	Explained float64
}

// earlier says how the models use the earlier study; nil if there is none.
func (f *fitted) earlier(s *State) *Earlier {
	if !s.Prior.usable() {
		return nil
	}
	e := &Earlier{Untried: len(s.X) < leastJudged, Values: f.objective.Trend().Slope != 0, Costs: f.lnCost.Trend().Slope != 0}
	if e.Values {
		trend := f.objective.Trend()
		rest := trend.At(s.X)
		for i, v := range rest {
			rest[i] = f.values[i] - v
		}
		e.Explained = math.Max(1-math.Pow(gp.Standardise(rest).Scale/gp.Standardise(f.values).Scale, 2), 0)
	}
	return e
}
