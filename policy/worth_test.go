package policy_test

import (
	"context"
	"errors"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// A study in which nothing is likely to beat the best ends with money left, and the best setting is among those tried. Without the rule
// it would try all others, too.
func TestHopelessTrialsAreNotPaidFor(t *testing.T) {
	for _, name := range []string{"ei", "log-ei-puc", "gittins-d"} {
		s := policy.State{Dim: 2, Initial: 1e6, Remaining: 1e6, Seed: 4}
		grid(&s, 9, 8)
		p := must(t, name, small(policy.Settings{}))
		var err error
		for s.Trial = 0; err == nil && s.Trial < 72; s.Trial++ {
			var got policy.Suggestion
			if got, err = p.Suggest(context.Background(), s); err == nil {
				tell(&s, got.X)
			}
		}
		if !errors.Is(err, policy.ErrNoHope) || len(s.X) > 40 {
			t.Errorf("%s: %v after %d of 72 settings", name, err, len(s.X))
		}
		best, reached := -1e9, -1e9
		for i := range 9 {
			for j := range 8 {
				y, _ := hill(s.Snap([]float64{(float64(i) + 0.5) / 9, (float64(j) + 0.5) / 8}))
				best = max(best, y)
			}
		}
		for _, y := range s.Y {
			reached = max(reached, y)
		}
		if reached < best {
			t.Errorf("%s: ended at %v, the best setting has %v", name, reached, best)
		}
	}
}

// Each suggestion's own forecast leaves it a chance.
func TestSuggestionsHaveAChance(t *testing.T) {
	for seed := range uint64(3) {
		s := study(20, 2, seed)
		best := s.Y[0]
		for _, y := range s.Y {
			best = max(best, y)
		}
		out, err := must(t, "log-ei-puc", small(policy.Settings{})).Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if out.Predicted.Value+3.8*out.Predicted.ValueSD < best {
			t.Errorf("seed %d: %v ± %v, the best is %v", seed, out.Predicted.Value, out.Predicted.ValueSD, best)
		}
	}
}
