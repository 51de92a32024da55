package policy

import (
	"context"
	"math"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/parallel"
)

// fitted is the two models of a state. The model of the objective is fitted to the values after the
// warp.
type fitted struct {
	objective, lnCost *gp.Model
	warp              gp.Warp
	values            []float64 // all observed values, transformed
	searched          int       // the number of observations when the hyperparameters were searched
	tie               tie       // of the costs to the values
	searchedLooks     int       // and the number of looks
	givenUp           int       // the number of levels, from the lowest, that the values are modelled without
}

// modelCandidate is a way to model the values: as they are, or transformed to be more nearly normal; as those of a
// smooth function, or of one with edges. The candidate under which they are likeliest is chosen.
type modelCandidate struct {
	kernel gp.Kernel
	warp   gp.Warp
	values []float64
}

// modelCandidates lists the candidates of the preset, the plain one first.
func (p *policy) modelCandidates(values []float64) []modelCandidate {
	list := []modelCandidate{{values: values}}
	if w := gp.FitWarp(values); p.Preset.Warp && w != (gp.Warp{}) {
		if p.Preset.Straight {
			w = w.Straight(values)
		}
		list = append(list, modelCandidate{warp: w, values: warped(w, values)})
	}
	plain := len(list)
	if p.Preset.Rough {
		for _, c := range list[:plain] {
			c.kernel = gp.Matern32
			list = append(list, c)
		}
	}
	return list
}

func warped(w gp.Warp, values []float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = w.To(v)
	}
	return list
}

// fitModels fits the two models, unless they are remembered.
func (p *policy) fitModels(ctx context.Context, s *State, h history) fitted {
	if p.Memory == nil {
		return p.fitAnew(ctx, s, h)
	}
	key, ok := p.fitKey(s)
	if !ok {
		return p.fitAnew(ctx, s, h)
	}
	if f, ok := p.Memory.fit(key); ok {
		return f
	}
	f := p.fitAnew(ctx, s, h)
	if ctx.Err() == nil { // what was cut short depends on the clock
		p.Memory.keep(key, f)
	}
	return f
}

func (p *policy) fitAnew(ctx context.Context, s *State, h history) fitted {
	if s.Levels != nil && (p.looks() || len(s.Looks)+len(s.Looking) > 0) {
		return p.fitLeveled(ctx, s)
	}
	if f, ok := p.updateModels(ctx, s, h); ok {
		return f
	}
	candidates, kernels := p.modelCandidates(s.Y), p.costKernels()
	models, costs := p.compete(ctx, candidates, kernels,
		func(c modelCandidate) *gp.Model { return p.fit(ctx, s, s.X, c.values, 0, c.kernel, h.valued.compared) },
		func(k gp.Kernel) *gp.Model { return p.fit(ctx, s, h.costX, h.lnCosts, 1, k, h.priced.compared) })
	chosen := likeliest(models, candidates, maximise.Pick(s.Y, h.valued.compared))
	c := candidates[chosen]
	f := fitted{warp: c.warp, values: c.values, searched: len(s.X)}
	parallel.For(context.WithoutCancel(ctx), 2, p.Threads, func() func(int) {
		return func(i int) {
			if i == 0 {
				f.objective = p.extend(ctx, s, models[chosen], 0, s.X, c.values, h.valued)
			} else {
				f.lnCost = p.extend(ctx, s, likelier(costs), 1, h.costX, h.lnCosts, h.priced)
			}
		}
	})
	if s.Prior.usable() && len(s.X) >= leastJudged {
		plain := models[chosen].LogDensity() + c.warp.LogSlope(maximise.Pick(s.Y, h.valued.compared))
		f = p.follow(ctx, s, h, f, [2]float64{plain, likelier(costs).LogDensity()})
	}
	f.tie = p.newTie(ctx, s, h, f, likelier(costs))
	return f
}

// compete fits a model of the values for each candidate and one of the costs for each kernel, as many at the same time as there are
// threads. A model is nil if the context ended before it was fitted; there is at least one of each.
func (p *policy) compete(ctx context.Context, candidates []modelCandidate, kernels []gp.Kernel,
	value func(modelCandidate) *gp.Model, cost func(gp.Kernel) *gp.Model) (models, costs []*gp.Model) {
	models, costs = make([]*gp.Model, len(candidates)), make([]*gp.Model, len(kernels))
	parallel.For(context.WithoutCancel(ctx), len(models)+len(costs), p.Threads, func() func(int) {
		return func(i int) {
			k := i - len(models)
			if i > 0 && k != 0 && ctx.Err() != nil {
				return
			}
			if k >= 0 {
				costs[k] = cost(kernels[k])
			} else {
				models[i] = value(candidates[i])
			}
		}
	})
	return models, costs
}

// fit fits a model to some of the observations.
func (p *policy) fit(ctx context.Context, s *State, x [][]float64, targets []float64, output int, kernel gp.Kernel, places []int) *gp.Model {
	set := p.fitSettings(ctx, s, output)
	set.Kernel = kernel
	if s.Previous != nil {
		set.Warm = &s.Previous.Hyper[output]
	}
	m, _ := gp.Fit(maximise.Pick(x, places), maximise.Pick(targets, places), s.Dim, set)
	return m
}

func (p *policy) fitSettings(ctx context.Context, s *State, output int) gp.Settings {
	return gp.Settings{Noise: [2]*gp.Noise{p.Noise, p.CostNoise}[output], PriorWeight: p.Preset.PriorWeight, Reach: p.reach(s),
		Seed: s.fitSeed(), Stop: func() bool { return ctx.Err() != nil }}
}

// extend returns the model with all data: after a short search for its hyperparameters with more of them, a model of as many as it
// can hold.
func (p *policy) extend(ctx context.Context, s *State, m *gp.Model, output int, x [][]float64, targets []float64, h parts) *gp.Model {
	if len(h.modelled) == len(h.compared) || ctx.Err() != nil {
		return m
	}
	if !p.Preset.ManyData {
		return p.fit(ctx, s, x, targets, output, m.Hyper().Kernel, h.modelled)
	}
	set, warm := p.fitSettings(ctx, s, output), m.Hyper()
	set.Kernel, set.Warm, set.Starts = warm.Kernel, &warm, -1
	if m, _ = gp.Fit(maximise.Pick(x, h.searched), maximise.Pick(targets, h.searched), s.Dim, set); len(h.searched) < len(h.modelled) {
		m = m.Like(maximise.Pick(x, h.modelled), maximise.Pick(targets, h.modelled), m.Hyper())
	}
	return m
}

// costKernels lists the kernels that compete for the costs.
func (p *policy) costKernels() []gp.Kernel {
	if p.Preset.Gaussian {
		return []gp.Kernel{gp.Matern52, gp.Gaussian}
	}
	return []gp.Kernel{gp.Matern52}
}

// likelier returns the model under which its targets are likeliest.
func likelier(models []*gp.Model) *gp.Model {
	chosen := models[0]
	for _, m := range models[1:] {
		if m != nil && m.LogEvidence() > chosen.LogEvidence() {
			chosen = m
		}
	}
	return chosen
}

// likeliest returns the index of the model under which the values are likeliest. A model is nil if the context ended
// before it was fitted.
func likeliest(models []*gp.Model, candidates []modelCandidate, values []float64) int {
	chosen, highest := 0, math.Inf(-1)
	for i, m := range models {
		if m == nil {
			continue
		}
		if v := m.LogDensity() + candidates[i].warp.LogSlope(values); v > highest {
			chosen, highest = i, v
		}
	}
	return chosen
}

// noisy says whether evaluations return another value when they are repeated.
func (p *policy) noisy() bool { return p.Noise.Max > p.Preset.unexplained().Max }

// expectedCost returns exp(μ + σ²/2), with the variance capped at 1 as in the trees. With almost no data it is
// the prior's variance, and the mean of such a wide log-normal says nothing.
func expectedCost(lnCost *gp.Model, x []float64) float64 {
	mean, variance := lnCost.Posterior(x)
	return math.Exp(mean + math.Min(variance, 1)/2)
}
