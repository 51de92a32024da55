package eke_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick makes suggestions cheap; what is tested here does not depend on how good they are.
func quick(s *advisor.Tuning) { s.RawPoints, s.Starts, s.Iterations = 60, 6, 40 }

func newOptimizer(t testing.TB, change func(*eke.Config)) *eke.Optimizer {
	t.Helper()
	c := eke.Config{Parameters: eke.Box([2]float64{-5, 10}, [2]float64{0, 1e-3}), Budget: 10, Seed: 3, Options: []advisor.Option{quick}}
	if change != nil {
		change(&c)
	}
	o, err := eke.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func results(t testing.TB, o *eke.Optimizer) []eke.Result {
	t.Helper()
	list, err := o.Results(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func ledger(t testing.TB, o *eke.Optimizer) study.Ledger {
	t.Helper()
	l, err := o.Ledger(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func valley(x []float64) (value, cost float64) {
	u, v := (x[0]+5)/15, x[1]/1e-3
	return (u-0.3)*(u-0.3) + (v-0.6)*(v-0.6), 0.2 + u
}

func tryValley(_ context.Context, t eke.Trial) (value, cost float64, err error) {
	value, cost = valley(t.X())
	return value, cost, nil
}

func TestBadConfigsAreNamed(t *testing.T) {
	good := func() eke.Config {
		return eke.Config{Parameters: eke.Box([2]float64{0, 1}, [2]float64{0, 1}), Budget: 1}
	}
	for want, spoil := range map[string]func(*eke.Config){
		"no parameters":          func(c *eke.Config) { c.Parameters = nil },
		"x2: min and max are":    func(c *eke.Config) { c.Parameters[1].Min = 1 },
		"x1: min is NaN":         func(c *eke.Config) { c.Parameters[0].Min = math.NaN() },
		"x1: min is -Inf":        func(c *eke.Config) { c.Parameters[0].Min = math.Inf(-1) },
		"difference is more":     func(c *eke.Config) { c.Parameters = eke.Box([2]float64{-math.MaxFloat64, math.MaxFloat64}) },
		"budget is 0":            func(c *eke.Config) { c.Budget = 0 },
		"budget is NaN":          func(c *eke.Config) { c.Budget = math.NaN() },
		"budget is +Inf":         func(c *eke.Config) { c.Budget = math.Inf(1) },
		"limit of a trial is 2":  func(c *eke.Config) { c.PerTrial = 2 },
		`goal is "best"`:         func(c *eke.Config) { c.Goal = "best" },
		`"best" is not a policy`: func(c *eke.Config) { c.Policy.Name = "best" },
		"bmsei needs fantasy":    func(c *eke.Config) { c.Policy.Name = "bmsei" },
	} {
		c := good()
		spoil(&c)
		if _, err := eke.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted %q, got %v", want, err)
		}
	}
}

// A result that cannot be used is refused, and nothing changes: not the ledger, not the
// log, and not what is suggested next.
func TestBadResultsChangeNothing(t *testing.T) {
	clean, spoilt := newOptimizer(t, nil), newOptimizer(t, nil)
	ctx := context.Background()
	for i := range 9 {
		a, err := clean.Ask(ctx)
		if err != nil {
			t.Fatal(err)
		}
		b, err := spoilt.Ask(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("trial %d: %+v after bad results, %+v without", i, b, a)
		}
		for want, tell := range map[string]func() error{
			"value is NaN":      func() error { return spoilt.Tell(ctx, b.Number, math.NaN(), 1) },
			"value is +Inf":     func() error { return spoilt.Tell(ctx, b.Number, math.Inf(1), 1) },
			"cost is -2":        func() error { return spoilt.Tell(ctx, b.Number, 1, -2) },
			"cost is NaN":       func() error { return spoilt.Tell(ctx, b.Number, 1, math.NaN()) },
			"cost is +Inf":      func() error { return spoilt.Tell(ctx, b.Number, 1, math.Inf(1)) },
			"cost is -1":        func() error { return spoilt.Fail(ctx, b.Number, -1, "") },
			"no trial 100":      func() error { return spoilt.Tell(ctx, 100, 1, 1) },
			"no trial 0":        func() error { return spoilt.Tell(ctx, 0, 1, 1) },
			"no trial -1":       func() error { return spoilt.Fail(ctx, -1, 1, "") },
			"parameter x3":      func() error { return spoilt.Observe(ctx, eke.Point(0, 0, 0), 1, 1) },
			"value is 2, above": func() error { return spoilt.Observe(ctx, eke.Point(0, 2), 1, 1) },
			"the value is -Inf": func() error { return spoilt.Observe(ctx, eke.Point(0, 0), math.Inf(-1), 1) },
			"the cost is +Inf":  func() error { return spoilt.Observe(ctx, eke.Point(0, 0), 1, math.Inf(1)) },
		} {
			if err := tell(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("wanted %q, got %v", want, err)
			}
		}
		value, cost := valley(a.X())
		for _, o := range []*eke.Optimizer{clean, spoilt} {
			if err := o.Tell(ctx, a.Number, value, cost); err != nil {
				t.Fatal(err)
			}
		}
		if err := spoilt.Tell(ctx, b.Number, value, cost); err == nil || !strings.Contains(err.Error(), "done already") {
			t.Errorf("told twice: %v", err)
		}
		if ledger(t, clean) != ledger(t, spoilt) || !reflect.DeepEqual(results(t, clean), results(t, spoilt)) {
			t.Fatalf("the logs differ after trial %d", i)
		}
	}
}

// The last trial may cost more than was left. It is paid for and on record, but its
// value does not count, and nothing more is started.
func TestOverrunIsOnRecordAndDoesNotCount(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) { c.Budget, c.Goal = 3, eke.Minimize })
	ctx := context.Background()
	for i, result := range []struct{ value, cost float64 }{{5, 1}, {4, 1}, {-100, 1.5}} {
		trial, err := o.Ask(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Tell(ctx, trial.Number, result.value, result.cost); err != nil {
			t.Fatalf("trial %d: %v", i, err)
		}
	}
	best, err := o.Best(ctx)
	if err != nil || best.Value != 4 || ledger(t, o).Spent != 3.5 || len(results(t, o)) != 3 || !results(t, o)[2].Beyond {
		t.Errorf("best %+v, %v, %+v, results %+v", best, err, ledger(t, o), results(t, o))
	}
	if _, err := o.Ask(ctx); !errors.Is(err, eke.ErrBudgetSpent) || !eke.Over(err) {
		t.Errorf("asked beyond the budget: %v", err)
	}
	if err := o.AddBudget(ctx, 5); err != nil {
		t.Fatal(err)
	}
	if best, err := o.Best(ctx); err != nil || best.Value != -100 {
		t.Errorf("with more money: %+v, %v", best, err)
	}
	if _, err := o.Ask(ctx); err != nil {
		t.Errorf("with more money: %v", err)
	}
}

func TestMinimizeMirrorsMaximize(t *testing.T) {
	ctx := context.Background()
	low := newOptimizer(t, func(c *eke.Config) { c.Goal = eke.Minimize })
	high := newOptimizer(t, nil)
	for range 10 {
		a, err := low.Ask(ctx)
		if err != nil {
			t.Fatal(err)
		}
		b, err := high.Ask(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a.X(), b.X()) || (a.Why.Expected != nil && a.Why.Expected.Value != -b.Why.Expected.Value) {
			t.Fatalf("%+v and %+v", a, b)
		}
		value, cost := valley(a.X())
		if err := errors.Join(low.Tell(ctx, a.Number, value, cost), high.Tell(ctx, b.Number, -value, cost)); err != nil {
			t.Fatal(err)
		}
	}
}

// Several workers ask and tell at once: all trials differ, and the ledger adds up.
func TestConcurrentAskAndTell(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) { c.Budget, c.Policy.Name = 12, "ei-puc" })
	var wait sync.WaitGroup
	var mu sync.Mutex
	seen, spent, ctx := map[string]int{}, 0.0, context.Background()
	for range 4 {
		wait.Go(func() {
			for {
				trial, err := o.Ask(ctx)
				if eke.Over(err) || errors.Is(err, eke.ErrBudgetPending) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				value, cost := valley(trial.X())
				mu.Lock()
				seen[fmt.Sprint(trial.X())]++
				spent += cost
				mu.Unlock()
				if err := o.Tell(ctx, trial.Number, value, cost); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for x, times := range seen {
		if times > 1 {
			t.Errorf("%s was asked %d times", x, times)
		}
	}
	if l := ledger(t, o); math.Abs(l.Spent-spent) > 1e-9 || l.Reserved != 0 || len(results(t, o)) != len(seen) {
		t.Errorf("%+v of %v, %d results of %d", l, spent, len(results(t, o)), len(seen))
	}
}

func TestAskHonoursTheContext(t *testing.T) {
	o := newOptimizer(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := o.Ask(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestAskGivesUpWaitingWithItsContext(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) { c.Policy.Name, c.Options = "4-bmsei", nil })
	for i := range 30 {
		x := []float64{-5 + 15*float64(i*7%30)/30, 1e-3 * float64(i) / 30}
		value, cost := valley(x)
		if err := o.Observe(context.Background(), eke.Point(x...), value, cost); err != nil {
			t.Fatal(err)
		}
	}
	long, stopLong := context.WithCancel(context.Background())
	asked := make(chan error, 1)
	go func() {
		_, err := o.Ask(long)
		asked <- err
	}()
	for range 2 { // until the first one is thinking
		ctx, stop := context.WithCancel(context.Background())
		stop()
		if _, err := o.Ask(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	stopLong()
	if err := <-asked; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAbsurdCostsEndTheStudy(t *testing.T) {
	o, ctx := newOptimizer(t, func(c *eke.Config) { c.Budget = 1e15 }), context.Background()
	for range 2 {
		trial, err := o.Ask(ctx)
		if errors.Is(err, eke.ErrBudgetSpent) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Tell(ctx, trial.Number, 1, 1.7e308); err == nil {
			t.Fatal("a cost that no ledger can hold was taken")
		}
		if err := o.Tell(ctx, trial.Number, 1, 1e15); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := o.Ask(ctx); !errors.Is(err, eke.ErrBudgetSpent) || math.IsInf(ledger(t, o).Spent, 0) {
		t.Errorf("%v, %+v", err, ledger(t, o))
	}
}

// A result from elsewhere is free, takes part in the models, may be the best, and is there once however often it is told.
func TestKnownResults(t *testing.T) {
	o, ctx := newOptimizer(t, func(c *eke.Config) { c.Goal = eke.Minimize }), context.Background()
	if _, err := o.Best(ctx); !errors.Is(err, eke.ErrNoResult) {
		t.Errorf("the best of nothing: %v", err)
	}
	for range 2 {
		for i := range 6 {
			x := []float64{-5 + 15*float64(i)/6, 1e-3 * float64(i*i%6) / 6}
			value, cost := valley(x)
			if err := o.Observe(ctx, eke.Point(x...), value, cost); err != nil {
				t.Fatal(err)
			}
		}
	}
	best, err := o.Best(ctx)
	if err != nil || !best.Known || best.Number != 0 || best.Cost == 0 || ledger(t, o).Spent != 0 || len(results(t, o)) != 0 {
		t.Errorf("%+v, %v, %+v", best, err, ledger(t, o))
	}
	in, err := o.Insight(ctx)
	if err != nil || in.State != insight.Ready || in.Observed != 6 || in.Best != 0 || !reflect.DeepEqual(in.Through, best.Setting) {
		t.Errorf("%+v, %v", in, err)
	}
	trial, err := o.Ask(ctx)
	if err != nil || trial.Number != 1 || trial.Why.Policy == "design" || trial.Why.Expected == nil {
		t.Errorf("after six known results: %+v, %v", trial, err)
	}
}

// Every setting of a small space is tried once, and then the study is over.
func TestASmallSpaceIsExhausted(t *testing.T) {
	o, ctx := newOptimizer(t, func(c *eke.Config) {
		c.Parameters = []space.Param{{Name: "n", Kind: space.KindInt, Min: 1, Max: 3}, {Name: "fast", Kind: space.KindBool}}
		c.Budget = 1000
	}), context.Background()
	seen := map[string]bool{}
	for {
		trial, err := o.Ask(ctx)
		if err != nil {
			if !errors.Is(err, eke.ErrExhausted) || !eke.Over(err) || len(seen) != 6 {
				t.Errorf("%v after %d settings", err, len(seen))
			}
			return
		}
		seen[fmt.Sprint(trial.Int("n"), trial.Bool("fast"), trial.String("fast"))] = true
		if err := o.Tell(ctx, trial.Number, trial.Float("n"), 1); err != nil {
			t.Fatal(err)
		}
	}
}

// Accessors say nothing of a parameter that does not exist under a setting, and panic at one that the study has not.
func TestTrialValues(t *testing.T) {
	o, ctx := newOptimizer(t, func(c *eke.Config) {
		c.Parameters = []space.Param{
			{Name: "kind", Kind: space.KindFixed, Value: space.String("a")},
			{Name: "b", Kind: space.KindFloat, Min: 1, Max: 2, When: []space.Condition{{Param: "kind", Values: []space.Value{space.String("a")}}}},
			{Name: "c", Kind: space.KindInt, Min: 1, Max: 2},
		}
	}), context.Background()
	trial, err := o.Ask(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if x := trial.X(); len(x) != 2 || x[0] != trial.Float("b") || int(x[1]) != trial.Int("c") || trial.String("kind") != "a" || trial.Bool("kind") {
		t.Errorf("%+v", trial)
	}
	delete(trial.Setting, "b")
	if !math.IsNaN(trial.Float("b")) || trial.Int("b") != 0 || trial.String("b") != "" {
		t.Errorf("%+v", trial)
	}
	defer func() {
		if recover() == nil {
			t.Error("a name that the study does not have was taken")
		}
	}()
	trial.Float("d")
}
