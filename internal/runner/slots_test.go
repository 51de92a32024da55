package runner_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/study"
)

// A run that finds the slots taken by another one in the same folder says so, and waits; it can be stopped while it waits.
func TestSlotsAreShared(t *testing.T) {
	s := bowl("until")
	s.Slots = []study.Slot{{}}
	h := newHome(t, s)
	let := filepath.Join(h.dir, "let")
	s.Env["EKE_TEST_UNTIL"] = let
	begun, waits, stop := make(chan struct{}), make(chan struct{}), make(chan struct{})
	on := func(kind runner.Kind, text string, then chan struct{}) func(*runner.Config) {
		var once sync.Once
		return func(c *runner.Config) {
			c.Tell = func(n runner.News) {
				if n.Kind == kind && strings.Contains(n.Text, text) {
					once.Do(func() { close(then) })
				}
			}
		}
	}
	first, second := h.config(), h.config()
	on(runner.Started, "", begun)(&first)
	on(runner.Waiting, "another run in this folder has the study's 1 slot", waits)(&second)
	first.Stop, second.Stop = stop, stop
	var both sync.WaitGroup
	both.Go(func() {
		if _, err := runner.Run(t.Context(), first); err != nil {
			t.Error(err)
		}
	})
	<-begun
	both.Go(func() {
		if sum, err := runner.Run(t.Context(), second); err != nil || sum.Trials != 0 {
			t.Errorf("%+v, %v", sum, err)
		}
	})
	<-waits
	close(stop)
	if err := os.WriteFile(let, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	both.Wait()
	if r := h.audit(); len(r.Trials) != 1 || r.Trials[0].State != study.Done {
		t.Errorf("%+v", r.Trials)
	}
}

// More trials at once than there are slots are refused, wherever the number comes from.
func TestMoreThanSlots(t *testing.T) {
	s := bowl("bowl")
	s.Slots = []study.Slot{{}, {}}
	s.Parallel = 2
	h := newHome(t, s)
	_, err := h.run(t.Context(), func(c *runner.Config) { c.Parallel = 3 })
	if fault.CodeOf(err) != fault.BadStudy || !strings.Contains(err.Error(), "parallel is 3, but there are 2 slots here") || fault.HintOf(err) == "" {
		t.Errorf("%v; %s", err, fault.HintOf(err))
	}
}

// stale is a source whose record is at first an older one: another run has gone on while it was read.
type stale struct {
	runner.Source
	once sync.Once
	old  *study.Record
}

func (s *stale) Record(ctx context.Context) (*study.Record, error) {
	var old *study.Record
	if s.once.Do(func() { old = s.old }); old != nil {
		return old, nil
	}
	return s.Source.Record(ctx)
}

// A run that begins while another one goes on does not take the trials that the other has just begun for lost ones.
func TestBeginBesideAnother(t *testing.T) {
	s := bowl("flat")
	s.Budget.Total, s.Stop.Never = 3, true
	h := newHome(t, s)
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	header, events, err := h.db.Read(t.Context(), s.Name, 0)
	if err != nil {
		t.Fatal(err)
	}
	old := study.NewRecord(header.Total, header.Measured)
	for _, e := range events[:len(events)/2] {
		if err := old.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	c := h.config()
	c.Source = &stale{Source: c.Source, old: old}
	if sum, err := runner.Run(t.Context(), c); err != nil || !sum.Code.Over() {
		t.Errorf("%+v, %v", sum, err)
	}
}
