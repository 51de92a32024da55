package broker_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/results"
	"github.com/eke-bo/eke/space"
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

// The export of a study adds nothing to the study, although a row says what all trials cost that its trial went on from.
func TestOwnExportOfResumedTrialsIsKnown(t *testing.T) {
	ctx, st := t.Context(), store.Memory()
	b, err := broker.Create(ctx, st, curve(t, "fidelity: {name: epochs, steps: [1, 9, 81], resume: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var events []study.Event
	for i, epochs := range []float64{1, 9, 81} {
		setting := space.Setting{"x": space.Float(0.5), "epochs": space.Float(epochs)}
		point, err := b.Advisor().Space().Encode(setting)
		if err != nil {
			t.Fatal(err)
		}
		charged := []float64{0.1, 0.2, 0.3}[i] // in another order, their sum is another
		events = append(events,
			study.Event{Seq: int64(2*i + 1), Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: setting, Point: point, Reserved: charged, Look: i < 2, Resumes: i}},
			study.Event{Seq: int64(2*i + 2), Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: 3 - float64(i), Charged: charged}})
	}
	if err := st.Append(ctx, "curve", 0, events...); err != nil {
		t.Fatal(err)
	}
	r, err := b.Record(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := results.WriteCSV(&table, b.Study(), r.Trials); err != nil {
		t.Fatal(err)
	}
	read, err := results.Read([]byte(table.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := results.Match(read, b.Study(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows []broker.Result
	for _, row := range m.Results {
		rows = append(rows, broker.Result(row))
	}
	for _, list := range [][]broker.Result{broker.Measured(r), rows} {
		for _, charge := range []bool{false, true} {
			if done, err := b.WouldImport(ctx, list, charge); err != nil || done.Added != 0 || done.Known != len(list) {
				t.Errorf("%+v, %v", done, err)
			}
		}
	}
	// Another study is charged what all three cost together, and a result that an older version has imported, with the cost of its own trial, is known.
	s := curve(t, "fidelity: {name: epochs, steps: [1, 9, 81], resume: true}\n")
	s.Name = "other"
	other, err := broker.Create(ctx, st, s)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := other.WouldImport(ctx, rows, true); err != nil || done.Added != 3 || math.Abs(done.Charged-0.6) > 1e-12 {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := other.Import(ctx, []broker.Result{{Setting: rows[1].Setting, Value: rows[1].Value, Cost: rows[1].Cost - rows[1].Before}}, false); err != nil {
		t.Fatal(err)
	}
	if done, err := other.WouldImport(ctx, rows, false); err != nil || done.Added != 2 || done.Known != 1 {
		t.Errorf("%+v, %v", done, err)
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
