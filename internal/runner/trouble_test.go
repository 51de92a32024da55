package runner_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// troubled is a store that cannot be written to while something is wrong.
type troubled struct {
	store.Store
	mu    sync.Mutex
	wrong func(e study.Event) error
}

func (s *troubled) Append(ctx context.Context, name string, version int64, events ...study.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		if s.wrong != nil {
			if err := s.wrong(e); err != nil {
				return err
			}
		}
	}
	return s.Store.Append(ctx, name, version, events...)
}

// When the disk is full, or a database fails over and accepts only reads, a result waits until that is over; nothing is lost, and
// nothing is told twice.
func TestStoreTakesNothingForAWhile(t *testing.T) {
	for _, trouble := range []error{store.ErrFull, store.ErrReadOnly} {
		s := bowl("bowl")
		s.Budget.Total = 4
		h := newHome(t, s)
		left := 2
		h.db = &troubled{Store: h.db, wrong: func(e study.Event) error {
			if e.Kind == study.EventFinished && left > 0 {
				left--
				return trouble
			}
			return nil
		}}
		if _, err := h.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, n := range h.news {
			if n.Kind == runner.Trouble && strings.Contains(n.Text, trouble.Error()) {
				said++
			}
		}
		if r := h.audit(); said != 2 || r.Trials[0].State != study.Done {
			t.Errorf("said so %d times, %+v", said, r.Trials[0])
		}
	}
}

// forgetful is a store whose first answer to the beginning of a trial is lost.
type forgetful struct {
	store.Store
	lost bool
}

func (s *forgetful) Append(ctx context.Context, name string, version int64, events ...study.Event) error {
	err := s.Store.Append(ctx, name, version, events...)
	if err == nil && !s.lost && events[0].Kind == study.EventStarted {
		s.lost, err = true, store.ErrFull
	}
	return err
}

// A trial whose beginning is noted, though nobody hears of it, is evaluated.
func TestAnswerToBeginIsLost(t *testing.T) {
	s := bowl("bowl")
	s.Budget.Total = 4
	h := newHome(t, s)
	h.db = &forgetful{Store: h.db}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if _, err := h.run(ctx); err != nil {
		t.Fatal(err)
	}
	if r := h.audit(); r.Trials[0].State != study.Done || len(r.Open()) > 0 {
		t.Errorf("%+v", r.Trials[0])
	}
}

// When the store is gone the run ends and says where the result is; once the store is back, the next run tells it.
func TestStoreGoneWhileRunning(t *testing.T) {
	h := newHome(t, bowl("bowl"))
	gone := &troubled{Store: h.db, wrong: func(e study.Event) error {
		if e.Kind == study.EventFinished {
			return store.ErrGone
		}
		return nil
	}}
	h.db = gone
	_, err := h.run(t.Context())
	if !errors.Is(err, store.ErrGone) || !strings.Contains(err.Error(), "journal") || !strings.Contains(err.Error(), "on the next run") {
		t.Fatalf("%v", err)
	}
	if r := h.audit(); r.Trials[0].State != study.Running {
		t.Fatalf("%+v", r.Trials)
	}
	h.db, h.news = gone.Store, nil
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := h.audit()
	if first := r.Trials[0]; first.State != study.Done || first.Charged < 0.2 || first.Wall <= 0 {
		t.Errorf("%+v", first)
	}
	if h.news[1].Kind != runner.Recovered {
		t.Errorf("%+v", h.news[:2])
	}
}

// Neither the store nor the journal can keep a result, and the run is stopped twice: it does not say that the next run records it, but
// how to.
func TestResultThatNothingKeeps(t *testing.T) {
	h := newHome(t, bowl("bowl"))
	h.db = &troubled{Store: h.db, wrong: func(e study.Event) error {
		if e.Kind == study.EventFinished {
			return store.ErrFull
		}
		return nil
	}}
	stop := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := h.run(ctx, func(c *runner.Config) {
		c.Stop = stop
		tell, once := c.Tell, sync.Once{}
		c.Tell = func(n runner.News) {
			tell(n)
			switch {
			case n.Kind == runner.Started:
				journals, _ := filepath.Glob(filepath.Join(c.Dir, "run-*", "journal"))
				if err := errors.Join(os.RemoveAll(journals[0]), os.WriteFile(journals[0], nil, 0o666)); err != nil {
					t.Error(err)
				}
			case n.Kind == runner.Trouble && strings.Contains(n.Text, store.ErrFull.Error()):
				if !strings.Contains(n.Text, "make room") && !strings.Contains(n.Text, "eke tell 1") {
					t.Errorf("without a hint: %s", n.Text)
				}
				once.Do(func() { close(stop); cancel() })
			}
		}
	})
	if !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "ended as done with value") || !strings.Contains(fault.HintOf(err), "eke tell 1") {
		t.Errorf("%v, hint %q", err, fault.HintOf(err))
	}
}

// The file of the store is deleted while a trial runs: the run does not go on for hours with results that nobody keeps.
func TestFileDeletedWhileRunning(t *testing.T) {
	s := bowl("slow")
	s.Budget.Total = 1000
	h := newHome(t, s)
	_, err := h.run(t.Context(), func(c *runner.Config) {
		tell, once := c.Tell, sync.Once{}
		c.Tell = func(n runner.News) {
			tell(n)
			if n.Kind == runner.Started {
				once.Do(func() {
					for _, end := range []string{"", "-wal", "-shm"} {
						os.Remove(filepath.Join(h.dir, "eke.db"+end))
					}
				})
			}
		}
	})
	if !errors.Is(err, store.ErrGone) {
		t.Fatalf("%v", err)
	}
}

// A folder that may not be written to is found before anything is asked for.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("root may write anywhere: a file stands where the folder should be instead")
	}
	h := newHome(t, bowl("bowl"))
	place := filepath.Join(h.dir, "place")
	if err := os.WriteFile(place, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	_, err := h.run(t.Context(), func(c *runner.Config) {
		c.Trials, c.Dir = filepath.Join(place, "trials"), filepath.Join(place, "trials", "runners")
	})
	if err == nil || !strings.Contains(err.Error(), place) {
		t.Fatalf("%v", err)
	}
	if r := h.audit(); len(r.Trials) != 0 {
		t.Errorf("%+v", r.Trials)
	}
}

// The clock is set back or forth by a day while a trial runs whose runner then dies: it is charged nothing absurd, and
// the study goes on.
func TestClockMovedByADay(t *testing.T) {
	for name, moved := range map[string]time.Duration{"back": 24 * time.Hour, "forth": -24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			s := bowl("bowl")
			s.Cost = study.Cost{Unit: "seconds", Source: study.Walltime}
			s.Budget.Total, s.Budget.Trials = 600, 3 // far more than three trials take, however busy the machine
			h := newHome(t, s)
			d, err := broker.Join(t.Context(), h.db, s)
			if err != nil {
				t.Fatal(err)
			}
			trial, err := d.Ask(t.Context(), "run-1-dead")
			if err != nil {
				t.Fatal(err)
			}
			// What the dead runner wrote, with its clock as it was.
			r, err := d.Record(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now().Add(moved).UTC()
			if err := h.db.Append(t.Context(), s.Name, r.Version, study.Event{
				Seq: r.Version + 1, At: began, Kind: study.EventStarted, Trial: trial.Number, Runner: "run-1-dead",
			}); err != nil {
				t.Fatal(err)
			}
			locks := filepath.Join(h.dir, "trials", "runners")
			if err := errors.Join(os.MkdirAll(locks, 0o777), os.WriteFile(filepath.Join(locks, "run-1-dead"), nil, 0o666)); err != nil {
				t.Fatal(err)
			}
			if _, err := h.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			again := h.audit()
			if got := again.Trials[0]; got.State != study.Abandoned || got.Charged > trial.Reserved || got.Charged < 0 || trial.Reserved > 100 {
				t.Errorf("reserved %v: %+v", trial.Reserved, got)
			}
			done := 2
			if again.Trials[0].Charged == 0 { // then it does not count
				done = 3
			}
			if len(again.Trials) != 1+done || count(again, study.Done) != done || again.Ledger.Spent > again.Ledger.Total {
				t.Errorf("%+v, %+v", again.Ledger, again.Trials)
			}
		})
	}
}

// Two runs on one store, each with workers of its own, spend one budget.
func TestTwoRunsOneStore(t *testing.T) {
	s := bowl("flat")
	s.Budget.Total, s.Stop.Never = 12.5, true
	h := newHome(t, s)
	if _, err := broker.Join(t.Context(), h.db, h.s); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			db, err := sqlite.Open(t.Context(), filepath.Join(h.dir, "eke.db"))
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			d, err := broker.Join(t.Context(), db, h.s)
			if err != nil {
				t.Error(err)
				return
			}
			c := runner.Config{Source: &source.Store{Broker: d}, Engine: &local.Engine{}, Dir: filepath.Join(h.dir, "trials", "runners"), Trials: filepath.Join(h.dir, "trials"), Parallel: 2}
			if _, err := runner.Run(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if r := h.audit(); count(r, study.Done) != 12 || len(r.Trials) != 12 || r.Ledger.Spent != 12 || r.Ledger.Reserved != 0 {
		t.Errorf("%+v, %d trials", r.Ledger, len(r.Trials))
	}
	h.isSpent()
}

// A result that was only printed is found when the runner died before it could tell it.
func TestPrintedResultOfADeadRunner(t *testing.T) {
	h := newHome(t, bowl("bowl"))
	d, err := broker.Join(t.Context(), h.db, h.s)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := d.Ask(t.Context(), "run-1-dead")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Start(t.Context(), trial.Number, "run-1-dead"); err != nil {
		t.Fatal(err)
	}
	trials := filepath.Join(h.dir, "trials")
	if err := errors.Join(os.MkdirAll(filepath.Join(trials, "runners"), 0o777), os.MkdirAll(filepath.Join(trials, "00001"), 0o777),
		os.WriteFile(filepath.Join(trials, "runners", "run-1-dead"), nil, 0o666),
		os.WriteFile(filepath.Join(trials, "00001", "stdout"), []byte("objective=0.25\ncost=3\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.audit().Trials[0]; got.State != study.Done || got.Value != 0.25 || got.Charged != 3 {
		t.Errorf("%+v", got)
	}
}

// A trial of a dead runner whose files are elsewhere, or that an earlier version ran, has no note of its start here. It has run nevertheless,
// for as long as it was seen.
func TestFilesOfADeadRunnerAreElsewhere(t *testing.T) {
	s := bowl("bowl")
	s.Cost = study.Cost{Source: study.Walltime, Unit: "seconds"}
	s.Budget.Trials = 2
	h := newHome(t, s)
	d, err := broker.Join(t.Context(), h.db, h.s)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := d.Ask(t.Context(), "run-1-dead")
	if err == nil {
		err = d.Start(t.Context(), trial.Number, "run-1-dead")
	}
	locks := filepath.Join(h.dir, "trials", "runners")
	if err := errors.Join(err, d.Touch(t.Context(), trial.Number), os.MkdirAll(locks, 0o777), os.WriteFile(filepath.Join(locks, "run-1-dead"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.audit().Trials[0]; got.State != study.Abandoned || got.Charged <= 0 || strings.Contains(got.Note, "never started") {
		t.Errorf("%+v", got)
	}
}

// Whoever interrupts a run, however often, does not blacken the setting that was being tried.
func TestInterruptionsSayNothingOfASetting(t *testing.T) {
	h := newHome(t, bowl("hang"))
	for range 4 {
		ctx, cut := context.WithCancel(t.Context())
		if _, err := h.run(ctx, func(c *runner.Config) {
			c.Tell = func(n runner.News) {
				if n.Kind == runner.Started {
					cut()
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		cut()
	}
	r := h.audit()
	for _, trial := range r.Trials {
		if !trial.Stopped || trial.Setting["x"] != r.Trials[0].Setting["x"] {
			t.Errorf("%+v", trial)
		}
	}
	if len(r.Trials) != 4 {
		t.Errorf("%d trials", len(r.Trials))
	}
}

// A store that was deleted does not let the budget be spent again without a word. A folder whose maker was killed before it wrote whose it is holds no trial.
func TestTrialsWithoutTheirStore(t *testing.T) {
	h := newHome(t, bowl("bowl"))
	folder := filepath.Join(h.dir, "trials", "00007")
	write := func(name string) {
		if err := errors.Join(os.MkdirAll(folder, 0o777), os.WriteFile(filepath.Join(folder, name), nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("trial.id~new")
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	h = newHome(t, bowl("bowl"))
	folder = filepath.Join(h.dir, "trials", "00007")
	write("stdout")
	if _, err := h.run(t.Context()); err == nil || !strings.Contains(err.Error(), "the store knows of none") {
		t.Errorf("%v", err)
	}
}

// The definition of a study follows its file, in all that trials do not depend on, for whoever opens it by name.
func TestChangedDefinitionIsKept(t *testing.T) {
	h := newHome(t, bowl("fail"))
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.s = bowl("bowl")
	h.config()
	d, err := broker.Open(t.Context(), h.db, "bowl")
	if err != nil || d.Study().Env["EKE_TEST_ROLE"] != "bowl" {
		t.Errorf("%+v %v", d.Study(), err)
	}
	h.s.Seed++
	if _, err := broker.Join(t.Context(), h.db, h.s); !errors.Is(err, broker.ErrDiffers) {
		t.Errorf("%v", err)
	}
}

// Many workers find the pending trials that a dead runner left. Each is run once: nobody empties the folder of a
// trial that another has begun.
func TestLeftTrialsAreTakenOverOnce(t *testing.T) {
	s := bowl("slow")
	s.Budget.Total = 6
	h := newHome(t, s)
	d, err := broker.Join(t.Context(), h.db, s)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := d.Ask(t.Context(), "run-1-dead"); err != nil {
			t.Fatal(err)
		}
	}
	locks := filepath.Join(h.dir, "trials", "runners")
	if err := errors.Join(os.MkdirAll(locks, 0o777), os.WriteFile(filepath.Join(locks, "run-1-dead"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.run(t.Context(), func(c *runner.Config) { c.Parallel = 8 }); err != nil {
		t.Fatal(err)
	}
	started := map[int]int{}
	for _, n := range h.news {
		if n.Kind == runner.Started {
			started[n.Trial.Number]++
		}
	}
	for _, trial := range h.audit().Trials {
		if trial.State != study.Done || started[trial.Number] != 1 {
			t.Errorf("started %d times: %+v", started[trial.Number], trial)
		}
	}
}
