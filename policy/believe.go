package policy

import (
	"context"
	"math"
	"slices"

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

// fit fits the two models, as many at the same time as there are threads. It may transform the state's values: see picture.
func (p *policy) fit(ctx context.Context, s *State) (objective, lnCost *gp.Model) {
	one := func(y []float64, output int, kernel gp.Kernel, most int) *gp.Model {
		set := gp.Settings{Kernel: kernel, Noise: [2]*gp.Noise{p.Noise, p.CostNoise}[output], PriorWeight: p.Preset.PriorWeight,
			Seed: s.seed(seedFit), Stop: func() bool { return ctx.Err() != nil }}
		if s.Previous != nil {
			set.Warm = &s.Previous.Hyper[output]
		}
		some := s.sample(y, most)
		m, _ := gp.Fit(pick(s.X, some), pick(y, some), s.Dim, set)
		return m
	}
	pictures := p.pictures(s)
	models := make([]*gp.Model, len(pictures))
	parallel(context.WithoutCancel(ctx), len(pictures)+1, p.Threads, func() func(int) {
		return func(i int) {
			switch {
			case i == len(pictures):
				lnCost = one(s.LnCost, 1, gp.Matern52, mostModelled)
			case i == 0 || ctx.Err() == nil: // one there must be
				models[i] = one(pictures[i].values, 0, pictures[i].kernel, mostCompared)
			}
		}
	})
	compared := pick(s.Y, s.sample(s.Y, mostCompared))
	chosen, highest := 0, math.Inf(-1)
	for i, m := range models {
		if m == nil {
			continue
		}
		if v := m.LogDensity() + pictures[i].warp.LogSlope(compared); v > highest {
			chosen, highest = i, v
		}
	}
	objective = models[chosen]
	s.warp, s.Y = pictures[chosen].warp, pictures[chosen].values
	if len(s.Y) > mostCompared && ctx.Err() == nil {
		objective = one(s.Y, 0, pictures[chosen].kernel, mostModelled)
	}
	return objective, lnCost
}

// A fit takes time in the cube of the number of data. Pictures are compared on some, and more than a thousand data are
// not modelled.
const mostCompared, mostModelled = 250, 1000

// sample returns the places of at most n figures that are known, in their order: of more, a quarter are those of the best values, a
// quarter the newest, and the others spread over the rest.
func (s *State) sample(figures []float64, n int) []int {
	var places []int
	for i, v := range figures {
		if !math.IsNaN(v) {
			places = append(places, i)
		}
	}
	if len(places) <= n {
		return places
	}
	newest := len(places) - n/4
	rest := slices.Clone(places[:newest])
	slices.SortStableFunc(rest, func(a, b int) int { return descending(s.Y[a], s.Y[b]) })
	kept := slices.Concat(places[newest:], rest[:n/4])
	rest = rest[n/4:]
	for i, left := 0, n-len(kept); i < left; i++ {
		kept = append(kept, rest[i*len(rest)/left])
	}
	slices.Sort(kept)
	return kept
}

// picture is a way to see the values: as they are, or transformed to look more like normal ones; as those of a smooth function, or of
// one with edges. The one under which they are likeliest is believed, and if that transforms them, the state's values are
// from then on the transformed ones.
type picture struct {
	kernel gp.Kernel
	warp   gp.Warp
	values []float64
}

// pictures lists what the preset looks at, the plain one first.
func (p *policy) pictures(s *State) []picture {
	list := []picture{{values: s.Y}}
	if w := gp.FitWarp(s.Y); p.Preset.Warp && w != (gp.Warp{}) {
		bent := picture{warp: w, values: make([]float64, len(s.Y))}
		for i, v := range s.Y {
			bent.values[i] = w.To(v)
		}
		list = append(list, bent)
	}
	if p.Preset.Rough {
		for _, c := range slices.Clone(list) {
			c.kernel = gp.Matern32
			list = append(list, c)
		}
	}
	return list
}
