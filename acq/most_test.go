package acq_test

import (
	"maps"
	"math"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/gradcheck"
)

// logImprovementUpTo is ln E[max(min(Y, most) − best, 0)] by quadrature, with e^(−t²/2) taken out where the best is t < 0 deviations above the mean.
func logImprovementUpTo(mean, sd, best, most float64) float64 {
	t := (mean - best) / sd
	out := math.Min(t, 0)
	density := func(v float64) float64 { return math.Exp(-(v-t)*(v-t)/2 + out*out/2 - halfLn2Pi) } // v: deviations above the best
	end, top := (most-best)/sd, 14+math.Max(t, 0)
	if t < -1 {
		top = math.Min(top, 50/-t)
	}
	sum := integral(func(v float64) float64 { return v * density(v) }, 0, math.Min(end, top))
	if end < top {
		sum += end * integral(density, end, top)
	}
	return math.Log(sd) + math.Log(sum) - out*out/2
}

func TestLogEIUpToEqualsQuadrature(t *testing.T) {
	for _, sd := range []float64{1e-3, 40} {
		for _, dev := range []float64{-200, -3, -0.5, 1, 5} { // of the mean from the best
			for _, room := range []float64{1e-9, 1e-3, 0.3, 2, 30} {
				const best = 0
				mean, most := dev*sd, room*sd
				got, _, _, _ := acq.LogEIUpTo(mean, sd, best, &most)
				if want := logImprovementUpTo(mean, sd, best, most); math.Abs(got-want) > 1e-11*math.Max(1, math.Abs(want)) {
					t.Errorf("mean %v, sd %v, most %v: %v, want %v", mean, sd, most, got, want)
				}
				if free, _, _ := acq.LogEI(mean, sd, best); got > free+1e-12*math.Abs(free) || got > math.Log(most) {
					t.Errorf("mean %v, sd %v, most %v: %v is above %v, or above the room", mean, sd, most, got, free)
				}
			}
		}
	}
	two := 2.0
	if v, dMean, dSD, dBest := acq.LogEIUpTo(0.5, 1, 2, &two); !math.IsInf(v, -1) || dMean != 0 || dSD != 0 || dBest != 0 {
		t.Errorf("at the bound: %v, %v, %v, %v", v, dMean, dSD, dBest)
	}
}

func TestGittinsIndexUpTo(t *testing.T) {
	for _, mean := range []float64{-6, -1, 0, 0.9, 1.1, 8} {
		for _, price := range []float64{1e-12, 1e-6, 1e-3, 0.1, 1, 7} {
			sd, most := 0.7, 1.0
			g, dMean, _, _ := acq.GittinsIndexUpTo(mean, sd, most, math.Log(price))
			free, _, _, _ := acq.GittinsIndex(mean, sd, math.Log(price))
			if g > most || g > free+1e-12 || !(dMean >= 0) {
				t.Errorf("mean %v, price %v: the index is %v of %v, its slope %v", mean, price, g, free, dMean)
			}
			if g == most { // rounding
				continue
			}
			if ln, _, _, _ := acq.LogEIUpTo(mean, sd, g, &most); math.Abs(ln-math.Log(price)) > 1e-3*math.Max(1e-9/(most-g), 1e-6) {
				t.Errorf("mean %v, price %v: opened for %v", mean, price, math.Exp(ln))
			}
		}
	}
}

func TestBoundedDerivatives(t *testing.T) {
	for _, at := range [][]float64{{1, 0.5, -3}, {0, 2, 0.2}, {-2, 1, 3}, {0.3, 0.2, -9}, {3, 0.3, -4}} {
		gradcheck.Check(t, func(grad, x []float64) float64 {
			g, dMean, dSD, dLnPrice := acq.GittinsIndexUpTo(x[0], x[1], 1, x[2])
			if grad != nil {
				grad[0], grad[1], grad[2] = dMean, dSD, dLnPrice
			}
			return g
		}, at, gradcheck.Settings{})
	}
	one := 1.0
	for _, at := range [][]float64{{1, 0.5, -3}, {0, 2, 0.2}, {-2, 1, 0.99}, {0.3, 1e-1, -12}, {5, 0.3, 0.5}, {-9, 0.3, 0.5}, {0, 3, 0.9999}} {
		gradcheck.Check(t, func(grad, x []float64) float64 {
			v, dMean, dSD, dBest := acq.LogEIUpTo(x[0], x[1], x[2], &one)
			if grad != nil {
				grad[0], grad[1], grad[2] = dMean, dSD, dBest
			}
			return v
		}, at, gradcheck.Settings{Step: 1e-5, Tolerance: 1e-5})
	}
}

// Every function on a belief with a bound has the right gradient, and promises no more than the room below it.
func TestGradientsWithABound(t *testing.T) {
	rng := newRand(4)
	b := someBelief(rng, 12, 3)
	most := b.Best + 0.3*b.Objective.Standard().Scale
	b.Most = &most
	all := family(b)
	maps.Copy(all, indices(b))
	for name, make := range all {
		t.Run(name, func(t *testing.T) {
			for _, x := range [][]float64{{0.2, 0.7, 0.4}, {0.9, 0.1, 0.5}, {0.5, 0.5, 0.5}} {
				gradcheck.Check(t, make().Log().Eval, x, gradcheck.Settings{})
			}
		})
	}
	free := b
	free.Most = nil
	for i := range 50 {
		x := []float64{float64(i) / 50, float64(i*7%50) / 50, float64(i*13%50) / 50}
		got, without := acq.EI(b).Eval(nil, x), acq.EI(free).Eval(nil, x)
		if got > without || got > most-b.Best {
			t.Fatalf("at %v: %v with a bound, %v without", x, got, without)
		}
	}
}
