package model_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
	"github.com/eke-bo/eke/policy"
)

// failing is a study of a slope towards a corner where everything fails.
func failing(n int, seed uint64) model.State {
	rng := rand.New(rand.NewPCG(seed, 7))
	s := model.State{Dim: 2, Initial: 1000, Remaining: 1000 - float64(n), Seed: seed, Trial: n}
	for range n {
		x := []float64{rng.Float64(), rng.Float64()}
		if x[0] > 0.7 && x[1] > 0.7 {
			s.Failed = append(s.Failed, model.Failure{x, math.NaN()})
			continue
		}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, x[0]+x[1]+0.1*math.Sin(8*x[0])), append(s.LnCost, 0.2*x[0])
	}
	return s
}

func believed(t *testing.T, s model.State) *model.Beliefs {
	return modeltest.Believe(t, &s, model.Settings{})
}

// logChance is the logarithm of the chance of a value.
func logChance(d *model.Beliefs) func(grad, x []float64) float64 {
	chance := d.Belief.Fails.Value.LogChance()
	return func(grad, x []float64) float64 {
		clear(grad)
		return chance(grad, x)
	}
}

func TestLogChanceGradient(t *testing.T) {
	d := believed(t, failing(40, 1))
	for _, x := range [][]float64{{0.2, 0.3}, {0.8, 0.8}, {0.71, 0.69}, {0, 1}} {
		gradcheck.Check(t, logChance(d), x, gradcheck.Settings{})
	}
}

// The chance is low where everything failed, high where nothing did, and a single failure among good evaluations is forgiven.
func TestChanceOfAValue(t *testing.T) {
	s := failing(60, 2)
	s.Failed = append(s.Failed, model.Failure{[]float64{0.3, 0.3}, math.NaN()})
	d := believed(t, s)
	chance := func(a, b float64) float64 { return math.Exp(logChance(d)(nil, []float64{a, b})) }
	if corner, middle, forgiven := chance(0.9, 0.9), chance(0.2, 0.6), chance(0.3, 0.3); corner > 0.5 || middle < 0.8 || forgiven < 0.5 {
		t.Errorf("in the corner %.2f, elsewhere %.2f, at a single failure %.2f", corner, middle, forgiven)
	}
}

// The corner of failures is soon left alone although the values rise towards it, and the best, 1.8 at its edge, is found. To find it, the edge
// has to be tried from both sides, and carefully, since failures cost as much as values.
func TestFailuresAreAvoided(t *testing.T) {
	p, err := policy.New("log-ei-puc", model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(4) {
		s := failing(12, seed)
		deep, best := 0, math.Inf(-1)
		for s.Trial = 12; s.Trial < 60; s.Trial++ {
			out, err := p.Suggest(context.Background(), s)
			if err != nil {
				break
			}
			s.Remaining--
			if out.X[0] > 0.7 && out.X[1] > 0.7 {
				s.Failed = append(s.Failed, model.Failure{out.X, math.NaN()})
				if out.X[0] > 0.8 && out.X[1] > 0.8 {
					deep++
				}
				continue
			}
			y := out.X[0] + out.X[1] + 0.1*math.Sin(8*out.X[0])
			s.X, s.Y, s.LnCost = append(s.X, out.X), append(s.Y, y), append(s.LnCost, 0.2*out.X[0])
			best = math.Max(best, y)
		}
		t.Logf("seed %d: %d deep in the corner, best %v", seed, deep, best)
		if deep > 6 || best < 1.79 {
			t.Errorf("seed %d: %d trials deep in the corner, best %v", seed, deep, best)
		}
	}
}

// Failures do not bend the model of the values around them.
func TestFailuresLeaveValuesAlone(t *testing.T) {
	s := failing(30, 1)
	without := s
	without.Failed = nil
	with, _ := policy.Fit(context.Background(), s, model.Settings{})
	plain, _ := policy.Fit(context.Background(), without, model.Settings{})
	at := [][]float64{{0.6, 0.6}}
	if a, b := with.Predict(at)[0].Value, plain.Predict(at)[0].Value; len(s.Failed) == 0 || a != b {
		t.Errorf("%d failures change a value from %v to %v", len(s.Failed), b, a)
	}
}

// Three failures of a command that was broken do no harm once the command works.
func TestEarlyFailuresAreForgiven(t *testing.T) {
	s := failing(0, 1)
	for _, x := range [][]float64{{0.5, 0.5}, {0.25, 0.75}, {0.75, 0.25}} {
		s.Failed = append(s.Failed, model.Failure{x, math.NaN()})
	}
	p, err := policy.New("log-ei-puc", model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	best := math.Inf(-1)
	for s.Trial = 3; s.Trial < 25; s.Trial++ {
		out, err := p.Suggest(context.Background(), s)
		if err != nil {
			break
		}
		y := -math.Pow(out.X[0]-0.5, 2) - math.Pow(out.X[1]-0.5, 2) // the best is where it failed
		s.X, s.Y, s.LnCost = append(s.X, out.X), append(s.Y, y), append(s.LnCost, 0)
		s.Remaining--
		best = math.Max(best, y)
	}
	if best < -1e-3 {
		t.Errorf("the best after early failures is %v", best)
	}
}

// Where failures cost a twentieth, a study whose safe settings are all hopeless goes on with settings that are likelier to fail than not.
func TestCheapFailuresDoNotEndAStudy(t *testing.T) {
	p, err := policy.New("gittins-d", model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		s := model.State{Dim: 2, Initial: 30, Remaining: 30, Seed: seed}
		for ; s.Remaining > 0; s.Trial++ {
			out, err := p.Suggest(context.Background(), s)
			if err != nil {
				break
			}
			if out.Policy == "gittins-d" && s.FailedInRow >= 2 && out.Predicted.Works < 0.49 && believed(t, s).LeastChance() > 0.5 {
				return
			}
			if x := out.X; x[0] > 0.65 || 0.4*x[0]+x[1] < 0.45 { // beyond one of two walls
				s.Failed = append(s.Failed, model.Failure{X: x, LnCost: math.Log(0.05)})
				s.FailedInRow++
				s.Remaining -= 0.05
			} else {
				s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, 0.6*x[0]-math.Pow(x[1]-0.5, 2)), append(s.LnCost, 0)
				s.FailedInRow = 0
				s.Remaining--
			}
		}
	}
	t.Error("after two failures in a row, no trial was likelier to fail than not")
}
