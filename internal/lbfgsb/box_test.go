package lbfgsb

import (
	"math"
	"strings"
	"testing"
)

func TestBoxPanics(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, bounds := range map[string][2][]float64{
		"short lower":    {{0}, {1, 1}},
		"long upper":     {{0, 0}, {1, 1, 1}},
		"crossed":        {{0, 2}, {1, 1}},
		"NaN":            {{0, nan}, {1, 1}},
		"lower infinite": {{0, inf}, {1, inf}},
		"upper infinite": {{0, -inf}, {1, -inf}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				message, _ := recover().(string)
				if !strings.HasPrefix(message, "lbfgsb: ") {
					t.Errorf("panic says %q", message)
				}
			}()
			new(Workspace).Maximise(styblinski, make([]float64, 2), bounds[0], bounds[1], Settings{})
		})
	}
}

func TestBoxKinds(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		lower, upper   []float64
		bounded, boxed bool
	}{
		{nil, nil, false, false},
		{[]float64{-inf, -inf}, []float64{inf, inf}, false, false},
		{[]float64{0, -inf}, nil, true, false},
		{nil, []float64{1, 1}, true, false},
		{[]float64{0, 0}, []float64{1, 0}, true, true},
	} {
		var b box
		b.set(c.lower, c.upper, 2)
		if b.bounded != c.bounded || b.boxed != c.boxed {
			t.Errorf("[%v, %v]: bounded %v, boxed %v", c.lower, c.upper, b.bounded, b.boxed)
		}
	}
}

func TestProjectedGradientNorm(t *testing.T) {
	var b box
	b.set([]float64{0, 0, 0}, []float64{1, 1, math.Inf(1)}, 3)
	for _, c := range []struct {
		x, g []float64
		want float64
	}{
		{[]float64{0, 1, 0}, []float64{5, -5, 5}, 0},       // all held by their bounds
		{[]float64{0.5, 1, 0}, []float64{5, -5, 5}, 0.5},   // cut at a bound
		{[]float64{0.5, 1, 0}, []float64{0, -5, -7}, 7},    // no bound that way
		{[]float64{0.5, 0.5, 5}, []float64{0.1, 0, 0}, .1}, // inside
	} {
		if got := b.projectedGradientNorm(c.x, c.g); got != c.want {
			t.Errorf("x %v, g %v: %v, want %v", c.x, c.g, got, c.want)
		}
	}
}

func TestLongestStep(t *testing.T) {
	var b box
	b.set([]float64{0, -1}, []float64{1, math.Inf(1)}, 2)
	x := []float64{0.5, 0}
	for _, c := range []struct {
		d    []float64
		want float64
	}{
		{[]float64{1, 1}, 0.5},
		{[]float64{-1, -4}, 0.25},
		{[]float64{0, 1}, 1e10},
		{[]float64{0, 0}, 1e10},
	} {
		if got := b.longestStep(x, c.d, 1e10); got != c.want {
			t.Errorf("d %v: %v, want %v", c.d, got, c.want)
		}
	}
}
