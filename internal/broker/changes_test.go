package broker_test

import (
	"context"
	"testing"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Where changes cost something, the log has the place of a trial and what it says of its setup; elsewhere it has neither.
func TestPlaceAndSetupAreKept(t *testing.T) {
	ctx, cost := context.Background(), 1.0
	for _, changes := range []bool{true, false} {
		s := definition()
		if changes {
			s.Changeover = []study.Changeover{{Of: []string{s.Parameters[0].Name}, Cost: &cost}}
		}
		d, err := broker.Create(ctx, store.Memory(), s)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range []study.Finished{
			{State: study.Done, Value: 1, Charged: 1.5, Setup: new(1.0)},
			{State: study.Done, Value: 2, Charged: 0.5, Metrics: study.Metrics{"setup": 0.25, "memory": 7}}, // as a client tells it that knows of names only
		} {
			trial, err := d.AskAs(ctx, broker.Asker{Runner: "run-a", Place: "here/0"})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.StartAt(ctx, trial.Number, "run-a", trial.Place); err != nil {
				t.Fatal(err)
			}
			if err := d.Finish(ctx, trial.Number, f); err != nil {
				t.Fatal(err)
			}
			r, err := d.Record(ctx)
			if err != nil {
				t.Fatal(err)
			}
			got := r.Trials[i]
			want := []float64{1, 0.25}[i]
			switch {
			case !changes && (got.Place != "" || got.Setup != nil || i == 1 && got.Metrics["setup"] != 0.25):
				t.Errorf("without changeover: %q, %v, %v", got.Place, got.Setup, got.Metrics)
			case changes && (got.At() != "here/0" || got.Setup == nil || *got.Setup != want || got.Metrics["setup"] != 0 || i == 1 && got.Metrics["memory"] != 7):
				t.Errorf("trial %d: %q, %v, %v", i+1, got.Place, got.Setup, got.Metrics)
			}
		}
	}
}
