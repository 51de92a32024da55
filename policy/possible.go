package policy

import (
	"math"
	"math/rand/v2"

	"github.com/eke-bo/eke/gp"
)

// The models of a simulation. Fitted hyperparameters are the likeliest ones, and with few data others are nearly as likely. A
// model that takes its own for certain is too sure of what it has not seen, so simulations are spread over several models,
// drawn from the posterior of the hyperparameters by a random walk (Metropolis et al. 1953).

// How many models there are, and how many steps of the random walk lie between two of them. With more data than mostDoubted
// the hyperparameters are certain enough, and the steps would take long.
const worlds, strides, mostDoubted = 8, 10, 150

// The steps of the random walk: standard deviations of the logarithms of lengthscales and output scale, and of the mean.
const strideScales, strideMean = 0.3, 0.2

// possible returns models of the values with other hyperparameters, drawn from their posterior. The first is the fitted one.
func (p *policy) possible(s *State, f fitted, seed uint64) []*gp.Model {
	list := []*gp.Model{f.objective}
	if len(s.X) > mostDoubted || f.isLeveled() {
		return list
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	set := gp.Settings{Noise: p.Noise, Reach: p.reach(s)}
	density := func(m *gp.Model) float64 {
		h := m.Hyper()
		return m.LogEvidence() + p.Preset.PriorWeight*set.LogPrior(h) + sumLogs(h)
	}
	now := f.objective
	at := density(now)
	dims := math.Sqrt(float64(f.objective.Dim() + 2))
	for step := 1; len(list) < worlds; step++ {
		h := now.Hyper()
		for j := range h.Lengthscales {
			h.Lengthscales[j] *= math.Exp(2 * strideScales / dims * rng.NormFloat64())
		}
		h.Outputscale *= math.Exp(2 * strideScales / dims * rng.NormFloat64())
		h.Mean += 2 * strideMean / dims * rng.NormFloat64()
		other := f.objective.Like(s.X, f.values, h)
		if v := density(other); math.Log(rng.Float64()) < v-at {
			now, at = other, v
		}
		if step%strides == 0 {
			list = append(list, now)
		}
	}
	return list
}

// sumLogs turns a density of hyperparameters into one of their logarithms, in which the walk goes.
func sumLogs(h gp.Hyper) float64 {
	sum := math.Log(h.Outputscale)
	for _, l := range h.Lengthscales {
		sum += math.Log(l)
	}
	return sum
}
