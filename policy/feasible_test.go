package policy_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/policy"
)

// Every policy keeps to the constraints with every suggestion, the design's and the plan's further steps among them, however
// little is feasible.
func TestFeasible(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes one suggestion after another, which the race detector learns nothing from")
	}
	for what, feasible := range map[string]func(x []float64) bool{
		"a corner": func(x []float64) bool { return x[0]+x[1] <= 0.3 },
		"a ribbon": func(x []float64) bool { return math.Abs(x[0]-x[1]) < 0.01 },
		"islands":  func(x []float64) bool { return math.Abs(math.Sin(20*x[0])*math.Sin(20*x[1])) > 0.9 },
	} {
		every(t, func(t *testing.T, name string, settings policy.Settings) {
			p := must(t, name, settings)
			s := policy.State{Dim: 2, Initial: 1e6, Remaining: 1e6, Seed: 4, Feasible: feasible}
			for s.Trial = 0; s.Trial < 9; s.Trial++ {
				got, err := p.Suggest(context.Background(), s)
				if err != nil {
					t.Fatalf("%s: trial %d: %v", what, s.Trial, err)
				}
				if !feasible(got.X) {
					t.Fatalf("%s: trial %d (%s): %v is infeasible", what, s.Trial, got.Policy, got.X)
				}
				for _, next := range got.Next {
					if !feasible(next.X) {
						t.Errorf("%s: trial %d: the plan's %v is infeasible", what, s.Trial, next.X)
					}
				}
				tell(&s, got.X)
				s.Previous = got.Plan
			}
		})
	}
}

// Of a grid, all that is feasible is suggested, once, and then the policy says that there is no more.
func TestEveryFeasibleSettingOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes one suggestion after another, which the race detector learns nothing from")
	}
	every(t, func(t *testing.T, name string, settings policy.Settings) {
		if settings.Paper {
			t.Skip("the paper preset does not look")
		}
		p := must(t, name, settings)
		s := policy.State{Dim: 2, Initial: 1e6, Remaining: 1e6, Seed: 4}
		grid(&s, 6, 5)
		s.Feasible = func(x []float64) bool { return math.Mod(math.Floor(6*x[0])+math.Floor(5*x[1]), 3) == 0 }
		seen := map[string]bool{}
		for s.Trial = 0; s.Trial < 10; s.Trial++ {
			got, err := p.Suggest(context.Background(), s)
			if err != nil {
				t.Fatalf("after %d settings: %v", len(seen), err)
			}
			if !s.Feasible(got.X) {
				t.Fatalf("%v is infeasible", got.X)
			}
			seen[fmt.Sprint(got.X)] = true
			tell(&s, got.X)
		}
		if len(seen) != 10 {
			t.Errorf("%d of 10 settings", len(seen))
		}
		if _, err := p.Suggest(context.Background(), s); !errors.Is(err, policy.ErrExhausted) {
			t.Errorf("after all settings: %v", err)
		}
	})
}

// The best point is often where a constraint ends. The top of this hill is infeasible, and the best feasible point, (0.3, 0.3), is on
// the edge: the default finds it as well as it finds the top of a hill without constraints.
func TestBestOnTheEdge(t *testing.T) {
	s := policy.State{Dim: 2, Initial: 40, Remaining: 40, Seed: 1, Feasible: func(x []float64) bool { return x[0]+x[1] <= 0.6 }}
	p := must(t, "4-bmsei-p", policy.Settings{})
	best := math.Inf(-1)
	for s.Trial = 0; s.Trial < 20; s.Trial++ {
		got, err := p.Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		y := -math.Pow(got.X[0]-0.6, 2) - math.Pow(got.X[1]-0.6, 2)
		best = math.Max(best, y)
		s.X, s.Y, s.LnCost = append(s.X, got.X), append(s.Y, y), append(s.LnCost, 0)
		s.Previous = got.Plan
		s.Remaining--
	}
	if regret := -0.18 - best; regret > 1e-3 || regret < 0 {
		t.Errorf("the best is %v, %v below what can be had", best, regret)
	}
}

// The edge itself is tried, not what is a small step away from it: next to the edge all settings seem to be equally good, and the best is on it.
func TestTheEdgeItself(t *testing.T) {
	const edge = 0.87654321
	for seed := range uint64(100) {
		s := policy.State{Dim: 3, Initial: 40, Remaining: 30, Seed: seed, Feasible: func(x []float64) bool { return x[0]+x[1] <= edge }}
		for _, x := range maximise.RawPoints(14, 3, seed) {
			if s.Feasible(x) {
				s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, x[0]+0.8*x[1]-0.15*x[0]*x[0]-math.Pow(x[2]-0.4, 2)), append(s.LnCost, 2*(x[0]+x[1]))
			}
		}
		got, err := must(t, "gittins-d", policy.Settings{}).Suggest(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if within := edge - got.X[0] - got.X[1]; within < 0 || within > 1e-6 && within < 1e-3 {
			t.Errorf("seed %d: %v is %g away from the edge", seed, got.X, within)
		}
	}
}
