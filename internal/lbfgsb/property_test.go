package lbfgsb

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// slowQuadratic minimises ½xᵀHx − bᵀx in a box one coordinate at a time, which
// on a convex quadratic converges to the minimum.
func slowQuadratic(h [][]float64, b, x, lower, upper []float64) {
	for range 100000 {
		moved := 0.0
		for i := range x {
			v := x[i] - (dot(h[i], x)-b[i])/h[i][i]
			v = max(lower[i], min(upper[i], v))
			moved = max(moved, math.Abs(v-x[i]))
			x[i] = v
		}
		if moved < 1e-13 {
			return
		}
	}
}

func drawSeed(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
}

func TestConvexQuadratics(t *testing.T) {
	var w Workspace
	rapid.Check(t, func(t *rapid.T) {
		rng := drawSeed(t)
		n := rapid.IntRange(1, 15).Draw(t, "n")
		condition := rapid.SampledFrom([]float64{1, 10, 1000}).Draw(t, "condition")
		memory := rapid.IntRange(1, 12).Draw(t, "memory")
		h, linear := randomConvex(rng, n, condition), randomVector(rng, n)
		for i := range linear {
			linear[i] *= 3 // so that bounds become active
		}
		box, x := randomBox(rng, n)
		want := slices.Clone(x)
		slowQuadratic(h, linear, want, box.lower, box.upper)

		f := quadratic(h, linear)
		r := w.Maximise(negative(f), x, slices.Clone(box.lower), slices.Clone(box.upper),
			Settings{Memory: memory, FTol: -1, MaxIterations: 5000})
		if best := f(nil, want); -r.F > best+1e-10*max(1, math.Abs(best)) {
			t.Fatalf("f = %.15g, minimum %.15g: %+v", -r.F, best, r)
		}
		if d := largestDifference(x, want); d > 1e-5 {
			t.Fatalf("minimiser off by %g: %+v", d, r)
		}
	})
}

// Whatever the function does, the result lies in the box, is no worse than the
// start, and is the best of all points the function was called at.
func TestHoles(t *testing.T) {
	var w Workspace
	rapid.Check(t, func(t *rapid.T) {
		rng := drawSeed(t)
		n := rapid.IntRange(1, 8).Draw(t, "n")
		share := rapid.Float64Range(0, 0.6).Draw(t, "share of holes")
		kind := rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}).Draw(t, "kind")
		spoilGradient := rapid.Bool().Draw(t, "spoil gradient")
		cut := randomVector(rng, n)
		box, x := randomBox(rng, n)

		best, calls := math.Inf(-1), 0
		f := func(grad, at []float64) float64 {
			calls++
			for i, v := range at {
				if !(box.lower[i] <= v && v <= box.upper[i]) {
					t.Fatalf("called at %v, outside the box", at)
				}
			}
			value := -styblinski(grad, at)
			for i := range grad {
				grad[i] = -grad[i]
			}
			// Holes are slabs; the start is in none.
			if phase := math.Mod(math.Abs(7*dot(cut, at)), 1); calls > 1 && phase < share {
				if spoilGradient {
					grad[n-1] = kind
					return value
				}
				return kind
			}
			best = max(best, value)
			return value
		}
		start := negative(styblinski)(nil, x)
		r := w.Maximise(f, x, box.lower, box.upper, Settings{})
		if r.F < start || r.F != best || r.F != negative(styblinski)(nil, x) {
			t.Fatalf("start %v, best seen %v, f(x) %v: %+v", start, best, negative(styblinski)(nil, x), r)
		}
		if r.Evaluations != calls {
			t.Fatalf("%d calls, result says %+v", calls, r)
		}
	})
}

func FuzzMaximise(f *testing.F) {
	f.Add(uint64(1), 3, 0.5, 1.0, 1.0)
	f.Add(uint64(2), 1, -1e300, 1e12, 0.0)
	f.Add(uint64(3), 9, 1e-300, 1e-12, 1e9)
	f.Add(uint64(4), 2, 1e9, 1e150, -1e3)
	f.Fuzz(func(t *testing.T, seed uint64, n int, start, scale, wave float64) {
		if n < 1 || n > 30 {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		box, x := randomBox(rng, n)
		x[0] = start
		bends := randomVector(rng, n)
		function := func(grad, x []float64) float64 {
			sum := 0.0
			for i, v := range x {
				sum += scale * (bends[i]*v*v + math.Sin(wave*v))
				grad[i] = scale * (2*bends[i]*v + wave*math.Cos(wave*v))
			}
			return sum
		}
		var w Workspace
		atStart := slices.Clone(x)
		box.clip(atStart)
		value := function(make([]float64, n), atStart)
		lower, upper := slices.Clone(box.lower), slices.Clone(box.upper)
		r := w.Maximise(function, x, lower, upper, Settings{MaxIterations: 100})
		if r.Reason == NotFinite {
			return
		}
		for i, v := range x {
			if !(lower[i] <= v && v <= upper[i]) || math.IsInf(v, 0) {
				t.Errorf("x[%d] = %v in [%v, %v]", i, v, lower[i], upper[i])
			}
		}
		if !(r.F >= value) || r.Evaluations > 1000 || r.Iterations > 100 {
			t.Errorf("start %v: %+v", value, r)
		}
	})
}
