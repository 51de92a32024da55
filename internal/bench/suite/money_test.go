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
	if needed.Mean != 0.25 || needed.Low != 0.2 || needed.High != 0.25 || pairs != 6 {
		t.Errorf("%+v in %d pairs", needed, pairs)
	}
	if got := share(needed); got != "25 % [20 %, 25 %]" {
		t.Errorf("written as %q", got)
	}
	if needed, _ = r.needed("looks", "better"); !math.IsInf(needed.Mean, 1) || share(needed) != "more [more, more]" {
		t.Errorf("%+v, %s", needed, share(needed))
	}
	if needed, pairs = r.needed("looks", "missing"); !math.IsNaN(needed.Mean) || pairs != 0 || share(needed) != "–" {
		t.Errorf("%+v in %d pairs, %s", needed, pairs, share(needed))
	}
}
