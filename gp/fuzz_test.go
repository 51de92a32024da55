package gp

import (
	"math"
	"testing"
)

// FuzzFit makes data from three numbers, with repeated points and points on the cube's faces. Any
// finite data must give a finite posterior.
func FuzzFit(f *testing.F) {
	f.Add(uint8(2), uint64(1), 1.0, 2.0, 3.0, false)
	f.Add(uint8(1), uint64(2), 0.0, 0.0, 0.0, true)
	f.Add(uint8(3), uint64(3), 1e300, -1e300, 5e-324, false)
	f.Add(uint8(5), uint64(4), 1e-12, 1e12, -1e-300, true)
	f.Fuzz(func(t *testing.T, dim uint8, seed uint64, a, b, c float64, noisy bool) {
		d := 1 + int(dim%6)
		for _, v := range []float64{a, b, c} {
			if !(math.Abs(v) <= 1e300) { // beyond, a prediction past the data may overflow
				t.Skip()
			}
		}
		rng := newRand(seed)
		n := int(seed % 14)
		x, y := cloud(rng, n, d), make([]float64, n)
		for i := range y {
			y[i] = []float64{a, b, c, a / 3, c * rng.Float64()}[rng.IntN(5)]
			if rng.IntN(3) == 0 {
				x[i] = x[rng.IntN(n)]
			}
			if rng.IntN(4) == 0 {
				x[i][rng.IntN(d)] = float64(rng.IntN(2)) // on the cube's faces
			}
		}
		s := Settings{Seed: seed, Starts: 2}
		if noisy {
			s.Noise = &Noisy
		}
		sane(t, x, y, d, s)
	})
}
