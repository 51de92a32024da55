package problem

import (
	"cmp"
	"math"
	"slices"
)

// cells looks for the lowest place of a forest in the unit cube. A forest is constant between its thresholds, in cells so small
// that a random search misses the lowest one. But along one coordinate all values can be computed at once: there a tree has a few
// intervals, and the steps of all trees, sorted, add up to the whole profile.
type cells struct {
	forest      *forest
	steps       []step
	evaluations int // profiles
}

// step is a change of the forest's sum at a threshold: above it, the sum is larger by rise.
type step struct{ threshold, rise float64 }

// lowest returns the lowest value along coordinate j through x, and the middle of an interval that has it.
func (c *cells) lowest(x []float64, j int) (value, place float64) {
	c.evaluations++
	c.steps = c.steps[:0]
	for _, t := range c.forest.trees {
		c.collect(t, 0, x, j, 0, 1)
	}
	slices.SortFunc(c.steps, func(a, b step) int { return cmp.Compare(a.threshold, b.threshold) })
	sum, value := 0.0, math.Inf(1)
	for i, s := range c.steps {
		sum += s.rise
		end := 1.0
		if i+1 < len(c.steps) {
			end = c.steps[i+1].threshold
		}
		// Relative to rounding, so that the difference of equal sums does not count as a gain.
		if s.threshold < end && sum < value-1e-12*math.Abs(sum) {
			value, place = sum, between(s.threshold, end)
		}
	}
	return value / float64(len(c.forest.trees)), place
}

// collect adds the steps of a tree's node where the coordinate is in (low, high].
func (c *cells) collect(t tree, at int32, x []float64, j int, low, high float64) {
	n := t[at]
	switch {
	case n.feature < 0:
		c.steps = append(c.steps, step{low, n.value})
		if high < 1 {
			c.steps = append(c.steps, step{high, -n.value})
		}
	case n.feature != j && x[n.feature] <= n.threshold:
		c.collect(t, n.left, x, j, low, high)
	case n.feature != j:
		c.collect(t, n.right, x, j, low, high)
	default:
		if low < n.threshold {
			c.collect(t, n.left, x, j, low, min(high, n.threshold))
		}
		if n.threshold < high {
			c.collect(t, n.right, x, j, max(low, n.threshold), high)
		}
	}
}

// descend moves one coordinate after the other to its lowest place until nothing improves, and returns the
// value.
func (c *cells) descend(x []float64) float64 {
	value := c.forest.predict(x)
	for gained := true; gained; {
		gained = false
		for j := range x {
			if v, place := c.lowest(x, j); v < value-1e-12 {
				value, x[j], gained = v, place, true
			}
		}
	}
	return value
}

// descendInPairs does this with two coordinates at once: it tries one at all of its places, and the other where it is
// then lowest.
func (c *cells) descendInPairs(x []float64) float64 {
	value := c.descend(x)
	places := c.forest.places(len(x))
	trial := slices.Clone(x)
	for gained := true; gained; {
		gained = false
		for i := range x {
			for j := range i { // the earlier coordinate has its profile, the later one is tried out
				copy(trial, x)
				for _, place := range places[i] {
					trial[i] = place
					if v, other := c.lowest(trial, j); v < value-1e-12 {
						value, x[i], x[j], gained = v, place, other, true
					}
				}
			}
		}
		value = c.descend(x)
	}
	return value
}

// places returns, for each coordinate of the unit cube, a place between every two neighbouring thresholds.
func (f *forest) places(dim int) [][]float64 {
	all := make([][]float64, dim)
	for j := range all {
		all[j] = []float64{0, 1}
	}
	for _, t := range f.trees {
		for _, n := range t {
			if n.feature >= 0 {
				all[n.feature] = append(all[n.feature], n.threshold)
			}
		}
	}
	for j, v := range all {
		slices.Sort(v)
		v = slices.Compact(v)
		for i := range v[1:] {
			v[i] = between(v[i], v[i+1])
		}
		all[j] = v[:len(v)-1]
	}
	return all
}
