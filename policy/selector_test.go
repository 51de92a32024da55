package policy_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// grid makes the state's settings a grid of whole numbers, a by b, at the centres of their cells.
func grid(s *policy.State, sides ...int) {
	at := func(j, k int) float64 { return (float64(min(max(k, 0), sides[j]-1)) + 0.5) / float64(sides[j]) }
	cell := func(x []float64, j int) int { return int(math.Min(x[j]*float64(sides[j]), float64(sides[j]-1))) }
	s.Snap = func(x []float64) []float64 {
		y := make([]float64, len(x))
		for j := range y {
			y[j] = at(j, cell(x, j))
		}
		return y
	}
	s.Neighbours = func(x []float64) (list [][]float64) {
		for j := range x {
			for _, step := range []int{-1, 1} {
				y := s.Snap(x)
				y[j] = at(j, cell(x, j)+step)
				list = append(list, y)
			}
		}
		return list
	}
}

// If settings are whole numbers, each is suggested once, at its own point. Then the policy says that there are no
// more.
func TestEverySettingOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes one suggestion after another, which the race detector learns nothing from")
	}
	every(t, func(t *testing.T, name string, settings policy.Settings) {
		if settings.Paper {
			t.Skip("the paper preset does not look")
		}
		settings.LongShots = true // go on when nothing is likely to be better
		p := must(t, name, settings)
		s := policy.State{Dim: 2, Initial: 1e6, Remaining: 1e6, Seed: 4}
		grid(&s, 5, 4)
		seen := map[string]bool{}
		for s.Trial = 0; s.Trial < 20; s.Trial++ {
			got, err := p.Suggest(context.Background(), s)
			if err != nil {
				t.Fatalf("after %d settings: %v", len(seen), err)
			}
			if own := s.Snap(got.X); fmt.Sprint(own) != fmt.Sprint(got.X) {
				t.Fatalf("%v is not a setting, %v is", got.X, own)
			}
			for _, next := range got.Next {
				if own := s.Snap(next.X); fmt.Sprint(own) != fmt.Sprint(next.X) {
					t.Fatalf("the plan's %v is not a setting, %v is", next.X, own)
				}
			}
			seen[fmt.Sprint(got.X)] = true
			tell(&s, got.X)
		}
		if len(seen) != 20 {
			t.Errorf("%d of 20 settings", len(seen))
		}
		if _, err := p.Suggest(context.Background(), s); !errors.Is(err, policy.ErrExhausted) {
			t.Errorf("after all settings: %v", err)
		}
	})
}

// Among whole numbers the best setting is found, not just the rounding of the best point.
func TestWholeNumbersAreSearched(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes one suggestion after another, which the race detector learns nothing from")
	}
	for _, name := range []string{"ei", "2-bmsei", "4-bmsei-p"} {
		p := must(t, name, small(policy.Settings{}))
		s := policy.State{Dim: 2, Initial: 1e6, Remaining: 1e6, Seed: 4}
		grid(&s, 17, 23)
		best := math.Inf(-1)
		for s.Trial = 0; s.Trial < 30; s.Trial++ {
			got, err := p.Suggest(context.Background(), s)
			if errors.Is(err, policy.ErrNoHope) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			tell(&s, got.X)
			best = math.Max(best, s.Y[s.Trial])
		}
		highest := math.Inf(-1)
		for i := range 17 {
			for j := range 23 {
				y, _ := hill(s.Snap([]float64{(float64(i) + 0.5) / 17, (float64(j) + 0.5) / 23}))
				highest = math.Max(highest, y)
			}
		}
		if best < highest-0.002 {
			t.Errorf("%s: reached %v in 30 trials, the best setting has %v", name, best, highest)
		}
	}
}

// The last setting of many is found, wherever it is.
func TestTheLastSettingIsFound(t *testing.T) {
	for _, name := range []string{"random", "ei", "4-bmsei-p"} {
		for _, last := range [][]float64{{0, 0}, {0.5, 0.5}, {1, 0.3}} {
			s := study(0, 2, 1)
			grid(&s, 17, 23)
			last = s.Snap(last)
			for i := range 17 {
				for j := range 23 {
					if x := s.Snap([]float64{(float64(i) + 0.5) / 17, (float64(j) + 0.5) / 23}); fmt.Sprint(x) != fmt.Sprint(last) {
						tell(&s, x)
					}
				}
			}
			s.Trial = len(s.X)
			got, err := must(t, name, small(policy.Settings{LongShots: true, Starts: 2, RawPoints: 20, Iterations: 5})).Suggest(context.Background(), s)
			if err != nil || fmt.Sprint(got.X) != fmt.Sprint(last) {
				t.Errorf("%s: %v (%v), %v is left", name, got.X, err, last)
			}
		}
		if testing.Short() {
			break
		}
	}
}

// If the values scatter, the model may consider all remaining settings known. They have not been tried, and the good ones are tried
// first.
func TestKnownIsNotTried(t *testing.T) {
	p := must(t, "ei", small(policy.Settings{}))
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := policy.State{Dim: 1, Initial: 1e6, Remaining: 1e6, Seed: seed, Trial: 150}
		grid(&s, 200)
		for _, i := range rng.Perm(200)[:150] {
			x := s.Snap([]float64{(float64(i) + 0.5) / 200})
			s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, 1.5*math.Sin(3*x[0])+0.1*rng.NormFloat64()), append(s.LnCost, 0)
		}
		got, err := p.Suggest(context.Background(), s)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got.X[0] < 0.25 || got.X[0] > 0.8 {
			t.Errorf("seed %d: %v, far from the top at 0.52", seed, got.X)
		}
	}
}
