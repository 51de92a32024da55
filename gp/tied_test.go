package gp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/gp"
)

// tiedData has costs that are 0.7 times the values plus something smooth.
func tiedData(n int, slope float64) (x [][]float64, y, other []float64) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range n {
		p := []float64{rng.Float64(), rng.Float64()}
		v := 10 * (math.Sin(9*p[0]) + math.Cos(11*p[1]*p[0]))
		x, other, y = append(x, p), append(other, v), append(y, slope*v+2*p[1]*p[1])
	}
	return x, y, other
}

func TestFitTiedFindsTheSlope(t *testing.T) {
	x, y, other := tiedData(30, 0.7)
	rest, slope, density := gp.FitTied(x, y, other, 2, gp.Settings{Seed: 1})
	if math.Abs(slope-0.7) > 1e-3 {
		t.Errorf("slope %v, want 0.7", slope)
	}
	plain, _ := gp.Fit(x, y, 2, gp.Settings{Seed: 1})
	if density < plain.LogDensity()+10 {
		t.Errorf("log density %v with the tie and %v without", density, plain.LogDensity())
	}
	mean, _ := rest.Posterior([]float64{0.5, 0.5})
	if math.Abs(mean-0.5) > 0.01 {
		t.Errorf("the rest is %v, want 0.5", mean)
	}
}

func TestFitTiedIsNoLikelierWithoutATie(t *testing.T) {
	x, y, other := tiedData(30, 0)
	plain, _ := gp.Fit(x, y, 2, gp.Settings{Seed: 1})
	if _, _, density := gp.FitTied(x, y, other, 2, gp.Settings{Seed: 1}); density > plain.LogDensity() {
		t.Errorf("log density %v with the tie and %v without", density, plain.LogDensity())
	}
}

// The log density integrates over the slope. The twin does that by brute force.
func TestFitTiedIntegratesOverTheSlope(t *testing.T) {
	x, y, other := tiedData(12, 0.7)
	rest, slope, density := gp.FitTied(x, y, other, 2, gp.Settings{Seed: 1})
	sd := gp.Standardise(y).Scale / gp.Standardise(other).Scale
	at := func(a float64) float64 {
		r := make([]float64, len(y))
		for i := range y {
			r[i] = y[i] - a*other[i]
		}
		h, std := rest.Hyper(), rest.Standard()
		// the mean is the best one for each slope
		best := math.Inf(-1)
		low, high := -50.0, 50.0
		value := func(mean float64) float64 {
			h.Mean = mean
			return gp.New(x, r, std, h).LogDensity()
		}
		for range 100 {
			a, b := low+(high-low)/3, high-(high-low)/3
			if va, vb := value(a), value(b); va < vb {
				low, best = a, vb
			} else {
				high, best = b, va
			}
		}
		return best - 0.5*a*a/(sd*sd) - 0.5*math.Log(2*math.Pi) - math.Log(sd)
	}
	const steps, width = 400, 0.02
	sum := 0.0
	for i := range steps {
		a := slope + width*(2*(float64(i)+0.5)/steps-1)
		sum += math.Exp(at(a)-density) * 2 * width / steps
	}
	if math.Abs(math.Log(sum)) > 0.05 {
		t.Errorf("log density %v, by brute force %v", density, density+math.Log(sum))
	}
}
