package eke_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

func TestRunFindsTheValley(t *testing.T) {
	for _, name := range []string{"ei-puc-cc", "2-bmsei", "4-bmsei-p", "auto"} {
		o := newOptimizer(t, func(c *eke.Config) { c.Goal, c.Policy.Name, c.Stop.Never = eke.Minimize, name, true })
		spent := 0.0
		err := o.Run(context.Background(), func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
			value, cost, err := tryValley(ctx, trial)
			spent += cost
			return value, cost, err
		})
		if err != nil {
			t.Fatal(err)
		}
		best, err := o.Best(context.Background())
		if l := ledger(t, o); err != nil || best.Value > 0.01 || math.Abs(l.Spent-spent) > 1e-12 || l.Spent < 9 || l.Reserved != 0 {
			t.Errorf("%s: best %+v, %v, spent %v, ledger %+v", name, best, err, spent, l)
		}
	}
}

// By default a run ends when the rest of the money is expected to gain next to nothing, and can go on.
func TestRunStopsWhenTheRestIsNotWorthIt(t *testing.T) {
	ctx, kept := context.Background(), store.Memory()
	open := func(stop study.Stop) *eke.Optimizer {
		return newOptimizer(t, func(c *eke.Config) { c.Goal, c.Policy.Name, c.Stop, c.Store = eke.Minimize, "log-ei-puc", stop, kept })
	}
	if err := open(study.Stop{}).Run(ctx, tryValley); err != nil {
		t.Fatal(err)
	}
	o := open(study.Stop{})
	if _, err := o.Ask(ctx); !errors.Is(err, eke.ErrNotWorth) || !eke.Over(err) {
		t.Errorf("asked again: %v", err)
	}
	best, err := o.Best(ctx)
	if l := ledger(t, o); err != nil || best.Value > 0.01 || l.Spent > 8.5 {
		t.Errorf("best %v, %v, ledger %+v", best.Value, err, l)
	}
	o = open(study.Stop{Never: true})
	if trial, err := o.Ask(ctx); err != nil {
		t.Errorf("trial %+v, %v", trial, err)
	}
	if _, err := eke.New(eke.Config{Parameters: eke.Box([2]float64{0, 1}), Budget: 1, Stop: study.Stop{Gain: math.NaN()}}); err == nil {
		t.Error("a gain that is no number was taken")
	}
}

// As many trials are under way at once as the study allows, and the ledger adds up.
func TestRunInParallel(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) {
		c.Parallel, c.Policy.Name, c.Stop = 3, "ei-puc-cc", study.Stop{Never: true}
	})
	var now, most, begun atomic.Int32
	three := make(chan struct{})
	var spent atomic.Uint64
	err := o.Run(context.Background(), func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
		for n := now.Add(1); ; {
			if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		defer now.Add(-1)
		if begun.Add(1) == 3 {
			close(three)
		}
		select {
		case <-three: // the first ones wait for each other
		case <-time.After(time.Minute):
		}
		value, cost, err := tryValley(ctx, trial)
		spent.Add(uint64(cost * 1e9))
		return value, cost, err
	})
	if l := ledger(t, o); err != nil || most.Load() != 3 || l.Reserved != 0 || math.Abs(l.Spent-float64(spent.Load())/1e9) > 1e-6 {
		t.Errorf("%v, %d at once, %+v, told %v", err, most.Load(), l, float64(spent.Load())/1e9)
	}
	// What is left depends on the order in which the trials ended; that it buys nothing more does not.
	if trial, err := o.Ask(context.Background()); !eke.Over(err) {
		t.Errorf("there is money for one more: %+v, %v", trial, err)
	}
}

// A run that is stopped gives its trial up, and the next one tries that setting once more.
func TestRunStopsWithTheContext(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) { c.Stop = study.Stop{Never: true} })
	ctx, cancel := context.WithCancel(context.Background())
	tries, lost := 0, eke.Trial{}
	err := o.Run(ctx, func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
		if tries++; tries == 3 {
			cancel()
			lost = trial
			return 0, 0.25, ctx.Err()
		}
		return tryValley(ctx, trial)
	})
	list := results(t, o)
	if !errors.Is(err, context.Canceled) || tries != 3 || len(list) != 3 || list[2].State != study.Abandoned || list[2].Cost != 0.25 || ledger(t, o).Reserved != 0 {
		t.Fatalf("%v after %d tries, results %+v", err, tries, list)
	}
	first := true
	err = o.Run(context.Background(), func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
		if first && !reflect.DeepEqual(trial.Setting, lost.Setting) {
			t.Errorf("trial 4 is %v, the one that was stopped %v", trial.Setting, lost.Setting)
		}
		first = false
		return tryValley(ctx, trial)
	})
	if err != nil || ledger(t, o).Spent < 9 {
		t.Errorf("went on to %+v with %v", ledger(t, o), err)
	}
}

// A result that comes after the run was stopped was paid for, and is kept.
func TestRunKeepsALateResult(t *testing.T) {
	o := newOptimizer(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	err := o.Run(ctx, func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
		cancel()
		return tryValley(ctx, trial)
	})
	if list := results(t, o); !errors.Is(err, context.Canceled) || len(list) != 1 || list[0].State != study.Done {
		t.Errorf("%v, %+v", err, list)
	}
}

// Failures are charged and avoided; an experiment that never works is given up soon, one that worked later.
func TestRunAndFailures(t *testing.T) {
	broken := errors.New("kiln is cold")
	never := newOptimizer(t, nil)
	err := never.Run(context.Background(), func(context.Context, eke.Trial) (float64, float64, error) { return 0, 0.5, broken })
	if list := results(t, never); !errors.Is(err, broken) || !strings.Contains(err.Error(), "3 trials in a row") || len(list) != 3 || ledger(t, never).Spent != 1.5 || list[0].Note != broken.Error() {
		t.Errorf("%v, %+v", err, results(t, never))
	}
	once, tries := newOptimizer(t, func(c *eke.Config) { c.Budget, c.Policy.Name = 100, "random" }), 0
	err = once.Run(context.Background(), func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
		if tries++; tries == 1 {
			return tryValley(ctx, trial)
		}
		return 0, 0.5, broken
	})
	if !errors.Is(err, broken) || tries != 11 {
		t.Errorf("%v after %d tries", err, tries)
	}
	// Every third fails, without saying what it cost, or with a value that makes no sense.
	some, tries := newOptimizer(t, nil), 0
	err = some.Run(context.Background(), func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
		value, cost, err := tryValley(ctx, trial)
		switch tries++; {
		case tries%6 == 3:
			return 0, 0, broken
		case tries%6 == 0:
			return math.NaN(), cost, nil
		}
		time.Sleep(time.Millisecond)
		return value, cost, err
	})
	failed := 0
	for _, r := range results(t, some) {
		if r.State == study.Failed {
			failed++
			if r.Note == "" || (r.Number%6 == 3 && !strings.Contains(r.Note, "reported no cost")) {
				t.Errorf("%+v", r)
			}
		}
	}
	if err != nil || failed != tries/3 || ledger(t, some).Reserved != 0 {
		t.Errorf("%v: %d of %d failed, %+v", err, failed, tries, ledger(t, some))
	}
}

// The money is reserved by a trial that the caller asked for: Run does not wait for what it cannot see end.
func TestRunLeavesTrialsOfOthersAlone(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) { c.Budget, c.PerTrial = 1, 1 })
	trial, err := o.Ask(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Run(context.Background(), tryValley); !errors.Is(err, eke.ErrBudgetPending) {
		t.Errorf("%v", err)
	}
	open, err := o.Open(context.Background())
	if err != nil || len(open) != 1 || !reflect.DeepEqual(open[0], trial) {
		t.Errorf("%+v, %v", open, err)
	}
}

// A study in a store is continued by the next program, which is suggested what the first would have been.
func TestAStudyIsContinued(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eke.db")
	open := func() store.Store {
		st, err := sqlite.Open(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	whole := newOptimizer(t, nil)
	if err := whole.Run(context.Background(), tryValley); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		st := open()
		o := newOptimizer(t, func(c *eke.Config) { c.Store = st })
		ctx, cancel := context.WithCancel(context.Background())
		tries := 0
		err := o.Run(ctx, func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
			if tries++; tries == 4 {
				cancel() // and the result is kept
			}
			return tryValley(ctx, trial)
		})
		cancel()
		if err == nil {
			a, b := results(t, whole), results(t, o)
			if len(a) != len(b) {
				t.Fatalf("%d trials in one go, %d in pieces", len(a), len(b))
			}
			for i := range a {
				if !reflect.DeepEqual(a[i].Setting, b[i].Setting) || a[i].Value != b[i].Value {
					t.Errorf("trial %d: %v in one go, %v in pieces", i+1, a[i].Setting, b[i].Setting)
				}
			}
			_, err := eke.New(eke.Config{Store: st, Parameters: eke.Box([2]float64{0, 1}), Budget: 10})
			if err == nil || !strings.Contains(err.Error(), "parameter") {
				t.Errorf("another study was taken for this one: %v", err)
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the study has no end")
}

// The trial of a run that died holds money. The next run gives it up, charges what it may have used, and tries its setting again.
func TestRunRecoversTrialsOfTheDead(t *testing.T) {
	st, ctx := store.Memory(), context.Background()
	o := newOptimizer(t, func(c *eke.Config) { c.Store = st })
	trial, err := o.Ask(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Tell(ctx, trial.Number, 1, 1); err != nil {
		t.Fatal(err)
	}
	hourAgo := time.Now().Add(-time.Hour)
	asked := study.Asked{Setting: eke.Point(1, 0.0005), Point: []float64{0.4, 0.5}, Reserved: 3}
	_, err = store.Follow(st, "study").Update(ctx, func(*study.Record, store.Header) ([]study.Event, error) {
		return []study.Event{{At: hourAgo, Kind: study.EventAsked, Trial: 2, Runner: "go-DEAD", Asked: &asked},
			{At: hourAgo, Kind: study.EventStarted, Trial: 2, Runner: "go-DEAD"}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	again := false
	err = o.Run(ctx, func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
		again = again || reflect.DeepEqual(trial.Setting, asked.Setting)
		return tryValley(ctx, trial)
	})
	if list := results(t, o); err != nil || !again || list[1].State != study.Abandoned || ledger(t, o).Reserved != 0 {
		t.Errorf("%v, tried again: %v, %+v", err, again, list[1])
	}
}

// Run is the trial loop of eke run, with calls for commands. So others can act on its study: a trial that somebody stops ends alone, and
// while the study is paused nothing is tried.
func TestRunHeedsOthers(t *testing.T) {
	st, ctx := store.Memory(), context.Background()
	o := newOptimizer(t, func(c *eke.Config) { c.Store, c.Policy.Name, c.Stop = st, "random", study.Stop{Never: true} })
	other, err := broker.Open(ctx, st, "study")
	if err != nil {
		t.Fatal(err)
	}
	var isPaused atomic.Bool
	err = o.Run(ctx, func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
		if isPaused.Load() {
			t.Error("a trial of a paused study began")
		}
		switch trial.Number {
		case 1:
			if err := other.Stop(ctx, 1); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			return 0, 0.25, ctx.Err()
		case 2:
			isPaused.Store(true)
			if err := other.Pause(ctx, true); err != nil {
				t.Error(err)
			}
			time.AfterFunc(50*time.Millisecond, func() {
				isPaused.Store(false)
				if err := other.Pause(context.Background(), false); err != nil {
					t.Error(err)
				}
			})
		}
		return tryValley(ctx, trial)
	})
	list := results(t, o)
	if err != nil || len(list) < 3 || list[0].State != study.Cut || list[0].Cost != 0.25 || !strings.HasPrefix(list[0].Note, "stopped: ") || ledger(t, o).Reserved != 0 {
		t.Fatalf("%v, %+v", err, list)
	}
	for _, r := range list[1:] {
		if r.State != study.Done {
			t.Errorf("%+v", r)
		}
	}
}

// moody is a store that is busy every other time.
type moody struct {
	store.Store
	appended atomic.Int32
}

func (m *moody) Append(ctx context.Context, name string, after int64, events ...study.Event) error {
	if m.appended.Add(1)%2 == 0 {
		return fault.New(fault.StoreBusy, "", "somebody writes to the store")
	}
	return m.Store.Append(ctx, name, after, events...)
}

// A result that was paid for is told until the store takes it.
func TestRunInsists(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) { c.Store, c.Policy.Name, c.Budget = &moody{Store: store.Memory()}, "random", 3 })
	spent := 0.0
	err := o.Run(context.Background(), func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
		value, cost, err := tryValley(ctx, trial)
		spent += cost
		return value, cost, err
	})
	if l := ledger(t, o); err != nil || l.Reserved != 0 || math.Abs(l.Spent-spent) > 1e-12 {
		t.Errorf("%v, %+v, told %v", err, l, spent)
	}
}

// When Run gives up, the other trials are stopped, and settled.
func TestRunGivesUpForAll(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) { c.Parallel, c.Policy.Name, c.PerTrial = 2, "random", 1 })
	broken, begun := errors.New("kiln is cold"), make(chan struct{})
	err := o.Run(context.Background(), func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
		if trial.Number == 1 {
			close(begun)
			<-ctx.Done()
			return 0, 0.25, ctx.Err()
		}
		<-begun // or else the others may have failed before it begins
		return 0, 0.5, broken
	})
	list := results(t, o)
	if want := "eke: 3 trials in a row failed, the last, trial 4, with: kiln is cold"; !errors.Is(err, broken) || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
	if len(list) != 4 || list[0].State != study.Abandoned || list[0].Cost != 0.25 || list[0].Note != "the run was stopped" || ledger(t, o).Reserved != 0 {
		t.Errorf("%+v", list)
	}
}

// A panic of the experiment is the caller's, who may go on. Its trial is abandoned.
func TestRunAndPanics(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) { c.Policy.Name = "random" })
	tries := 0
	run := func() (cause any, err error) {
		defer func() { cause = recover() }()
		return nil, o.Run(context.Background(), func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
			if tries++; tries == 2 {
				panic("kiln exploded")
			}
			return tryValley(ctx, trial)
		})
	}
	if cause, err := run(); err != nil || cause != "kiln exploded" {
		t.Fatalf("%v, %v", err, cause)
	}
	if list := results(t, o); len(list) != 2 || list[1].State != study.Abandoned || ledger(t, o).Reserved != 0 {
		t.Errorf("%+v, %+v", list, ledger(t, o))
	}
	if cause, err := run(); err != nil || cause != nil || ledger(t, o).Reserved != 0 {
		t.Errorf("went on: %v, %v, %+v", err, cause, ledger(t, o))
	}
}

// A trial that somebody else has ended is not told again, and Run says so.
func TestRunReportsWhatItCannotRecord(t *testing.T) {
	o := newOptimizer(t, nil)
	err := o.Run(context.Background(), func(ctx context.Context, trial eke.Trial) (float64, float64, error) {
		if err := o.Tell(ctx, trial.Number, 1, 1); err != nil {
			t.Error(err)
		}
		return tryValley(ctx, trial)
	})
	if list := results(t, o); err == nil || !strings.Contains(err.Error(), "trial 1 ended as done with value") || len(list) != 1 || list[0].Value != 1 {
		t.Errorf("%v, %+v", err, list)
	}
}

// The rest of the money is reserved by a run in another program, which lives: Run waits until that trial has ended, and goes on.
func TestRunWaitsForOtherRuns(t *testing.T) {
	st, ctx := store.Memory(), context.Background()
	o := newOptimizer(t, func(c *eke.Config) { c.Store, c.Budget, c.PerTrial, c.Policy.Name = st, 2, 2, "random" })
	asked := study.Asked{Setting: eke.Point(1, 0.0005), Point: []float64{0.4, 0.5}, Reserved: 2}
	_, err := store.Follow(st, "study").Update(ctx, func(*study.Record, store.Header) ([]study.Event, error) {
		return []study.Event{{At: time.Now(), Kind: study.EventAsked, Trial: 1, Runner: "go-OTHER", Asked: &asked},
			{At: time.Now(), Kind: study.EventStarted, Trial: 1, Runner: "go-OTHER"}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() {
		if err := o.Tell(ctx, 1, 1, 0.5); err != nil {
			t.Error(err)
		}
	})
	if err := o.Run(ctx, tryValley); err != nil || len(results(t, o)) < 2 {
		t.Errorf("%v, %+v", err, results(t, o))
	}
}
