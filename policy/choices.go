package policy

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/internal/maximise"
)

// A choice among k values has k coordinates: 1 for its value, and 0 for the others. The rest of that part of the cube stands for no
// value. No trial was ever there, so the models are unsure about it, and a search that may go there is drawn to it. What it
// finds then has numbers that suit no value. So the search keeps the choices of each start, and moves only the numbers.

// reach says how many times as long as usual the lengthscales are expected to be. Values of a choice lie √2 from
// each other. At that distance models take values for unrelated until results say otherwise, and learn nothing about one from another.
func (p *policy) reach(s *State) []float64 {
	if p.Preset.Related <= 0 || len(s.Choices) == 0 {
		return nil
	}
	list := slices.Repeat([]float64{1}, s.Dim)
	for _, c := range s.Choices {
		for j := c.From; j < c.To; j++ {
			list[j] = math.Sqrt2 / p.Preset.Related
		}
	}
	return list
}

// doubt returns how many times the standard deviation of the values' model counts at a point, or nil if it always counts once, MATH.md (44). Of
// a value of a choice that few trials had, models are too sure: their hyperparameters are those of the values that many had.
// The best setting's values are not doubted, so that its neighbourhood is judged as ever. Searches keep to a value, so this is a constant to them.
func (p *policy) doubt(d *decision) func(x []float64) float64 {
	if p.Preset.OtherValues <= 0 || !p.settles(d) {
		return nil
	}
	tried := make([]float64, d.Dim)
	for _, x := range d.X {
		for j, v := range x {
			if v == 1 {
				tried[j]++
			}
		}
	}
	return func(x []float64) float64 {
		least := math.Inf(1)
		for _, c := range d.Choices {
			for j := c.From; j < c.To; j++ {
				if x[j] == 1 && d.incumbent[j] != 1 {
					least = math.Min(least, tried[j])
				}
			}
		}
		return math.Sqrt(1 + p.Preset.OtherValues/math.Max(least, 2))
	}
}

// settings returns the points of the settings that the given points stand for.
func (s *State) settings(points [][]float64) [][]float64 {
	list := make([][]float64, len(points))
	for i, x := range points {
		list[i] = s.snap(x)
	}
	return list
}

// settles says whether searches keep the choices of their starts.
func (p *policy) settles(d *decision) bool {
	return p.Preset.Settled && len(d.Choices) > 0
}

// climbSettled runs a local search from every start, each with the choices of its start.
func (d *decision) climbSettled(ctx context.Context, newFunc func() maximise.Func, starts [][]float64, l maximise.Limits) maximise.Result {
	return maximise.FromEach(ctx, starts, l.Threads, func() func(int, *maximise.Peak) int {
		f := newFunc()
		return func(_ int, p *maximise.Peak) (evaluations int) {
			p.Value, evaluations = maximise.NewClimber(ctx, d.holding(f, p.X), l).Climb(p.X)
			return evaluations
		}
	})
}

// holding returns the function with a gradient of zero where a search from x is not to move.
func (s *State) holding(f maximise.Func, x []float64) maximise.Func {
	held := s.held(x)
	return func(grad, x []float64) float64 {
		value := f(grad, x)
		if grad != nil {
			for _, j := range held {
				grad[j] = 0
			}
		}
		return value
	}
}

// held returns the coordinates of choices, and those that mean nothing at the setting of x.
func (s *State) held(x []float64) (list []int) {
	for j := range s.Dim {
		if slices.ContainsFunc(s.Choices, func(c Span) bool { return c.From <= j && j < c.To }) || s.idle(x, j) {
			list = append(list, j)
		}
	}
	return list
}

// idle says whether a coordinate means nothing at the setting of x.
func (s *State) idle(x []float64, j int) bool {
	low, high := slices.Clone(x), slices.Clone(x)
	low[j], high[j] = 0, 1
	return s.snap(low)[j] == s.snap(high)[j]
}

// otherValues returns the points that differ from x in one choice.
func (s *State) otherValues(x []float64) (list [][]float64) {
	for _, c := range s.Choices {
		for j := c.From; j < c.To; j++ {
			if x[j] == 1 {
				continue
			}
			y := slices.Clone(x)
			clear(y[c.From:c.To])
			y[j] = 1
			if y = s.snap(y); s.feasible(y) {
				list = append(list, y)
			}
		}
	}
	return list
}
