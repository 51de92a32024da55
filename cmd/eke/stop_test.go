package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// Whoever stops a trial that nobody watches any more is told so, and what to do. A run that lives shows every second that its trials do.
func TestStopOfDeadRun(t *testing.T) {
	db := filepath.Join(t.TempDir(), "eke.db")
	st, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defined, err := study.Parse([]byte("name: slow\nobjective: {goal: maximize}\ncost: {source: walltime}\nbudget: {total: 1h}\nparameters: {x: {type: float, min: 0, max: 1}}\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := broker.Create(t.Context(), st, defined)
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	var events []study.Event
	for n := 1; n <= 2; n++ {
		events = append(events,
			study.Event{Seq: int64(2*n - 1), At: long, Kind: study.EventAsked, Trial: n, Runner: "run-a", Asked: &study.Asked{Setting: space.Setting{"x": space.Float(0.5)}, Point: []float64{0.5}, Reserved: 60}},
			study.Event{Seq: int64(2 * n), At: long, Kind: study.EventStarted, Trial: n, Runner: "run-a"})
	}
	if err := st.Append(t.Context(), "slow", 0, events...); err != nil {
		t.Fatal(err)
	}
	if err := d.Touch(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	if exit := (&app{out: &out, err: &errs}).execute(t.Context(), []string{"stop", "slow", "1", "2", "--db", db}); exit != 0 {
		t.Fatalf("exit code %d: %s", exit, &errs)
	}
	first, second, _ := strings.Cut(out.String(), "\n")
	if !strings.Contains(first, "nothing was heard of it for 1h") || !strings.Contains(first, "eke tell slow 1 --abandon --force") || second != "trial 2 is told to stop\n" {
		t.Errorf("%s", &out)
	}
}
