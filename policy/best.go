package policy

// incumbent is the best observed point.
type incumbent struct {
	index int
	value float64 // after the warp
}

// best returns the incumbent. Where evaluations have noise, it is the point with the highest posterior mean: the highest
// observation is mostly luck, and whoever goes by it chases that luck.
func (p *policy) best(f fitted, h history, x [][]float64) incumbent {
	if !p.Preset.ModelBest || !p.noisy() {
		i := highest(f.values)
		return incumbent{i, f.values[i]}
	}
	if f.isLeveled() {
		return bestOf(f.objective, x)
	}
	means := f.objective.Fitted()
	k := highest(means)
	return incumbent{h.valued.modelled[k], means[k]}
}

// The models are a little too sure of the best point, and it is the best of many because they think too well of it. On the noisy tuning
// problems the truth lies half a standard deviation below the posterior mean, and spreads 1.4 times as wide.
const optimism, tooSure = 0.5, 1.4

// Estimate is what the models say about the value of a point, without its noise.
type Estimate struct {
	Value, SD float64 // Value is the most likely value, and SD its standard deviation.
	Low, High float64 // Low and High are the ends of the band that holds the value with a chance of 80 %.
}

// Best returns the index of the observation whose point the models expect to be the best, among those with an index that counts, and
// what they say about it. Without noise that is the observed value. If none counts, ok is false.
func (m *Models) Best(counts func(index int) bool) (index int, e Estimate, ok bool) {
	var value float64
	values, places := m.values, []int(nil) // after the warp; nil: those of all observations
	if m.policy.noisy() {
		values, places = m.objective.Fitted(), m.policy.newHistory(m.state).valued.modelled
		if m.isLeveled() {
			values, _ = posterior(m.objective, m.state.X)
			places = nil
		}
	}
	for k, v := range values {
		i := k
		if places != nil {
			i = places[k]
		}
		if (!ok || v > value) && counts(i) {
			index, value, ok = i, v, true
		}
	}
	switch {
	case !ok:
		return 0, Estimate{}, false
	case !m.policy.noisy():
		observed := m.state.Y[index]
		return index, Estimate{Value: observed, Low: observed, High: observed}, true
	}
	_, sd := m.objective.PosteriorSD(m.state.X[index])
	if m.policy.Preset.Tails {
		sd *= widening(m.objective, 0)
	}
	value, sd = value-optimism*sd, tooSure*sd
	return index, Estimate{capped(m.warp.From(value)), capped(spread(m.warp, value, sd)), capped(m.warp.From(value - tenth*sd)), capped(m.warp.From(value + tenth*sd))}, true
}
