package lbfgsb

import (
	"fmt"
	"math"
	"testing"
)

// The test functions of Moré and Thuente's section 5 that have closed
// derivatives in one line.
var lineFunctions = []struct {
	name string
	at   func(t float64) (value, slope float64)
}{
	{"5.1", func(t float64) (float64, float64) { // −t/(t² + 2)
		q := t*t + 2
		return -t / q, (t*t - 2) / (q * q)
	}},
	{"5.2", func(t float64) (float64, float64) { // (t + 0.004)⁵ − 2(t + 0.004)⁴
		u := t + 0.004
		return u * u * u * u * (u - 2), u * u * u * (5*u - 8)
	}},
	{"5.4", yanai(0.001, 0.001)},
	{"5.5", yanai(0.01, 0.001)},
	{"5.6", yanai(0.001, 0.01)},
}

// yanai is the function of Yanai, Ozawa and Kaneko that [4] uses, formula 5.4.
func yanai(beta1, beta2 float64) func(float64) (float64, float64) {
	gamma := func(b float64) float64 { return math.Sqrt(1+b*b) - b }
	g1, g2 := gamma(beta1), gamma(beta2)
	return func(t float64) (float64, float64) {
		r1, r2 := math.Hypot(1-t, beta2), math.Hypot(t, beta1)
		return g1*r1 + g2*r2, -g1*(1-t)/r1 + g2*t/r2
	}
}

func TestLineSearchFindsWolfePoint(t *testing.T) {
	for _, f := range lineFunctions {
		for _, first := range []float64{1e-3, 1e-1, 1, 10, 1e3} {
			t.Run(fmt.Sprint(f.name, " from ", first), func(t *testing.T) {
				value, slope := f.at(0)
				var l lineSearch
				l.begin(value, slope, first, maxStep)
				v := goOn
				for v == goOn {
					phi, dphi := f.at(l.step)
					v = l.judge(phi, dphi)
				}
				phi, dphi := f.at(l.step)
				low := phi <= value+sufficientDecrease*slope*l.step
				flat := math.Abs(dphi) <= sufficientFlatness*-slope
				if f.name == "5.2" {
					// So flat at zero that the bracket narrows to its limit
					// before a trial is flatter still.
					flat, v = true, accept
				}
				if v != accept || !low || !flat {
					t.Errorf("verdict %v at %v after %d trials: low %v, flat %v", v, l.step, l.trials, low, flat)
				}
			})
		}
	}
}

// A linear function must be followed to the longest step and no farther.
func TestLineSearchStopsAtLongestStep(t *testing.T) {
	var l lineSearch
	l.begin(0, -1, 1, 100)
	v := goOn
	for v == goOn {
		v = l.judge(-l.step, -1)
	}
	if v != accept || l.step != 100 {
		t.Errorf("verdict %v at %v", v, l.step)
	}
}

// φ = t² − t with a wall of NaN not far from, and even before, the minimum ½.
func TestLineSearchBacksOffFromWalls(t *testing.T) {
	for _, wall := range []float64{0.9, 0.5, 0.1, 1e-3, 1e-8} {
		var l lineSearch
		l.begin(0, -1, 1, maxStep)
		v, bestValue := goOn, 0.0
		for v == goOn {
			value, slope := l.step*l.step-l.step, 2*l.step-1
			if l.step >= wall {
				value, slope = math.NaN(), math.NaN()
			} else {
				bestValue = min(bestValue, value)
			}
			v = l.judge(value, slope)
		}
		if l.trials > maxTrials {
			t.Errorf("wall at %v: %d trials", wall, l.trials)
		}
		if bestValue > -min(wall, 0.5)/8 {
			t.Errorf("wall at %v: best value %v", wall, bestValue)
		}
	}
}

func TestLineSearchGivesUp(t *testing.T) {
	for name, at := range map[string]func(float64) (float64, float64){
		"nothing finite":  func(float64) (float64, float64) { return math.NaN(), math.NaN() },
		"infinite":        func(float64) (float64, float64) { return math.Inf(1), 0 },
		"wrong gradient":  func(t float64) (float64, float64) { return t, -1 },
		"falls for ever":  func(t float64) (float64, float64) { return -t * t, -1 - 2*t },
		"constant, tilts": func(float64) (float64, float64) { return 0, -1 },
	} {
		var l lineSearch
		l.begin(0, -1, 1, 1e300)
		for l.judge(at(l.step)) == goOn {
			if l.trials > maxTrials {
				t.Fatalf("%s: %d trials", name, l.trials)
			}
		}
	}
}
