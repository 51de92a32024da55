package advisor

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// A band has its lower end first, whether the study minimizes or maximizes.
func TestExpectedBand(t *testing.T) {
	for goal, want := range map[study.Goal]study.Expected{
		study.Maximize: {Value: -5, ValueSD: 6, ValueLow: -14, ValueHigh: -1},
		study.Minimize: {Value: 5, ValueSD: 6, ValueLow: 1, ValueHigh: 14},
	} {
		a, err := New(&study.Study{
			Name: "kiln", Objective: study.Objective{Name: "loss", Goal: goal}, Cost: study.Cost{Source: study.Reported, Unit: "euros"},
			Budget: study.Budget{Total: 4}, Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := a.Expected(policy.Prediction{Value: -5, ValueSD: 6, ValueLow: -14, ValueHigh: -1})
		if got.Value != want.Value || got.ValueLow != want.ValueLow || got.ValueHigh != want.ValueHigh || got.ValueSD != want.ValueSD {
			t.Errorf("%s: %+v", goal, got)
		}
	}
}

// The chance to beat the best is left out as long as nobody knows the scale of values.
func TestEarlyExpectedBeatsNothing(t *testing.T) {
	a := limited(study.Reported, study.Budget{})
	for early, want := range map[bool]float64{true: 0, false: 0.4} {
		if got := a.Expected(policy.Prediction{Early: early, Beats: 0.4}).Beats; got != want {
			t.Errorf("early: %v: %v", early, got)
		}
	}
}

// announced returns the record of a study whose trials were announced with a chance each, and won or lost.
func announced(t *testing.T, chances []float64, won []bool) *study.Record {
	t.Helper()
	r, at := study.NewRecord(100, false), time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	best := 100.0
	for i := -1; i < len(chances); i++ {
		trial := study.Trial{Number: i + 2, State: study.Done, Value: best + 1, Asked: at, Finished: at.Add(time.Minute), Charged: 1}
		why := Why{Policy: "design"}
		if i >= 0 {
			why = Why{Policy: DefaultPolicy, Expected: &study.Expected{Beats: chances[i]}}
		}
		if i < 0 || won[i] {
			best--
			trial.Value = best
		}
		var err error
		if trial.Why, err = json.Marshal(why); err != nil {
			t.Fatal(err)
		}
		x := float64(i+2) / 100
		trial.Setting, trial.Point = space.Setting{"x": space.Float(x)}, []float64{x}
		r.Trials = append(r.Trials, trial)
		at = at.Add(time.Hour)
	}
	return r
}

func many[T any](n int, v T) []T { return slices.Repeat([]T{v}, n) }

// A study that goes on announcing and losing says less and less, and one that keeps its word says the same.
func TestChancesAreCredited(t *testing.T) {
	a := limited(study.Reported, study.Budget{})
	last := 0.5
	for n := range 20 {
		got := a.credited(announced(t, many(n, 0.5), many(n, false)), 0.5)
		if n == 0 && got != 0.5 || n > 0 && !(got < last && got > 0) {
			t.Errorf("%d chances of 50%% lost: %v after %v", n, got, last)
		}
		last = got
	}
	if last > 0.17 {
		t.Errorf("after 19 lost chances of 50%%: %v", last)
	}
	for _, chance := range []float64{0.05, 0.5, 0.95} {
		n := 12
		if got := a.credited(announced(t, many(n, 0.9), many(n, true)), chance); got < chance || got >= 1 {
			t.Errorf("%d wins at 90%%: %v became %v", n, chance, got)
		}
		if got := a.credited(announced(t, many(n, 0.2), many(n, true)), chance); got <= chance || got >= 1 {
			t.Errorf("%d wins at 20%%: %v became %v", n, chance, got)
		}
		half := announced(t, many(n, 0.5), slices.Repeat([]bool{false, true}, n/2))
		if got := a.credited(half, chance); math.Abs(got-chance) > 0.03 {
			t.Errorf("half of %d won: %v became %v", n, chance, got)
		}
	}
	if got := a.credited(announced(t, many(9, 0.5), many(9, false)), 0); got != 0 {
		t.Errorf("a chance that nobody knows became %v", got)
	}
}

// The factor is that of MATH.md (77), term by term.
func TestCreditIsTheFormula(t *testing.T) {
	a := limited(study.Reported, study.Budget{})
	chances, won := []float64{0.3, 0.8, 0.1, 0.6, 0.25}, []bool{true, false, false, true, false}
	for n := range len(chances) + 1 {
		said, came := 2.0, 2.0
		for i := range n {
			weight := math.Pow(0.9, float64(n-1-i))
			said += weight * chances[i]
			if won[i] {
				came += weight
			}
		}
		want := 0.4 * came / said
		if came > said {
			odds := 0.4 / 0.6 * came / said
			want = odds / (1 + odds)
		}
		if got := a.credited(announced(t, chances[:n], won[:n]), 0.4); math.Abs(got-want) > 1e-12 {
			t.Errorf("after %d trials: %v, want %v", n, got, want)
		}
	}
}

// Only trials that could have won teach anything: not those that have not ended, that the machine lost, or that do not count as evidence. What came later
// takes no win away, and the chance that counts is that of the models.
func TestWhatCreditIsLearntFrom(t *testing.T) {
	a := limited(study.Reported, study.Budget{})
	record := func() *study.Record { return announced(t, []float64{0.5}, []bool{true}) }
	won := a.credited(record(), 0.5)
	if won <= 0.5 {
		t.Fatalf("a win at 50%% makes it %v", won)
	}
	for name, change := range map[string]func(*study.Trial){
		"running": func(t *study.Trial) { t.State = study.Running }, "abandoned": func(t *study.Trial) { t.State = study.Abandoned },
		"of the machine": func(t *study.Trial) { t.State, t.Machine = study.Failed, true }, "forgotten": func(t *study.Trial) { t.Forgotten = true },
		"of somebody": func(t *study.Trial) { t.Why = nil },
	} {
		r := record()
		if change(&r.Trials[1]); a.credited(r, 0.5) != 0.5 {
			t.Errorf("%s: %v", name, a.credited(r, 0.5))
		}
	}
	for name, change := range map[string]func(*study.Trial){
		"failed": func(t *study.Trial) { t.State = study.Failed }, "violates": func(t *study.Trial) { t.Violates = []string{"memory"} },
	} {
		r := record()
		if change(&r.Trials[1]); a.credited(r, 0.5) >= 0.5 {
			t.Errorf("%s: %v", name, a.credited(r, 0.5))
		}
	}
	r := record()
	other := r.Trials[1] // asked for at the same time, and better
	other.Number, other.Value, other.Why, other.Setting, other.Point = 3, 0, nil, space.Setting{"x": space.Float(0.9)}, []float64{0.9}
	r.Trials = append(r.Trials, other)
	if got := a.credited(r, 0.5); got != won {
		t.Errorf("beside a better one: %v, want %v", got, won)
	}
	r = record()
	early := other // asked for before it, and better, but not known when it was handed out
	early.Number, early.Asked, early.Finished = 1, r.Trials[0].Asked, r.Trials[1].Asked.Add(time.Minute)
	r.Trials = append(r.Trials, early)
	if got := a.credited(r, 0.5); got != won {
		t.Errorf("beside one that ended later: %v, want %v", got, won)
	}
	r = record()
	r.Trials[1].Why, _ = json.Marshal(Why{Policy: DefaultPolicy, Hoped: 0.5, Expected: &study.Expected{Beats: 0.2}})
	if got := a.credited(r, 0.5); got != won {
		t.Errorf("with a chance that was corrected: %v, want %v", got, won)
	}
	a.study.Noisy = true
	if got := a.credited(record(), 0.5); got != 0.5 {
		t.Errorf("with noise: %v", got)
	}
}
