package model

import (
	"math"
	"testing"
)

// Points that were evaluated again tell whether a quantity has noise, however little data its model has. A coarse quantity may be the same by chance.
func TestSteady(t *testing.T) {
	var coarse []float64
	for _, x := range skewed(29).X {
		coarse = append(coarse, math.Round(5*(x[0]+x[1]*x[0])))
	}
	coarse = append(coarse, coarse[28])
	for name, c := range map[string]struct {
		y    []float64 // the last two are of one point
		want bool
	}{
		"the same again":      {[]float64{3, 1, 4, 1.5, 9, 2, 6, 6}, true},
		"another":             {[]float64{3, 1, 4, 1.5, 9, 2, 6, 6.001}, false},
		"a coarse quantity":   {coarse, false},
		"it was not reported": {[]float64{3, 1, 4, 1.5, 9, 2, 6, math.NaN()}, false},
	} {
		s := skewed(len(c.y))
		s.X[len(s.X)-1] = s.X[len(s.X)-2]
		s.Further = []Quantity{{Y: c.y, Least: 2.5}}
		d := noisily(t, &s)
		if _, noisy := d.Judged(0, s.X[0]); noisy == c.want {
			t.Errorf("%s: noise is %v", name, noisy)
		}
		for i, y := range c.y {
			if c.want && d.Counts(i) != (y >= 2.5) {
				t.Errorf("%s: %v counts: %v", name, y, d.Counts(i))
			}
		}
	}
}
