package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// The budget covers 20 reservations of 4.
const crowdStudy = `name: crowd
objective: {goal: minimize}
cost: {source: reported, unit: euros}
budget: {total: 80, per_trial: 4}
parameters:
  x: {type: float, min: 0, max: 1}
  n: {type: int, min: 1, max: 50}
policy: {name: random, design: 40}
`

// Sixteen processes ask at once, without a store at first: every one gets a trial of its own. Sixteen
// more share what is left, which covers four. No row of the history reserves money that is not there.
func TestSixteenProcessesAsk(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "study.yaml"), []byte(crowdStudy), 0o666); err != nil {
		t.Fatal(err)
	}
	if codes := askAtOnce(t, dir, 16); codes[fault.ExitFine] != 16 {
		t.Fatalf("exit codes and how often: %v", codes)
	}
	if codes := askAtOnce(t, dir, 16); codes[fault.ExitFine] != 4 || codes[fault.ExitPending] != 12 {
		t.Errorf("exit codes and how often: %v", codes)
	}

	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "eke.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	header, events, err := st.Read(t.Context(), "crowd", 0)
	if err != nil {
		t.Fatal(err)
	}
	r, settings := study.NewRecord(header.Total, header.Measured), map[string]bool{}
	for _, e := range events {
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
		if l := r.Ledger; l.Spent+l.Reserved > l.Total {
			t.Errorf("event %d: %+v", e.Seq, l)
		}
		settings[e.Asked.Setting["x"].String()+" "+e.Asked.Setting["n"].String()] = true
	}
	if len(r.Trials) != 20 || len(settings) != 20 || r.Ledger.Reserved != 80 {
		t.Errorf("%d trials, %d settings, %+v", len(r.Trials), len(settings), r.Ledger)
	}
}

// askAtOnce counts the exit codes of so many processes.
func askAtOnce(t *testing.T, dir string, processes int) map[int]int {
	t.Helper()
	var wait sync.WaitGroup
	var mu sync.Mutex
	codes := map[int]int{}
	for range processes {
		wait.Go(func() {
			ask := exec.Command("eke", "ask")
			ask.Dir = dir
			out, err := ask.CombinedOutput()
			code := 0
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				code = exit.ExitCode()
			} else if err != nil {
				t.Error(err)
			}
			if code != fault.ExitFine && code != fault.ExitPending {
				t.Logf("%s", out)
			}
			mu.Lock()
			codes[code]++
			mu.Unlock()
		})
	}
	wait.Wait()
	return codes
}
