package policy_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// hopeless plays a study until nothing is likely to beat the best, and returns its state and how it ended.
func hopeless(t *testing.T, name string) (policy.State, error) {
	t.Helper()
	s := policy.State{Dim: 2, Initial: 1e6, Remaining: 1e6, Seed: 4}
	grid(&s, 9, 8)
	p := must(t, name, small(policy.Settings{}))
	for s.Trial = 0; s.Trial < 72; s.Trial++ {
		got, err := p.Suggest(context.Background(), s)
		if err != nil {
			return s, err
		}
		tell(&s, got.X)
	}
	return s, nil
}

// A study in which nothing is likely to beat the best ends with money left, and the best setting is among those tried. Without the rule
// it would try all others, too.
func TestHopelessTrialsAreNotPaidFor(t *testing.T) {
	for _, name := range []string{"ei", "log-ei-puc", "gittins-d"} {
		s, err := hopeless(t, name)
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

// Each suggestion's own forecast leaves it a chance, and says which.
func TestSuggestionsHaveAChance(t *testing.T) {
	for seed := range uint64(3) {
		s := study(20, 2, seed)
		for _, name := range []string{"log-ei-puc", "gittins-d"} {
			out, err := must(t, name, small(policy.Settings{})).Suggest(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			least := max(0.009, 0.1*math.Exp(out.Predicted.LnCost)/s.Initial)
			if chance := out.Predicted.Beats; !(chance >= least && chance < 1) {
				t.Errorf("%s, seed %d: %v ± %v with a chance of %v, not at least %v", name, seed, out.Predicted.Value, out.Predicted.ValueSD, chance, least)
			}
		}
		out, err := must(t, "log-ei-puc", small(policy.Settings{Noise: policy.Noisy()})).Suggest(context.Background(), s)
		if err != nil || !(out.Predicted.Beats > 0 && out.Predicted.Beats < 1 && out.Predicted.Gain > 0) {
			t.Errorf("with noise: %v, a gain of %v, %v", out.Predicted.Beats, out.Predicted.Gain, err)
		}
	}
}

// A search that was cut short does not end a study: it has not seen everything. And whoever wants long shots gets them.
func TestHopelessTrialsAllTheSame(t *testing.T) {
	s, err := hopeless(t, "gittins-d")
	if !errors.Is(err, policy.ErrNoHope) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := must(t, "gittins-d", small(policy.Settings{})).Suggest(ctx, s); err != nil || !got.CutShort {
		t.Errorf("%v, cut short: %v", err, got.CutShort)
	}
	if _, err := must(t, "gittins-d", small(policy.Settings{LongShots: true})).Suggest(context.Background(), s); err != nil {
		t.Error(err)
	}
}
