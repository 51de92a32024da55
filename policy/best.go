package policy

// incumbent is the best observed point.
type incumbent struct {
	index int
	value float64 // after the warp
}

// best returns the incumbent. Where evaluations have noise, it is the point with the highest posterior mean: the highest
// observation is mostly luck, and whoever goes by it chases that luck.
func (p *policy) best(f fitted, h history) incumbent {
	if !p.Preset.ModelBest || !p.noisy() {
		i := highest(f.values)
		return incumbent{i, f.values[i]}
	}
	means := f.objective.Fitted()
	k := highest(means)
	return incumbent{h.valued.modelled[k], means[k]}
}

// Best returns the index of the best observation, and what the models say about its point: value and standard deviation, in
// the values' own units. Without noise these are the observed value and 0.
func (m *Models) Best() (index int, value, sd float64) {
	b := m.policy.best(m.fitted, m.policy.newHistory(m.state))
	if !m.policy.noisy() {
		return b.index, m.state.Y[b.index], 0
	}
	_, sd = m.objective.PosteriorSD(m.state.X[b.index])
	if m.policy.Preset.Tails {
		sd *= widening(m.objective, 0)
	}
	return b.index, capped(m.warp.From(b.value)), capped(spread(m.warp, b.value, sd))
}
