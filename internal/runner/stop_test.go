package runner_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/study"
)

// halts is an engine that is asked whether it can run a job while somebody asks the run to stop.
type halts struct {
	*local.Engine
	stop func()
}

func (e halts) Probe(ctx context.Context, j engine.Job) error {
	e.stop()
	return e.Engine.Probe(ctx, j)
}

// begins is a source that is told that a trial begins while somebody asks the run to stop.
type begins struct {
	runner.Source
	stop func()
}

func (s begins) Begin(ctx context.Context, t runner.Ref, by, place string) error {
	s.stop()
	return s.Source.Begin(ctx, t, by, place)
}

// After the word that no new trial is started, none is: one that was being prepared stays asked for, and one that has begun was said to before.
func TestStopWhileATrialIsPrepared(t *testing.T) {
	for name, want := range map[string]study.State{"probe": study.Pending, "begin": study.Done} {
		h := newHome(t, bowl("bowl"))
		halt := make(chan struct{})
		stop := sync.OnceFunc(func() { close(halt) })
		sum, err := h.run(t.Context(), func(c *runner.Config) {
			c.Stop = halt
			if name == "probe" {
				c.Engine = halts{&local.Engine{}, stop}
			} else {
				c.Source = begins{c.Source, stop}
			}
		})
		if err != nil || sum.Code != fault.Interrupted {
			t.Fatalf("%s: %+v, %v", name, sum, err)
		}
		if list := h.audit().Trials; len(list) != 1 || list[0].State != want {
			t.Errorf("%s: %+v", name, list)
		}
		var kinds []runner.Kind
		for _, n := range h.news {
			kinds = append(kinds, n.Kind)
		}
		started, stopping := slices.Index(kinds, runner.Started), slices.Index(kinds, runner.Stopping)
		if stopping >= 0 && started > stopping || (started >= 0) != (want == study.Done) {
			t.Errorf("%s: %v", name, kinds)
		}
	}
}

// Steps give up when no result has the quantity that a limit is on, as a run does.
func TestOnceGivesUpWithoutAQuantity(t *testing.T) {
	s := bowl("bowl")
	s.Limits = study.Limits{"memory": study.Max(8)}
	h, c := newHome(t, s), newCluster()
	c.detached = true
	for range 20 {
		sum, err := h.run(t.Context(), func(config *runner.Config) { config.Engine, config.Once = c, true })
		if err != nil {
			t.Fatal(err)
		}
		if sum.Code == fault.CannotRun {
			if n := len(sum.Record.Trials); n > 4 || !strings.HasPrefix(sum.Text, "3 results, and no memory was reported") || sum.Hint == "" {
				t.Errorf("after %d trials: %s", n, sum.Text)
			}
			return
		}
	}
	t.Error("it goes on for ever")
}
