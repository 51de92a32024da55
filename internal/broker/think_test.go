package broker

import (
	"context"
	"testing"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// A choice is given up as soon as a trial ends, since it would have to be made again anyway. More money for a trial interrupts nobody, and neither does a result
// once many attempts were given up.
func TestResultsInterruptThinking(t *testing.T) {
	ctx := t.Context()
	b, err := Create(ctx, store.Memory(), &study.Study{
		Name: "kiln", Objective: study.Objective{Name: "strength", Goal: study.Maximize}, Cost: study.Cost{Unit: "s", Source: study.Walltime},
		Budget: study.Budget{Total: 100}, Parallel: 4, Parameters: []space.Param{{Name: "heat", Kind: space.KindFloat, Min: 0, Max: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := b.Lease(ctx, Asker{Runner: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	finish := func(trial int) {
		t.Helper()
		if err := b.FinishAs(ctx, trial, study.Finished{State: study.Done, Value: 1, Charged: 0.1}, ""); err != nil {
			t.Fatal(err)
		}
	}
	_, isOutdated, err := b.think(ctx, mostGivenUp, func(ctx context.Context) (study.Asked, error) {
		extended, err := b.Extend(ctx, 1, 1e6, 1e6)
		if err != nil || extended.Reserved <= 1 || ctx.Err() != nil {
			t.Errorf("%v, %v after an extension to %v", err, ctx.Err(), extended.Reserved)
		}
		finish(1)
		return study.Asked{}, ctx.Err()
	})
	if !isOutdated || err == nil {
		t.Errorf("outdated: %v, %v", isOutdated, err)
	}
	if _, isOutdated, err = b.think(ctx, mostGivenUp+1, func(ctx context.Context) (study.Asked, error) {
		finish(2)
		return study.Asked{}, ctx.Err()
	}); isOutdated || err != nil {
		t.Errorf("outdated: %v, %v", isOutdated, err)
	}
	if trial, err := b.Ask(ctx, "a"); err != nil || trial.Number != 3 {
		t.Errorf("%+v, %v", trial, err)
	}
}
