package broker_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

func definition() *study.Study {
	return &study.Study{
		Name: "kiln", Objective: study.Objective{Name: "strength", Goal: study.Maximize},
		Cost: study.Cost{Unit: "euros", Source: study.Reported}, Budget: study.Budget{Total: 12},
		Policy: study.Policy{Name: "ei-puc-cc"}, Seed: 1, Parallel: 4,
		Parameters: []space.Param{
			{Name: "heat", Kind: space.KindFloat, Min: 800, Max: 1300},
			{Name: "hours", Kind: space.KindInt, Min: 1, Max: 24},
		},
	}
}

func fire(s space.Setting) (strength, cost float64) {
	heat, _ := s["heat"].Number()
	hours, _ := s["hours"].Number()
	h, t := (heat-800)/500, hours/24
	return math.Exp(-8*(h-0.6)*(h-0.6) - 4*(t-0.4)*(t-0.4)), 0.1 + 0.5*h + t
}

// Many workers, each with a desk of its own on one store, spend one budget: every trial is different, all that was
// told is there once, and no reservation ever carried spent + reserved past the total.
func TestManyDesksOneLedger(t *testing.T) {
	ctx, st := context.Background(), store.Memory()
	if _, err := broker.Create(ctx, st, definition()); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	told := map[int]float64{}
	for range 4 {
		wait.Go(func() {
			d, err := broker.Open(ctx, st, "kiln")
			if err != nil {
				t.Error(err)
				return
			}
			for {
				trial, err := d.Ask(ctx, "worker")
				if errors.Is(err, advisor.ErrBudgetSpent) || errors.Is(err, advisor.ErrBudgetPending) || errors.Is(err, advisor.ErrNotWorth) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				strength, cost := fire(trial.Setting)
				err = errors.Join(d.Start(ctx, trial.Number, "worker"), d.Finish(ctx, trial.Number, study.Finished{State: study.Done, Value: strength, Charged: cost}))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				told[trial.Number] = cost
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	_, events, err := st.Read(ctx, "kiln", 0)
	if err != nil {
		t.Fatal(err)
	}
	sp, _ := definition().Space()
	r, settings, sum := study.NewRecord(12, false), map[string]bool{}, 0.0
	for _, e := range events {
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
		if l := r.Ledger; e.Kind == study.EventAsked && l.Spent+l.Reserved > l.Total*(1+1e-9) {
			t.Errorf("event %d reserved past the total: %+v", e.Seq, l)
		}
	}
	for _, trial := range r.Trials {
		settings[sp.Key(trial.Setting)] = true
		sum += trial.Charged
		if trial.State != study.Done || told[trial.Number] != trial.Charged {
			t.Errorf("trial %+v, told %v", trial, told[trial.Number])
		}
	}
	if len(settings) != len(r.Trials) || len(told) != len(r.Trials) || math.Abs(sum-r.Ledger.Spent) > 1e-9 || r.Ledger.Reserved != 0 {
		t.Errorf("%d trials, %d settings, %d told, sum %v, ledger %+v", len(r.Trials), len(settings), len(told), sum, r.Ledger)
	}
	t.Logf("%d trials, spent %.2f", len(r.Trials), r.Ledger.Spent)
}

func TestDeskRefusesWhatIsNotThere(t *testing.T) {
	ctx, st := context.Background(), store.Memory()
	if _, err := broker.Open(ctx, st, "nothing"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v", err)
	}
	d, err := broker.Create(ctx, st, definition())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broker.Create(ctx, st, definition()); !errors.Is(err, store.ErrExists) {
		t.Errorf("%v", err)
	}
	if err := d.Finish(ctx, 3, study.Finished{State: study.Done, Charged: 1}); err == nil {
		t.Error("a trial that was never asked for was finished")
	}
	if err := d.AddBudget(ctx, -1); err == nil {
		t.Error("the budget was lowered")
	}
	if err := d.AddBudget(ctx, 8); err != nil {
		t.Fatal(err)
	}
	if r, err := d.Record(ctx); err != nil || r.Ledger.Total != 20 || d.Study().Name != "kiln" {
		t.Errorf("%+v %v", r, err)
	}
}

// A request that is sent again, because its answer was lost, asks for no second trial and charges nothing twice.
func TestKeysMakeRequestsSafeToRepeat(t *testing.T) {
	ctx, st := context.Background(), store.Memory()
	d, err := broker.Create(ctx, st, definition())
	if err != nil {
		t.Fatal(err)
	}
	first, err := d.Lease(ctx, broker.Asker{Runner: "lease-a", Key: "key-1"})
	if err != nil || first.State != study.Running || first.Runner != "lease-a" {
		t.Fatalf("%+v %v", first, err)
	}
	again, err := d.Lease(ctx, broker.Asker{Runner: "lease-a", Key: "key-1"})
	if err != nil || again.Number != first.Number {
		t.Fatalf("%+v %v", again, err)
	}
	if second, err := d.Lease(ctx, broker.Asker{Runner: "lease-a", Key: "key-2"}); err != nil || second.Number == first.Number {
		t.Fatalf("%+v %v", second, err)
	}
	for range 3 {
		if err := d.FinishAs(ctx, first.Number, study.Finished{State: study.Done, Value: 1, Charged: 2}, "key-3"); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.FinishAs(ctx, first.Number, study.Finished{State: study.Done, Value: 1, Charged: 2}, "key-4"); err == nil {
		t.Error("it was ended a second time")
	}
	if err := d.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Lease(ctx, broker.Asker{Runner: "lease-a", Key: "key-5"}); !errors.Is(err, study.ErrClosed) {
		t.Errorf("%v", err)
	}
	if err := d.Finish(ctx, 2, study.Finished{State: study.Done, Value: 1, Charged: 1}); err != nil {
		t.Error(err) // what was under way may still end
	}
	if r, err := d.Record(ctx); err != nil || r.Ledger.Spent != 3 || len(r.Trials) != 2 || !r.Closed {
		t.Errorf("%+v %v", r, err)
	}
}
