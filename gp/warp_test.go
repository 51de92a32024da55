package gp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Transforming and transforming back returns the values, and their order stays the same.
func TestWarpIsIncreasingAndInvertible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 2, 40).Draw(t, "y")
		w := FitWarp(y)
		for i, v := range y {
			if back := w.From(w.To(v)); math.Abs(back-v) > 1e-6*(1+math.Abs(v)+w.Standard.Scale) {
				t.Fatalf("%v came back as %v, power %v", v, back, w.Power)
			}
			for _, u := range y[:i] {
				if (u < v && w.To(u) > w.To(v)) || (u > v && w.To(u) < w.To(v)) {
					t.Fatalf("%v and %v have changed places, power %v", u, v, w.Power)
				}
			}
		}
	})
}

// Normal values stay nearly as they are. A low power undoes the exponential of normal values.
func TestWarpFindsThePower(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	normal, skew := make([]float64, 400), make([]float64, 400)
	for i := range normal {
		normal[i] = 5 + 2*rng.NormFloat64()
		skew[i] = math.Exp(rng.NormFloat64())
	}
	if w := FitWarp(normal); math.Abs(w.Power-1) > 0.2 {
		t.Errorf("power %v for normal values", w.Power)
	}
	if w := FitWarp(skew); w.Power > 0 {
		t.Errorf("power %v for skew values", w.Power)
	}
	if w := FitWarp(normal[:3]); w.On || w.To(7) != 7 || w.From(7) != 7 {
		t.Errorf("%+v for three values", w)
	}
	if w := FitWarp([]float64{3, 3, 3, 3, 3}); w.From(w.To(3)) != 3 || math.IsNaN(w.To(4)) {
		t.Errorf("%+v for equal values", w)
	}
}

// Compared with the definition, spelled out.
func TestWarpIsYeoJohnsons(t *testing.T) {
	for _, p := range []float64{-1, 0, 0.5, 1, 2, 3} {
		w := Warp{Standard: Standard{Scale: 1}, Power: p, On: true}
		for _, z := range []float64{-3, -0.5, 0, 0.5, 3} {
			var want float64
			switch {
			case z >= 0 && p != 0:
				want = (math.Pow(z+1, p) - 1) / p
			case z >= 0:
				want = math.Log(z + 1)
			case p != 2:
				want = -(math.Pow(1-z, 2-p) - 1) / (2 - p)
			default:
				want = -math.Log(1 - z)
			}
			if got := w.To(z); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("power %v: %v becomes %v, not %v", p, z, got, want)
			}
		}
	}
	if w := (Warp{Standard: Standard{Scale: 1}, Power: -1, On: true}); !math.IsInf(w.From(2), 1) {
		t.Errorf("%v is beyond what a power of −1 reaches", w.From(2))
	}
}

// The slope is the derivative, and LogDensity includes it: the same values in other units have another
// density.
func TestWarpSlope(t *testing.T) {
	y := []float64{0.1, 0.3, 0.2, 5, 0.7, 2}
	w := FitWarp(y)
	for _, v := range y {
		const h = 1e-6
		want := math.Log((w.To(v+h) - w.To(v-h)) / (2 * h))
		if got := w.LogSlope([]float64{v}); math.Abs(got-want) > 1e-6 {
			t.Errorf("ln slope at %v is %v, differences say %v", v, got, want)
		}
	}
	x := [][]float64{{0.1}, {0.2}, {0.5}, {0.6}, {0.8}, {0.9}}
	tenfold := make([]float64, len(y))
	for i, v := range y {
		tenfold[i] = 10 * v
	}
	a, _ := Fit(x, y, 1, Settings{})
	b, _ := Fit(x, tenfold, 1, Settings{})
	if d := a.LogDensity() - b.LogDensity(); math.Abs(d-float64(len(y))*math.Log(10)) > 1e-6 {
		t.Errorf("the densities differ by %v", d)
	}
}

// Beyond the values the transformation is a straight line: it has no bound, no jump and no kink, and every number has a value.
func TestStraightWarp(t *testing.T) {
	for _, y := range [][]float64{{0.1, 0.3, 0.2, 50, 0.7, 2}, {-0.1, -0.3, -0.2, -50, -0.7, -2}, {1, 2, 3, 4, 5, 1e9}} {
		bent := FitWarp(y)
		w := bent.Straight(y)
		for _, v := range y {
			if math.Abs(w.To(v)-bent.To(v)) > 1e-12*(1+math.Abs(bent.To(v))) {
				t.Errorf("%v becomes %v, not %v", v, w.To(v), bent.To(v))
			}
		}
		last := math.Inf(-1)
		for _, v := range []float64{-1e12, -1e3, -50, -49.9, 0, 0.1, 49.9, 50, 50.1, 1e3, 1e12} {
			to := w.To(v)
			if back := w.From(to); math.Abs(back-v) > 1e-6*(1+math.Abs(v)) && !(math.Abs(v) < 1e3 && slices.Max(y) == 1e9) {
				t.Errorf("%v came back as %v", v, back)
			}
			if !(to > last) {
				t.Errorf("%v becomes %v, which is not above %v", v, to, last)
			}
			last = to
		}
		for _, v := range []float64{slices.Min(y), slices.Max(y)} {
			step := 1e-6 * w.Standard.Scale
			left, right := (w.To(v)-w.To(v-step))/step, (w.To(v+step)-w.To(v))/step
			if math.Abs(left/right-1) > 1e-3 {
				t.Errorf("the slope at %v goes from %v to %v", v, left, right)
			}
		}
		if far := w.From(1e6); math.IsInf(far, 0) {
			t.Errorf("a million stands for %v", far)
		}
	}
}

// Distances from the best that are exponentials of normal values are in logarithms; normal values are not.
func TestLogarithmOfDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	normal, steep := make([]float64, 60), make([]float64, 60)
	for i := range normal {
		normal[i] = 5 + 2*rng.NormFloat64()
		steep[i] = -4000 - math.Exp(7+2*rng.NormFloat64())
	}
	if w := FitWarp(normal).Logarithm(normal); w != (Warp{}) {
		t.Errorf("%+v for normal values", w)
	}
	w := FitWarp(steep).Logarithm(steep)
	top, s := slices.Max(steep), w.Standard.Scale
	if !w.On || w.logLikelihood(steep) <= FitWarp(steep).logLikelihood(steep) {
		t.Fatalf("%+v for exponentials", w)
	}
	for _, v := range steep {
		if want := -math.Log1p((top - v) / s); math.Abs(w.To(v)-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("%v is %v, want %v", v, w.To(v), want)
		}
	}
	line := w.Straight(steep)
	if got := line.To(top + s); math.Abs(got-1) > 1e-12 || math.Abs(line.From(1)-top-s) > 1e-9 {
		t.Errorf("beyond the best it is no straight line: %v at one s, and %v back", got, line.From(1))
	}
	for _, few := range [][]float64{nil, {1}, {3, 3, 3, 3, 3}, {0, 1, 2}, {-math.MaxFloat64, 0, 1, 2, math.MaxFloat64}} {
		if w := FitWarp(few).Logarithm(few); w.On && (math.IsNaN(w.To(1)) || math.IsNaN(w.From(1))) {
			t.Errorf("%v: %+v", few, w)
		}
	}
}
