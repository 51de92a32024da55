package broker_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

func curve(t *testing.T, fidelity string) *study.Study {
	t.Helper()
	s, err := study.Parse([]byte("name: curve\nobjective: {name: loss, goal: minimize}\ncost: {unit: euros, source: reported}\n"+
		"budget: {total: 1000}\nparameters:\n  x: {type: float, min: 0, max: 1}\n"+fidelity), "curve.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a trial says that it has cost on its way is a part of what it is charged in the end. One absurd step must not make every
// setting look unaffordable.
func TestStepsCostNoMoreThanTheirTrial(t *testing.T) {
	ctx, st := context.Background(), store.Memory()
	b, err := broker.Create(ctx, st, curve(t, "fidelity: {name: epochs, min: 1, max: 9, log: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		trial, err := b.Lease(ctx, broker.Asker{Runner: "w", Key: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.AddSteps(ctx, trial.Number, study.Step{Step: 1, Value: 1, Cost: 1e15}); err != nil {
			t.Fatal(err)
		}
		if err := b.Finish(ctx, trial.Number, study.Finished{State: study.Done, Value: float64(i), Charged: 2}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := b.Record(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.Advisor().State(r)
	if err != nil || len(s.Looks) < 2 {
		t.Fatalf("%+v, %v", s.Looks, err)
	}
	for _, l := range s.Looks {
		if l.LnCost > math.Log(2) {
			t.Errorf("a step of a trial that cost 2 cost %v", math.Exp(l.LnCost))
		}
	}
	if r.Ledger.Spent != 4 {
		t.Errorf("%+v", r.Ledger)
	}
}

// What a person says that a trial cost stays, although the cluster's accounts close later.
func TestAccountsDoNotUndoACorrection(t *testing.T) {
	ctx, st := context.Background(), store.Memory()
	b, err := broker.Create(ctx, st, curve(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	trial, err := b.Lease(ctx, broker.Asker{Runner: "w", Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Finish(ctx, trial.Number, study.Finished{State: study.Done, Value: 1, Charged: 9, Estimated: true}); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		by    broker.Correction
		cost  float64
		spent float64
		was   int
	}{
		{broker.Correction{Exact: true, Note: broker.AccountsClosed}, 10, 10, 1},
		{broker.Correction{Exact: true, Note: broker.AccountsClosed}, 11, 11, 2}, // they have changed
		{broker.Correction{Exact: true, Note: broker.AccountsClosed}, 11, 11, 2}, // and are told twice
		{broker.Correction{Note: "the node was broken"}, 4, 4, 3},
		{broker.Correction{Exact: true, Note: broker.AccountsClosed}, 12, 4, 3},
	} {
		c.by.Cost = &c.cost
		if err := b.Correct(ctx, trial.Number, c.by); err != nil {
			t.Fatal(err)
		}
		if r, err := b.Record(ctx); err != nil || r.Ledger.Spent != c.spent || len(r.Trials[0].Was) != c.was {
			t.Errorf("%d: %+v, %+v, %v", i, r.Ledger, r.Trials[0].Was, err)
		}
	}
}
