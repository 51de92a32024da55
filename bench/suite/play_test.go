package suite

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/variant"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// script is an optimizer that suggests given settings.
type script struct {
	trials []eke.Trial
	next   int
	told   []float64 // values, by trial
	spent  float64
	budget float64
	goal   study.Goal
	known  []eke.Result
}

func (s *script) Ask(context.Context) (eke.Trial, error) {
	if s.next == len(s.trials) {
		return eke.Trial{}, eke.ErrNotWorth
	}
	s.next++
	t := s.trials[s.next-1]
	t.Number = s.next
	return t, nil
}

func (s *script) Tell(_ context.Context, _ int, value, cost float64) error {
	if s.spent += cost; s.spent > s.budget {
		value = math.NaN() // does not count
	}
	s.told = append(s.told, value)
	return nil
}

func (s *script) Fail(_ context.Context, _ int, cost float64, _ string) error {
	s.spent += cost
	s.told = append(s.told, math.NaN())
	return nil
}

func (s *script) Observe(_ context.Context, setting space.Setting, value, _ float64) error {
	s.known = append(s.known, eke.Result{Trial: eke.Trial{Setting: setting}, Value: value})
	return nil
}

func (s *script) Best(context.Context) (eke.Result, error) {
	best, found := eke.Result{}, false
	for i, v := range s.told {
		if !math.IsNaN(v) && (!found || s.goal.Better(v, best.Value)) {
			best, found = eke.Result{Trial: s.trials[i], Value: v}, true
		}
	}
	for _, k := range s.known {
		if !found || s.goal.Better(k.Value, best.Value) {
			best, found = k, true
		}
	}
	if !found {
		return best, eke.ErrNoResult
	}
	return best, nil
}

// line is a task whose value is x, from 0 to 10, and whose cost is 1. The best value is 0, and 10 is worse
// by the scale.
func line() *problem.Task {
	return &problem.Task{
		Params: []space.Param{{Name: "x", Kind: space.KindFloat, Min: 0, Max: 10}}, Goal: study.Minimize, Budget: 4, Best: 0, Scale: 10,
		Evaluate: func(s space.Setting) (float64, float64) { x, _ := s["x"].Number(); return x, 1 },
	}
}

// try is a trial at x. Without a standard deviation it has no forecast.
func try(x, expected, sd float64, by string) eke.Trial {
	t := eke.Trial{Setting: space.Setting{"x": space.Float(x)}, Why: advisor.Why{Policy: by}}
	if sd > 0 {
		t.Why.Expected = &study.Expected{Value: expected, ValueSD: sd, CostMedian: 1, CostHigh: math.Exp(1.2815515655446004), Fits: 0.9}
	}
	return t
}

// A forecast that says how likely it is to beat the best is believed.
func TestChance(t *testing.T) {
	p := &play{task: line(), best: 1, trueBest: 1}
	for _, c := range []struct{ beats, want float64 }{{0, 0.5}, {0.02, 0.02}} {
		expected := &study.Expected{Value: 1, ValueSD: 1, Beats: c.beats}
		if got := p.chance(eke.Trial{Why: advisor.Why{Expected: expected}}); got != c.want {
			t.Errorf("%v: %v, want %v", c.beats, got, c.want)
		}
	}
}

// A study of five trials. The last goes past the budget. Regret is recorded at twenty moments. Until a trial ends, what was known
// before it counts.
func TestPlayed(t *testing.T) {
	task := line()
	o := &script{goal: study.Minimize, budget: 4, trials: []eke.Trial{
		try(10, 0, 0, "design"),
		try(1, 9, 4, "design"), // far outside what was expected: −2 standard deviations
		try(5, 5, 0.5, "ei"),   // hopeless: 8 standard deviations above the best
		try(0.1, 1.1, 1, "ei"), // one standard deviation better than expected, which it considered possible
		try(0, 0, 1, "ei"),     // past the budget
	}}
	run, err := played(t.Context(), task, o, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for i := range 20 {
		switch {
		case i < 9: // nothing is known before the first trial has ended, and that one lacks the whole scale
			want = append(want, 0)
		case i < 19: // with half of the money, 10/20, the second trial has just ended
			want = append(want, -1)
		default:
			want = append(want, -2)
		}
	}
	for i := range want {
		if math.Abs(run.Curve[i]-want[i]) > 1e-12 {
			t.Errorf("with %d/20 spent: log10 regret %v, want %v", i+1, run.Curve[i], want[i])
		}
	}
	if run.Trials != 5 || run.Design != 2 || run.Ended != "not worth" || run.Left != 0 {
		t.Errorf("%+v", run)
	}
	if run.Wasted == nil || math.Abs(*run.Wasted-1.0/3) > 1e-12 {
		t.Errorf("wasted %v, want one trial of three after the design", run.Wasted)
	}
	// Of four forecasts the first third, rounded up, is early.
	if n := run.Values[0].N(); n != 2 {
		t.Errorf("%d early forecasts, want 2 of 4", n)
	}
	if d := cmp.Diff([7]int{1, 0, 0, 1, 0, 0, 0}, run.Values[0].Counts); d != "" {
		t.Error(d) // −2 is below the quantile of 2.5 %
	}
	if d := cmp.Diff([7]int{0, 0, 1, 1, 0, 0, 0}, run.Values[1].Counts); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([7]int{0, 0, 0, 2, 0, 0, 0}, run.Costs[1].Counts); d != "" {
		t.Error(d) // the median cost was charged
	}
	// A chance of 90 % was forecast four times; three times it fitted.
	if d := cmp.Diff([3]int{4, 3600, 3}, run.Fits[3]); d != "" {
		t.Error(d)
	}
}

// A trial that fails costs money, has no value, and is not a forecast to be judged by its value.
func TestPlayedWithFailures(t *testing.T) {
	task := line()
	task.Fails = func(s space.Setting) bool { x, _ := s["x"].Number(); return x < 1 }
	o := &script{goal: study.Minimize, budget: 4, trials: []eke.Trial{try(2, 2, 1, "ei"), try(0.1, 1, 1, "ei"), try(1.5, 1, 1, "ei")}}
	run, err := played(t.Context(), task, o, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	if last := run.Curve[len(run.Curve)-1]; math.Abs(last-math.Log10(0.15)) > 1e-12 || math.Abs(run.Left-0.25) > 1e-12 || run.Trials != 3 {
		t.Errorf("ends with the log10 regret %v and %v of the money after %d trials", last, run.Left, run.Trials)
	}
	if n := run.Values[0].N() + run.Values[1].N(); n != 2 {
		t.Errorf("%d forecasts of values, want 2", n)
	}
}

// A free design is known before the first trial, and not charged.
func TestFreeDesign(t *testing.T) {
	task := line()
	task.FreeDesign = true
	o := &script{goal: study.Minimize, budget: 4}
	run, err := played(t.Context(), task, o, false, 1)
	if err != nil || len(o.known) != 4 { // 2(d+1)
		t.Fatalf("%d known results, %v", len(o.known), err)
	}
	if run.Left != 1 || run.Trials != 0 || run.Wasted != nil {
		t.Errorf("%+v", run)
	}
	best, _ := o.Best(t.Context())
	for _, v := range run.Curve {
		if v != math.Log10(task.Regret(best.Value)) {
			t.Errorf("log10 regret %v, want that of the design's best, %v", v, best.Value)
		}
	}
}

// Through the public library: the money is spent, equal replications are equal, and all policies begin with the same
// points.
func TestPlayThroughTheFrontDoor(t *testing.T) {
	task, err := problem.NewTask("gp1-independent", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	var runs []Run
	for _, label := range []string{"ei-puc", "ei-puc", "ei"} {
		v, err := variant.Parse(label)
		if err != nil {
			t.Fatal(err)
		}
		run, err := Play(t.Context(), task, v)
		if err != nil {
			t.Fatal(err)
		}
		if run.Ended == "" || run.Trials < 4 || run.Left > 0.5 || run.Policy != label {
			t.Errorf("%+v", run)
		}
		run.Seconds = 0
		runs = append(runs, run)
	}
	if d := cmp.Diff(runs[0], runs[1]); d != "" {
		t.Errorf("the same replication differs: %s", d)
	}
	if runs[0].Curve[4] != runs[2].Curve[4] {
		t.Error("another policy has another design")
	}
}

// The trials of a play take microseconds, and those that they stand for much longer: nothing is thought less about.
func TestPlayThinksAsElsewhere(t *testing.T) {
	task, err := problem.NewTask("gp2-fidelity", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := variant.Parse("default")
	if err != nil {
		t.Fatal(err)
	}
	o, err := open(t.Context(), task, v)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 14 {
		trial, err := o.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(trial.Why.Picked, "thought less") {
			t.Fatalf("trial %d: %s", n+1, trial.Why.Picked)
		}
		value, cost := task.Evaluate(trial.Setting)
		if err := o.Tell(t.Context(), trial.Number, value, cost); err != nil {
			t.Fatal(err)
		}
	}
}

// The luckiest observation is reported as the best, after every trial.
func TestLucky(t *testing.T) {
	task, err := problem.NewTask("camel-noisy", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	task.Budget /= 2
	v, err := variant.Parse("ei-puc@lucky")
	if err != nil {
		t.Fatal(err)
	}
	o, err := open(t.Context(), task, v)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Best(t.Context()); !errors.Is(err, eke.ErrNoResult) {
		t.Errorf("before the first result: %v", err)
	}
	luckiest, number := math.Inf(1), 0
	for {
		trial, err := o.Ask(t.Context())
		if err != nil {
			if ending(err) == "" {
				t.Fatal(err)
			}
			break
		}
		value, cost := task.Try(trial.Setting, trial.Number-1)
		if err := o.Tell(t.Context(), trial.Number, value, cost); err != nil {
			t.Fatal(err)
		}
		if value < luckiest {
			luckiest, number = value, trial.Number
		}
		if best, err := o.Best(t.Context()); err != nil || best.Number != number || best.Value != luckiest {
			t.Errorf("after trial %d the best is %+v, %v; the luckiest is trial %d with %v", trial.Number, best, err, number, luckiest)
		}
	}
	if number == 0 {
		t.Error("no trial was played")
	}
}
