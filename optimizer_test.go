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
	"github.com/eke-bo/eke/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func quick() policy.Settings { return policy.Settings{RawPoints: 60, Starts: 6, Iterations: 40} }

func newOptimizer(t testing.TB, change func(*eke.Config)) *eke.Optimizer {
	t.Helper()
	c := eke.Config{Lower: []float64{-5, 0}, Upper: []float64{10, 1e-3}, Budget: 10, Seed: 3, Settings: quick()}
	if change != nil {
		change(&c)
	}
	o, err := eke.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func valley(x []float64) (value, cost float64) {
	u, v := (x[0]+5)/15, x[1]/1e-3
	return (u-0.3)*(u-0.3) + (v-0.6)*(v-0.6), 0.2 + u
}

func TestBadConfigsAreNamed(t *testing.T) {
	good := func() eke.Config { return eke.Config{Lower: []float64{0, 0}, Upper: []float64{1, 1}, Budget: 1} }
	for want, spoil := range map[string]func(*eke.Config){
		"Lower has 0 bounds":         func(c *eke.Config) { c.Lower, c.Upper = nil, nil },
		"Upper 1":                    func(c *eke.Config) { c.Upper = c.Upper[1:] },
		"setting 1 runs from 1 to 1": func(c *eke.Config) { c.Lower[1] = 1 },
		"setting 0 runs from NaN":    func(c *eke.Config) { c.Lower[0] = math.NaN() },
		"setting 0 runs from -Inf":   func(c *eke.Config) { c.Lower[0] = math.Inf(-1) },
		"finite bounds":              func(c *eke.Config) { c.Lower[0], c.Upper[0] = -math.MaxFloat64, math.MaxFloat64 },
		"Budget is 0":                func(c *eke.Config) { c.Budget = 0 },
		"Budget is NaN":              func(c *eke.Config) { c.Budget = math.NaN() },
		"Budget is +Inf":             func(c *eke.Config) { c.Budget = math.Inf(1) },
		`"best" is not a policy`:     func(c *eke.Config) { c.Policy = "best" },
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
			"value is NaN":            func() error { return spoilt.Tell(b.Number, math.NaN(), 1) },
			"value is +Inf":           func() error { return spoilt.Tell(b.Number, math.Inf(1), 1) },
			"cost is 0":               func() error { return spoilt.Tell(b.Number, 1, 0) },
			"cost is -2":              func() error { return spoilt.Tell(b.Number, 1, -2) },
			"cost is NaN":             func() error { return spoilt.Tell(b.Number, 1, math.NaN()) },
			"cost is +Inf":            func() error { return spoilt.Tell(b.Number, 1, math.Inf(1)) },
			"never asked for":         func() error { return spoilt.Tell(b.Number+1, 1, 1) },
			"trial -1":                func() error { return spoilt.Tell(-1, 1, 1) },
			"3 settings given":        func() error { return spoilt.Observe([]float64{0, 0, 0}, 1, 1) },
			"setting 1 is 2, outside": func() error { return spoilt.Observe([]float64{0, 2}, 1, 1) },
		} {
			if err := tell(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("wanted %q, got %v", want, err)
			}
		}
		value, cost := valley(a.X)
		for _, o := range []*eke.Optimizer{clean, spoilt} {
			if err := o.Tell(a.Number, value, cost); err != nil {
				t.Fatal(err)
			}
		}
		if err := spoilt.Tell(b.Number, value, cost); err == nil || !strings.Contains(err.Error(), "on record already") {
			t.Errorf("told twice: %v", err)
		}
		if clean.Spent() != spoilt.Spent() || !reflect.DeepEqual(clean.Results(), spoilt.Results()) {
			t.Fatalf("the logs differ after trial %d", i)
		}
	}
}

// The last trial may cost more than was left. It is paid for and on record, but its
// value does not count, and nothing more is started.
func TestOverrunIsOnRecordAndDoesNotCount(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) { c.Budget, c.Minimize = 3, true })
	ctx := context.Background()
	for i, result := range []struct{ value, cost float64 }{{5, 1}, {4, 1}, {-100, 1.5}} {
		trial, err := o.Ask(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Tell(trial.Number, result.value, result.cost); err != nil {
			t.Fatalf("trial %d: %v", i, err)
		}
	}
	best, ok := o.Best()
	if !ok || best.Value != 4 || o.Spent() != 3.5 || len(o.Results()) != 3 || !o.Results()[2].Beyond {
		t.Errorf("best %+v, spent %v, results %+v", best, o.Spent(), o.Results())
	}
	if _, err := o.Ask(ctx); !errors.Is(err, eke.ErrBudgetSpent) {
		t.Errorf("asked beyond the budget: %v", err)
	}
}

func TestMinimizeMirrorsMaximize(t *testing.T) {
	ctx := context.Background()
	low := newOptimizer(t, func(c *eke.Config) { c.Minimize = true })
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
		if !reflect.DeepEqual(a.X, b.X) || a.Reasons.Predicted.Value != -b.Reasons.Predicted.Value {
			t.Fatalf("%+v and %+v", a, b)
		}
		value, cost := valley(a.X)
		if err := errors.Join(low.Tell(a.Number, value, cost), high.Tell(b.Number, -value, cost)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRunFindsTheValley(t *testing.T) {
	for _, name := range []string{"ei-puc-cc", "2-bmsei", "4-bmsei-p"} {
		o := newOptimizer(t, func(c *eke.Config) { c.Minimize, c.Policy = true, name })
		spent := 0.0
		err := o.Run(context.Background(), func(_ context.Context, x []float64) (float64, float64, error) {
			value, cost := valley(x)
			spent += cost
			return value, cost, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		best, _ := o.Best()
		if best.Value > 0.01 || math.Abs(o.Spent()-spent) > 1e-12 || o.Spent() < 10 {
			t.Errorf("%s: best %v, spent %v of which told %v", name, best, spent, o.Spent())
		}
	}
}

func TestRunStopsWithTheContextAndWithTheExperiment(t *testing.T) {
	o := newOptimizer(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	tries := 0
	try := func(_ context.Context, x []float64) (float64, float64, error) {
		if tries++; tries == 3 {
			cancel()
		}
		value, cost := valley(x)
		return value, cost, nil
	}
	if err := o.Run(ctx, try); !errors.Is(err, context.Canceled) || tries != 3 || len(o.Results()) != 3 {
		t.Errorf("%v after %d tries, %d results", err, tries, len(o.Results()))
	}
	broken := errors.New("kiln is cold")
	err := o.Run(context.Background(), func(context.Context, []float64) (float64, float64, error) { return 0, 0, broken })
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "trial 3") || len(o.Results()) != 3 {
		t.Errorf("%v, %d results", err, len(o.Results()))
	}
	if err := o.Tell(3, 1, 1); err == nil || !strings.Contains(err.Error(), "withdrawn") {
		t.Errorf("told a withdrawn trial: %v", err)
	}
	if err := o.Run(context.Background(), try); err != nil || o.Spent() < 10 {
		t.Errorf("went on to %v with %v", o.Spent(), err)
	}
}

// Several workers ask and tell at once: all trials differ, and the ledger adds up.
func TestConcurrentAskAndTell(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) { c.Budget, c.Policy = 12, "ei-puc" })
	var wait sync.WaitGroup
	var mu sync.Mutex
	seen, spent := map[string]int{}, 0.0
	for range 4 {
		wait.Go(func() {
			for {
				trial, err := o.Ask(context.Background())
				if errors.Is(err, eke.ErrBudgetSpent) || errors.Is(err, eke.ErrBudgetPending) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				value, cost := valley(trial.X)
				mu.Lock()
				seen[fmt.Sprint(trial.X)]++
				spent += cost
				mu.Unlock()
				if err := o.Tell(trial.Number, value, cost); err != nil {
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
	if math.Abs(o.Spent()-spent) > 1e-9 || len(o.Results()) != len(seen) {
		t.Errorf("spent %v of %v, %d results of %d", o.Spent(), spent, len(o.Results()), len(seen))
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

// A result that makes no sense stops Run and leaves no trial behind.
func TestRunWithdrawsWhatItCannotTell(t *testing.T) {
	o := newOptimizer(t, nil)
	bad := true
	try := func(_ context.Context, x []float64) (float64, float64, error) {
		value, cost := valley(x)
		if bad {
			bad = false
			return math.NaN(), cost, nil
		}
		return value, cost, nil
	}
	if err := o.Run(context.Background(), try); err == nil || !strings.Contains(err.Error(), "value is NaN") {
		t.Errorf("%v", err)
	}
	if err := o.Run(context.Background(), try); err != nil || o.Spent() < 10 {
		t.Errorf("%v at %v spent", err, o.Spent())
	}
}

func TestAskGivesUpWaitingWithItsContext(t *testing.T) {
	o := newOptimizer(t, func(c *eke.Config) { c.Policy, c.Settings = "4-bmsei", policy.Settings{} })
	for i := range 30 {
		x := []float64{-5 + 15*float64(i*7%30)/30, 1e-3 * float64(i) / 30}
		value, cost := valley(x)
		if err := o.Observe(x, value, cost); err != nil {
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
	o := newOptimizer(t, func(c *eke.Config) { c.Budget = 1e300 })
	for range 2 {
		trial, err := o.Ask(context.Background())
		if errors.Is(err, eke.ErrBudgetSpent) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Tell(trial.Number, 1, 1.7e308); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := o.Ask(context.Background()); !errors.Is(err, eke.ErrBudgetSpent) || math.IsInf(o.Spent(), 0) {
		t.Errorf("%v, spent %v", err, o.Spent())
	}
}
