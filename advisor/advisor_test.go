package advisor_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// mixed is a study with every kind of parameter.
func mixed() *study.Study {
	return &study.Study{
		Name: "mixed", Objective: study.Objective{Name: "loss", Goal: study.Minimize},
		Cost: study.Cost{Unit: "core-hours", Source: study.Reported}, Budget: study.Budget{Total: 40},
		Policy: study.Policy{Name: "auto"}, Seed: 3, Parallel: 1,
		Parameters: []space.Param{
			{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 1e-1, Log: true},
			{Name: "n", Kind: space.KindInt, Min: 1, Max: 8},
			{Name: "opt", Kind: space.KindChoice, Values: []space.Value{space.String("sgd"), space.String("adam"), space.String("lion")}},
			{Name: "beta", Kind: space.KindFloat, Min: 0, Max: 1, When: []space.Condition{{Param: "opt", Values: []space.Value{space.String("adam")}}}},
		},
	}
}

// train is a made-up training run.
func train(s space.Setting) (loss, cost float64) {
	lr, _ := s["lr"].Number()
	n, _ := s["n"].Number()
	loss = math.Pow(math.Log10(lr)+3, 2)/4 + math.Abs(n-6)/6
	switch s["opt"].String() {
	case "adam":
		beta, _ := s["beta"].Number()
		loss += (beta - 0.9) * (beta - 0.9)
	case "sgd":
		loss += 0.3
	default:
		loss += 0.5
	}
	return loss, 0.3 * math.Exp(n/5)
}

// play spends a study's budget in memory, failing every seventh trial, and returns the record.
func play(t *testing.T, s *study.Study, ahead int) (*study.Record, error) {
	t.Helper()
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, s.Measured())
	apply := func(e study.Event) {
		t.Helper()
		e.Seq, e.At = r.Version+1, time.Unix(1000+r.Version, 0)
		raw, err := json.Marshal(e) // as a store would keep it
		if err != nil {
			t.Fatal(err)
		}
		var stored study.Event
		if err := json.Unmarshal(raw, &stored); err != nil {
			t.Fatal(err)
		}
		if err := r.Apply(stored); err != nil {
			t.Fatal(err)
		}
	}
	for {
		for len(r.Open()) < ahead {
			asked, err := a.Next(context.Background(), r)
			if err != nil && len(r.Open()) == 0 {
				return r, err
			}
			if err != nil {
				break
			}
			apply(study.Event{Kind: study.EventAsked, Trial: len(r.Trials) + 1, Asked: &asked})
		}
		trial := r.Open()[0]
		apply(study.Event{Kind: study.EventStarted, Trial: trial.Number, Runner: "test"})
		loss, cost := train(trial.Setting)
		f := &study.Finished{State: study.Done, Value: loss, Charged: cost}
		if trial.Number%7 == 0 {
			f = &study.Finished{State: study.Failed, Charged: cost / 2}
		}
		apply(study.Event{Kind: study.EventFinished, Trial: trial.Number, Finished: f})
	}
}

func TestAdvisorSpendsABudget(t *testing.T) {
	if testing.Short() {
		t.Skip("whole studies take long under the race detector; the policies and the desk are raced by themselves")
	}
	for _, ahead := range []int{1, 3} {
		s := mixed()
		r, err := play(t, s, ahead)
		if !errors.Is(err, advisor.ErrBudgetSpent) && !errors.Is(err, advisor.ErrNotWorth) {
			t.Errorf("%d at once ended with %v", ahead, err)
		}
		sp, _ := s.Space()
		seen, best := map[string]bool{}, math.Inf(1)
		for _, trial := range r.Trials {
			seen[sp.Key(trial.Setting)] = true
			if trial.State == study.Done && !trial.Beyond {
				best = math.Min(best, trial.Value)
			}
			if len(trial.Why) == 0 {
				t.Errorf("trial %d has no reasons", trial.Number)
			}
		}
		if len(seen) != len(r.Trials) {
			t.Errorf("%d at once: %d trials, %d settings", ahead, len(r.Trials), len(seen))
		}
		t.Logf("%d at once: %d trials, best %.3f, spent %.2f of %v: %v", ahead, len(r.Trials), best, r.Ledger.Spent, r.Ledger.Total, err)
		if best > 0.5 {
			t.Errorf("%d at once: best %v after %d trials", ahead, best, len(r.Trials))
		}
		if found := errors.Is(err, advisor.ErrNotWorth) && best < 0.01; !found && r.Ledger.Spent < 0.6*r.Ledger.Total {
			t.Errorf("%d at once: stopped at %v of %v", ahead, r.Ledger.Spent, r.Ledger.Total)
		}
	}
}

// Any process may ask: the same record gives the same trial.
func TestAdvisorKeepsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("whole studies take long under the race detector")
	}
	r, _ := play(t, mixed(), 1)
	again := study.NewRecord(40, false)
	for _, trial := range r.Trials {
		a, err := advisor.New(mixed())
		if err != nil {
			t.Fatal(err)
		}
		asked, err := a.Next(context.Background(), again)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(asked.Setting, trial.Setting) {
			t.Fatalf("trial %d: %v, want %v", trial.Number, asked.Setting, trial.Setting)
		}

		for _, e := range []study.Event{
			{Kind: study.EventAsked, Trial: trial.Number, Asked: &asked},
			{Kind: study.EventStarted, Trial: trial.Number},
			{Kind: study.EventFinished, Trial: trial.Number, Finished: &study.Finished{State: trial.State, Value: trial.Value, Charged: trial.Charged}},
		} {
			e.Seq, e.At = again.Version+1, trial.Asked
			if err := again.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestAdvisorPicksAPolicy(t *testing.T) {
	s := mixed()
	s.Budget.Total = 12
	r, _ := play(t, s, 1)
	if why, _ := advisor.WhyOf(r.Trials[0].Why); why.Policy != "design" || why.Picked != "one of the first trials, spread out to learn from" {
		t.Errorf("the first trial was chosen by %s: %s", why.Policy, why.Picked) // not by the policy's rule
	}
	chosen := slices.IndexFunc(r.Trials, func(t study.Trial) bool { why, _ := advisor.WhyOf(t.Why); return why.Policy == advisor.DefaultPolicy })
	if chosen < 0 {
		t.Fatalf("none of %d trials was chosen by the policy", len(r.Trials))
	}
	if why, _ := advisor.WhyOf(r.Trials[chosen].Why); why.Picked == "" || why.Expected == nil || !(why.Expected.Fits >= 0 && why.Expected.Fits <= 1) {
		t.Errorf("%+v", why)
	}
	s.Policy.Name = "luck"
	if _, err := advisor.New(s); err == nil {
		t.Error("an unknown policy was taken")
	}
}

// Values may lie further apart than the largest number. The study goes on.
func TestHugeValues(t *testing.T) {
	for _, values := range [][]float64{{-1.7e308, 1.7e308, 1}, {1, -1.7e308, 1.7e308}, {-1e308, 1e308, 1, 2}} {
		for seed := range uint64(8) {
			s := easy(t)
			s.Seed, s.Parameters = seed, s.Parameters[:1]
			s.Noisy = seed%2 == 1
			a, err := advisor.New(s)
			if err != nil {
				t.Fatal(err)
			}
			r := study.NewRecord(s.Budget.Total, false)
			for number := 1; number <= 9; number++ {
				asked, err := a.Next(t.Context(), r)
				if err != nil {
					t.Fatalf("%v, seed %d, trial %d: %v", values, seed, number, err)
				}
				note(t, r, study.Event{Kind: study.EventAsked, Trial: number, Asked: &asked})
				note(t, r, study.Event{Kind: study.EventFinished, Trial: number, Finished: &study.Finished{State: study.Done, Value: values[(number-1)%len(values)], Charged: 1}})
			}
		}
	}
}
