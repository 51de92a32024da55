package acq_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/gradcheck"
)

// improvementOver is E[max(Y − g, 0)] of a normal variable by quadrature.
func improvementOver(g, mean, sd float64) float64 {
	from := math.Max(g, mean-12*sd)
	tail := integral(func(y float64) float64 {
		z := (y - mean) / sd
		return (y - g) * math.Exp(-z*z/2-halfLn2Pi) / sd
	}, from, math.Max(g, mean)+12*sd)
	return tail
}

// indexByBisection is the slow twin: the threshold at which the expected improvement is the price.
func indexByBisection(mean, sd, price float64) float64 {
	low, high := mean-price-20*sd, mean+20*sd
	for range 200 {
		if middle := (low + high) / 2; improvementOver(middle, mean, sd) > price {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

func TestGittinsIndexEqualsBisection(t *testing.T) {
	for _, sd := range []float64{0.01, 1, 30} {
		for _, price := range []float64{1e-8, 1e-3, 0.1, 1, 7} {
			const mean = 2.5
			got, _, _, _ := acq.GittinsIndex(mean, sd, math.Log(price*sd))
			if want := indexByBisection(mean, sd, price*sd); math.Abs(got-want) > 1e-7*sd {
				t.Errorf("sd %v, price %v: %v, want %v", sd, price, got, want)
			}
		}
	}
}

func TestGittinsIndexDerivatives(t *testing.T) {
	for _, at := range [][]float64{{1, 0.5, -3}, {0, 2, 0.2}, {-2, 1, 3}, {0.3, 1e-2, -12}} {
		f := func(grad, x []float64) float64 {
			g, dMean, dSD, dLnPrice := acq.GittinsIndex(x[0], x[1], x[2])
			if grad != nil {
				grad[0], grad[1], grad[2] = dMean, dSD, dLnPrice
			}
			return g
		}
		gradcheck.Check(t, f, at, gradcheck.Settings{})
	}
}

func TestExpectedCostIsCapped(t *testing.T) {
	for _, c := range []struct{ sd, want, slope float64 }{{0, 0, 0}, {0.6, 0.18, 0.6}, {1, 0.5, 0}, {9, 0.5, 0}} {
		v, dMean, dSD := acq.LogExpectedCost(2, c.sd)
		if math.Abs(v-2-c.want) > 1e-15 || dMean != 1 || dSD != c.slope {
			t.Errorf("sd %v: %v, %v, %v", c.sd, v, dMean, dSD)
		}
	}
}

// Weitzman's theorem (1979), by brute force: of two independent boxes, each of which may be opened for its price, first
// opening the one with the higher index, and the other only if its index is above what was found, is never worse than the
// other order with the best rule for the second box.
func TestTheHigherIndexIsOpenedFirst(t *testing.T) {
	type box struct{ mean, sd, price float64 }
	// worth is the value of opening a and then, if it pays, b, starting from a sure best of 0.
	worth := func(a, b box) float64 {
		return integral(func(z float64) float64 {
			best := math.Max(0, a.mean+a.sd*z)
			further := improvementOver(best, b.mean, b.sd) - b.price
			return (best + math.Max(0, further)) * math.Exp(-z*z/2-halfLn2Pi)
		}, -9, 9) - a.price
	}
	for i, c := range []struct{ a, b box }{
		{box{0, 1, 0.1}, box{0, 1, 0.2}},
		{box{0, 3, 0.5}, box{0.5, 0.5, 0.05}},
		{box{0.2, 2, 0.6}, box{0.1, 1, 0.1}},
		{box{-1, 4, 0.3}, box{0, 1, 0.01}},
	} {
		indexA, _, _, _ := acq.GittinsIndex(c.a.mean, c.a.sd, math.Log(c.a.price))
		indexB, _, _, _ := acq.GittinsIndex(c.b.mean, c.b.sd, math.Log(c.b.price))
		if math.Min(indexA, indexB) <= 0 {
			t.Fatalf("case %d: a box is not worth opening at all", i)
		}
		if first, second := worth(c.a, c.b), worth(c.b, c.a); (indexA > indexB) != (first > second) {
			t.Errorf("case %d: indices %v and %v, worth %v and %v", i, indexA, indexB, first, second)
		}
	}
}

// The function at a point is the index of the models' moments there, in standard deviations above the best.
func TestGittinsFunctionEqualsBisection(t *testing.T) {
	rng := newRand(31)
	b := someBelief(rng, 12, 2)
	scale := b.Objective.Standard().Scale
	for _, lambda := range []float64{1e-5, 0.05, 2} {
		for range 5 {
			x := point(rng, 2)
			mean, sd := b.Objective.PosteriorSD(x)
			lnCost, lnCostSD := b.LnCost.PosteriorSD(x)
			price := lambda * scale * math.Exp(lnCost+math.Min(lnCostSD*lnCostSD, 1)/2)
			want := (indexByBisection(mean, sd, price) - b.Best) / scale
			got, log := acq.Gittins(b, lambda).Eval(nil, x), acq.Gittins(b, lambda).Log().Eval(nil, x)
			if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("lambda %v: %v, want %v", lambda, got, want)
			}
			if want > -1 && log != got || want < -1 && math.Abs(log+1+math.Log(-got)) > 1e-12 {
				t.Errorf("lambda %v: %v in log form, %v plain", lambda, log, got)
			}
		}
	}
}

// Neither extreme units nor extreme costs make the function infinite, and units do not move it.
func TestGittinsInExtremeUnits(t *testing.T) {
	x, y := [][]float64{{0.1}, {0.4}, {0.8}}, []float64{0, 1, 0.3}
	h := gp.Hyper{Lengthscales: []float64{0.3}, Outputscale: 1, Noise: 1e-4}
	var first float64
	for i, unit := range []float64{1, 1e-200, 1e200} {
		scaled := make([]float64, 3)
		for k, v := range y {
			scaled[k] = unit * v
		}
		b := acq.Belief{Objective: gp.New(x, scaled, gp.Standardise(scaled), h), LnCost: gp.New(x, y, gp.Standardise(y), h), Best: unit}
		got := acq.Gittins(b, 0.01).Eval(nil, []float64{0.55})
		if i == 0 {
			first = got
		}
		if math.Abs(got-first) > 1e-9 {
			t.Errorf("unit %v: %v, want %v", unit, got, first)
		}
		for _, lnCosts := range [][]float64{{-600, 0, 600}, {700, 800, 900}} {
			b.LnCost = gp.New(x, lnCosts, gp.Standardise(lnCosts), h)
			for _, lambda := range []float64{0, 1e-300, 1, 1e300} {
				grad := make([]float64, 1)
				if v := acq.Gittins(b, lambda).Log().Eval(grad, []float64{0.7}); !isFinite(v) || !isFinite(grad[0]) {
					t.Errorf("unit %v, costs %v, lambda %v: %v, %v", unit, lnCosts, lambda, v, grad)
				}
			}
		}
	}
}

// EI per median cost is EI·exp(−μ_c).
func TestPerMedianCost(t *testing.T) {
	rng := newRand(33)
	b := someBelief(rng, 9, 2)
	for range 10 {
		x := point(rng, 2)
		lnCost, _ := b.LnCost.Posterior(x)
		want := acq.EI(b).Eval(nil, x) / math.Exp(lnCost)
		if got := acq.PerMedianCost(b, 1).Eval(nil, x); math.Abs(got-want) > 1e-12*want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func ExampleGittins() {
	x := [][]float64{{0}, {0.5}, {1}}
	b := acq.Belief{Best: 1, Remaining: 10}
	b.Objective, _ = gp.Fit(x, []float64{0, 1, 0}, 1, gp.Settings{})
	b.LnCost, _ = gp.Fit(x, []float64{0, 0, 0}, 1, gp.Settings{})
	for _, lambda := range []float64{0.001, 10} {
		fmt.Printf("where a unit of cost is worth %v standard deviations, an evaluation pays: %v\n", lambda, acq.Gittins(b, lambda).Eval(nil, []float64{0.6}) > 0)
	}
	// Output:
	// where a unit of cost is worth 0.001 standard deviations, an evaluation pays: true
	// where a unit of cost is worth 10 standard deviations, an evaluation pays: false
}
