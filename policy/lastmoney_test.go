package policy_test

import (
	"context"
	"errors"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// The last money is not spent on long shots: each of the last few tries has a chance of one in twenty at least, or there is none.
func TestNoLongShotsWithTheLastMoney(t *testing.T) {
	late := 0
	for seed := range uint64(10) {
		s := study(16, 2, seed)
		s.Remaining = 5
		out, err := must(t, "gittins-d", small(policy.Settings{Threads: 1})).Suggest(context.Background(), s)
		switch {
		case errors.Is(err, policy.ErrNoHope):
			continue
		case err != nil:
			t.Fatal(err)
		}
		if out.LastTries > 0 {
			late++
			if out.Predicted.Beats < 0.05 {
				t.Errorf("seed %d: with money for %.1f tries, one with a chance of %v was chosen", seed, out.LastTries, out.Predicted.Beats)
			}
		}
	}
	if late == 0 {
		t.Error("no suggestion was one of the last tries")
	}
}
