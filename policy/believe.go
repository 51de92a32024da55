package policy

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
)

// believe fits both models to the state and takes the pending points in.
//
// A pending point is believed to return what the models expect: both models are
// conditioned on their own posterior means there, which leaves the means as they are and
// takes away the uncertainty, so that nothing near it looks attractive for a second time (the "kriging
// believer" of Ginsbourger et al. 2010); and its expected cost is set aside.
func (p *policy) believe(ctx context.Context, s *State) (acq.Belief, error) {
	b := acq.Belief{Remaining: s.Remaining, Best: math.Inf(-1)}
	b.Objective, b.LnCost = p.fit(ctx, s)
	for _, y := range s.Y {
		b.Best = math.Max(b.Best, y)
	}
	for _, x := range s.Pending {
		mean, _ := b.Objective.Posterior(x)
		lnCost, _ := b.LnCost.Posterior(x)
		b.Remaining -= expectedCost(b.LnCost, x)
		b.Best = math.Max(b.Best, mean)
		b.Objective = b.Objective.Condition(x, mean)
		b.LnCost = b.LnCost.Condition(x, lnCost)
	}
	if b.Remaining <= 0 {
		return b, ErrBudgetPending
	}
	return b, nil
}

// expectedCost returns exp(μ + σ²/2), the variance capped at 1 as in the trees: with next to no data it is the
// prior's, and the mean of a log-normal that wide says nothing.
func expectedCost(lnCost *gp.Model, x []float64) float64 {
	mean, variance := lnCost.Posterior(x)
	return math.Exp(mean + math.Min(variance, 1)/2)
}

// fit fits the two models, at the same time where there are threads. It may transform the state's values: see straightened.
func (p *policy) fit(ctx context.Context, s *State) (objective, lnCost *gp.Model) {
	settings := gp.Settings{PriorWeight: p.Preset.PriorWeight, Seed: s.seed(seedFit),
		Stop: func() bool { return ctx.Err() != nil }}
	one := func(y []float64, output int) *gp.Model {
		set := settings
		set.Noise = [2]*gp.Noise{p.Noise, p.CostNoise}[output]
		x, y := s.knownOf(y)
		if s.Previous != nil {
			set.Warm = &s.Previous.Hyper[output]
		}
		m, _ := gp.Fit(x, y, s.Dim, set)
		return m
	}
	fitObjective := func() *gp.Model {
		m := one(s.Y, 0)
		if !p.Preset.Warp || ctx.Err() != nil {
			return m
		}
		return s.straightened(m, func(y []float64) *gp.Model { return one(y, 0) })
	}
	if p.Threads == 1 {
		return fitObjective(), one(s.LnCost, 1)
	}
	var wait sync.WaitGroup
	wait.Go(func() { objective = fitObjective() })
	lnCost = one(s.LnCost, 1)
	wait.Wait()
	return objective, lnCost
}

// straightened fits a second model, to values transformed to look more like normal ones, and takes that one if the
// values are likelier under it. Then the state's values are the transformed ones.
func (s *State) straightened(plain *gp.Model, fit func(y []float64) *gp.Model) *gp.Model {
	w := gp.FitWarp(s.Y)
	y := make([]float64, len(s.Y))
	for i, v := range s.Y {
		y[i] = w.To(v)
	}
	bent := fit(y)
	if !(bent.LogDensity()+w.LogSlope(s.Y) > plain.LogDensity()) {
		return plain
	}
	s.warp, s.Y = w, y
	return bent
}

// knownOf returns the points where a figure is known, and the figures.
func (s *State) knownOf(figures []float64) (x [][]float64, known []float64) {
	if !slices.ContainsFunc(figures, math.IsNaN) {
		return s.X, figures
	}
	for i, v := range figures {
		if !math.IsNaN(v) {
			x, known = append(x, s.X[i]), append(known, v)
		}
	}
	return x, known
}
