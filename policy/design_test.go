package policy_test

import (
	"context"
	"math"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// designed plays an initial design whose costs are e^(4a), where a is the first coordinate, and returns its points and what they cost.
func designed(t *testing.T, s policy.State, set policy.Settings) (points [][]float64, spent float64) {
	t.Helper()
	p := must(t, "ei", set)
	for s.Trial = 0; s.Trial < 40; s.Trial++ {
		got, err := p.Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if got.Policy != "design" {
			break
		}
		cost := math.Exp(4 * got.X[0])
		points, spent = append(points, got.X), spent+cost
		s.X, s.Y, s.LnCost = append(s.X, got.X), append(s.Y, math.Sin(9*got.X[0])+got.X[1]), append(s.LnCost, math.Log(cost))
		s.Remaining -= cost
	}
	return points, spent
}

// The design takes a quarter of the budget at most, but for its first two points; with plenty of money it has all its points.
func TestDesignTakesItsShare(t *testing.T) {
	for seed := range uint64(4) {
		for _, budget := range []float64{200, 400, 1000, 1e6} {
			s := policy.State{Dim: 3, Initial: budget, Remaining: budget, Seed: seed}
			points, spent := designed(t, s, policy.Settings{})
			if len(points) > 2 && spent > 0.4*budget { // the last point may cost more than those before it
				t.Errorf("seed %d: %d points cost %v of %v", seed, len(points), spent, budget)
			}
			if budget == 1e6 && len(points) != 8 || len(points) < 2 {
				t.Errorf("seed %d: %d points for a budget of %v", seed, len(points), budget)
			}
		}
	}
}

// The first two points keep away from the edges; the later ones may lie anywhere.
func TestDesignBeginsInside(t *testing.T) {
	outside := 0
	for seed := range uint64(6) {
		points, _ := designed(t, policy.State{Dim: 4, Initial: 1e6, Remaining: 1e6, Seed: seed}, policy.Settings{})
		for i, x := range points {
			for _, v := range x {
				switch inside := v >= 0.25 && v <= 0.75; {
				case !inside && i < 2:
					t.Errorf("seed %d: point %d is %v", seed, i, x)
				case !inside:
					outside++
				}
			}
		}
	}
	if outside == 0 {
		t.Error("the whole design is in the middle")
	}
}

// Whoever asks for a number of points gets them.
func TestDesignThatWasAskedFor(t *testing.T) {
	s := policy.State{Dim: 2, Initial: 150, Remaining: 150, Seed: 1}
	if points, _ := designed(t, s, policy.Settings{Design: 5}); len(points) != 5 {
		t.Errorf("%d points, asked for 5", len(points))
	}
}

// A choice of ten has ten coordinates but counts as one parameter. Known results count as points of the design.
func TestDesignCountsParametersAndKnownResults(t *testing.T) {
	s := policy.State{Dim: 12, Parameters: 3, Initial: 1e9, Remaining: 1e9, Seed: 1}
	if points, _ := designed(t, s, policy.Settings{}); len(points) != 8 {
		t.Errorf("%d points for three parameters", len(points))
	}
	for i := range 5 {
		x := make([]float64, 12)
		x[i] = 1
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, float64(i)), append(s.LnCost, 1)
	}
	if points, _ := designed(t, s, policy.Settings{}); len(points) != 3 {
		t.Errorf("%d points after five known results", len(points))
	}
}

// Cheap points come first where costs differ, and they are still spread.
func TestDesignIsCheap(t *testing.T) {
	var cheap, usual float64
	for seed := range uint64(6) {
		s := policy.State{Dim: 2, Initial: 1e6, Remaining: 1e6, Seed: seed}
		points, spent := designed(t, s, policy.Settings{})
		cheap += spent
		_, spent = designed(t, s, policy.Settings{Paper: true})
		usual += spent
		for i, x := range points {
			for _, y := range points[:i] {
				if math.Hypot(x[0]-y[0], x[1]-y[1]) < 0.1 {
					t.Errorf("seed %d: %v is next to %v", seed, x, y)
				}
			}
		}
	}
	t.Logf("designs cost %.0f, without a look at costs %.0f", cheap, usual)
	if cheap > 0.8*usual {
		t.Errorf("designs cost %.0f, without a look at costs %.0f", cheap, usual)
	}
}
