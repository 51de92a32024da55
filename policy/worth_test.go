package policy_test

import (
	"context"
	"errors"
	"math"
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

// Each suggestion's own forecast leaves it a chance, and says which. With noise nobody asks.
func TestSuggestionsHaveAChance(t *testing.T) {
	for seed := range uint64(3) {
		s := study(20, 2, seed)
		for _, name := range []string{"log-ei-puc", "gittins-d"} {
			out, err := must(t, name, small(policy.Settings{})).Suggest(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			least := max(policy.Default().Worth, policy.Default().Stake*math.Exp(out.Predicted.LnCost)/s.Initial)
			if chance := out.Predicted.Beats; !(chance >= least && chance < 1) {
				t.Errorf("%s, seed %d: %v ± %v with a chance of %v, not at least %v", name, seed, out.Predicted.Value, out.Predicted.ValueSD, chance, least)
			}
		}
		out, err := must(t, "log-ei-puc", small(policy.Settings{Noise: policy.Noisy()})).Suggest(context.Background(), s)
		if err != nil || out.Predicted.Beats != 0 {
			t.Errorf("with noise: %v, %v", out.Predicted.Beats, err)
		}
	}
}

// A search that was cut short does not end a study: it has not seen everything.
func TestCutShortIsNotHopeless(t *testing.T) {
	preset := policy.Default()
	preset.Worth = 0.999
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got, err := must(t, "gittins-d", small(policy.Settings{Preset: &preset})).Suggest(ctx, study(20, 2, 1))
	if err != nil || !got.CutShort {
		t.Errorf("%v, cut short: %v", err, got.CutShort)
	}
}

// A limit that no trial meets ends a study that goes on without one, and so does a price that no chance is worth.
func TestWorthIsTheLeastChance(t *testing.T) {
	for _, c := range []struct {
		worth, stake, budget float64
		want                 error
	}{
		{0, 0, 40, nil}, {0.999, 0, 40, policy.ErrNoHope}, // hopeless at any price
		{0.01, 1e6, 40, policy.ErrNoHope}, {0.01, 1e6, 1e12, nil}, // a part of the budget, and next to nothing of a larger one
		{0.01, 1e6, 0, policy.ErrNoHope}, // a state that does not say what the whole budget was
	} {
		s, preset := study(20, 2, 1), policy.Default()
		s.Initial, s.Remaining = c.budget, max(c.budget/2, 20)
		preset.Worth, preset.Stake = c.worth, c.stake
		if _, err := must(t, "gittins-d", small(policy.Settings{Preset: &preset})).Suggest(context.Background(), s); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
