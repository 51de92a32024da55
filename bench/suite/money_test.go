package suite

import (
	"math"
	"testing"
)

// runTo is a run whose log10 regret is 0 until a part of the money is spent, and then the given one.
func runTo(number, points int, regret float64) Run {
	r := Run{Number: number, Curve: make([]float64, curvePoints)}
	for k := points - 1; k < curvePoints; k++ {
		r.Curve[k] = regret
	}
	return r
}

func TestMoneyNeeded(t *testing.T) {
	r := row{runs: map[string]map[int]Run{"looks": {}, "none": {}, "better": {}}}
	for n := range 6 {
		r.runs["looks"][n], r.runs["none"][n], r.runs["better"][n] = runTo(n, 4+n%2, -3), runTo(n, 20, -2), runTo(n, 20, -4)
	}
	needed, pairs := r.needed("looks", "none")
	// With 20 % of the money three of six are there, so that the mean is −1.5, and with 25 % all are: −2 is a third of the way. If all or none of
	// those drawn were there with 20 %, it would be two thirds of the way from 15 to 20 %, or from 20 to 25 %.
	if math.Abs(needed.Mean-(0.2+0.05/3)) > 1e-4 || needed.Low < 0.15+0.1/3-1e-4 || needed.High > 0.2+0.1/3+1e-4 || !(needed.Low < needed.Mean && needed.Mean < needed.High) || pairs != 6 {
		t.Errorf("%+v in %d pairs", needed, pairs)
	}
	if got := share(needed); got != "22 % [19 %, 23 %]" {
		t.Errorf("written as %q", got)
	}
	if needed, _ = r.needed("looks", "better"); !math.IsInf(needed.Mean, 1) || share(needed) != "more [more, more]" {
		t.Errorf("%+v, %s", needed, share(needed))
	}
	if needed, pairs = r.needed("looks", "missing"); !math.IsNaN(needed.Mean) || pairs != 0 || share(needed) != "–" {
		t.Errorf("%+v in %d pairs, %s", needed, pairs, share(needed))
	}
}

func TestReached(t *testing.T) {
	curve := []float64{-1, -1, -3, -4}
	for goal, want := range map[float64]float64{1: 0, 0: 0, -0.5: 0.125, -1: 0.25, -2: 0.625, -3: 0.75, -4: 1, -5: math.Inf(1)} {
		if got := reached(curve, goal); got != want {
			t.Errorf("%v is reached with %v of the money, not %v", goal, got, want)
		}
	}
}
