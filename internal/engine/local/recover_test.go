package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

func TestRecover(t *testing.T) {
	for text, want := range map[string]outcome{
		`{"objective": 1, "cost": 2}`:   {State: study.Done, Value: 1, Cost: 2, HasCost: true},
		`{"objective": NaN, "cost": 2}`: {State: study.Failed, Cost: 2, HasCost: true},
		`{"objective": 1}`:              {State: study.Failed},
		`{"objective": 1, "cost": 2`:    {State: study.Abandoned},
		``:                              {State: study.Abandoned},
		`{"objective"`:                  {State: study.Abandoned},
	} {
		c := engine.Job{Dir: t.TempDir()}
		write(t, filepath.Join(c.Dir, engine.ResultFile), text, 0o666)
		out := found(c)
		if (out.Note != "") != (out.State == study.Failed) {
			t.Errorf("%q: note %q", text, out.Note)
		}
		out.Note = ""
		if out != want {
			t.Errorf("%q: %+v", text, out)
		}
	}
	c := engine.Job{Dir: t.TempDir(), WallTime: true}
	write(t, filepath.Join(c.Dir, engine.ResultFile), `{"objective": 1, "cost": 2}`, 0o666)
	if out := found(c); out != (outcome{State: study.Done, Value: 1}) {
		t.Errorf("wall time: %+v", out)
	}
	for _, dir := range []string{"", t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if out := found(engine.Job{Dir: dir}); out != (outcome{State: study.Abandoned}) {
			t.Errorf("%q: %+v", dir, out)
		}
	}
}

// What was printed counts if it says what it has cost.
func TestRecoverFromStdout(t *testing.T) {
	for _, c := range []struct {
		printed  string
		wallTime bool
		want     outcome
	}{
		{"epoch 1\n{\"objective\": 0.5, \"cost\": 3}\n", false, outcome{State: study.Done, Value: 0.5, Cost: 3, HasCost: true}},
		{"cost=10\nobjective=2\n", false, outcome{State: study.Done, Value: 2, Cost: 10, HasCost: true}},
		{"cost=10\n", false, outcome{State: study.Abandoned, Cost: 10, HasCost: true}},
		{"{\"objective\": 0.5}\n", false, outcome{State: study.Abandoned}},
		{"{\"objective\": 0.5}\n", true, outcome{State: study.Abandoned}},
		{"", false, outcome{State: study.Abandoned}},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, engine.StdoutFile), []byte(c.printed), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := found(engine.Job{Dir: dir, WallTime: c.wallTime}); got != c.want {
			t.Errorf("%q: %+v", c.printed, got)
		}
	}
}

// Jobs of a dead controller are polled together. A caller that goes away is not kept waiting, and learns nothing wrong.
func TestPollOfFoundJobs(t *testing.T) {
	e := &Engine{}
	jobs := []engine.Job{{Dir: t.TempDir()}, {Dir: t.TempDir()}}
	write(t, filepath.Join(jobs[1].Dir, engine.ResultFile), `{"objective": 1, "cost": 2}`, 0o666)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Poll(ctx, jobs); runtime.GOOS == "linux" && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	list, err := e.Poll(t.Context(), jobs)
	if err != nil || list[0].Outcome.State != study.Abandoned || list[1].Outcome.State != study.Done {
		t.Errorf("%+v, %v", list, err)
	}
}

// A command that was never started costs nothing. Of one that was, it is known when it began; of one of a version before 0.2, neither is.
func TestNeverStarted(t *testing.T) {
	for _, wallTime := range []bool{false, true} {
		j := engine.Job{Dir: t.TempDir(), ID: "a", WallTime: wallTime}
		if out := found(j); out.State != study.Abandoned || !out.NeverBegan || !out.HasCost || out.Cost != 0 || !out.Began.IsZero() {
			t.Errorf("never started: %+v", out)
		}
		j.ID = ""
		if out := found(j); out != (outcome{State: study.Abandoned}) {
			t.Errorf("of an older version: %+v", out)
		}
		j.ID = "a"
		if err := (files{j.Dir}).note(startedFile); err != nil {
			t.Fatal(err)
		}
		if out := found(j); out.State != study.Abandoned || out.NeverBegan || out.HasCost || out.Began.IsZero() {
			t.Errorf("started: %+v", out)
		}
	}
}
