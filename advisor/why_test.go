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
	l := announcements{t, study.NewRecord(100, false)}
	best := 100.0
	l.ask(Why{Policy: "design"})
	l.finish(1, best)
	for i, chance := range chances {
		n, value := l.ask(Why{Policy: DefaultPolicy, Expected: &study.Expected{Beats: chance}}), best+1
		if won[i] {
			best--
			value = best
		}
		l.finish(n, value)
	}
	return l.r
}

// announcements is a record that grows.
type announcements struct {
	t *testing.T
	r *study.Record
}

func (l announcements) must(e study.Event) {
	l.t.Helper()
	e.Seq, e.At = l.r.Version+1, time.Unix(l.r.Version, 0)
	if err := l.r.Apply(e); err != nil {
		l.t.Fatal(err)
	}
}

func (l announcements) ask(why Why) (number int) {
	l.t.Helper()
	raw, err := json.Marshal(why)
	if err != nil {
		l.t.Fatal(err)
	}
	number = len(l.r.Trials) + 1
	x := float64(number) / 100
	l.must(study.Event{Kind: study.EventAsked, Trial: number, Asked: &study.Asked{Setting: space.Setting{"x": space.Float(x)}, Point: []float64{x}, Reserved: 1, Why: raw}})
	return number
}

func (l announcements) finish(number int, value float64) {
	l.t.Helper()
	l.must(study.Event{Kind: study.EventFinished, Trial: number, Finished: &study.Finished{State: study.Done, Value: value, Charged: 1}})
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
	for _, earlier := range []bool{false, true} { // another one, better, was handed out before or after it, and ended while it ran
		l := announcements{t, study.NewRecord(100, false)}
		l.finish(l.ask(Why{Policy: "design"}), 100)
		var better, it int
		if earlier {
			better = l.ask(Why{Policy: "design"})
		}
		it = l.ask(Why{Policy: DefaultPolicy, Expected: &study.Expected{Beats: 0.5}})
		if !earlier {
			better = l.ask(Why{Policy: "design"})
		}
		l.finish(better, 0)
		l.finish(it, 99)
		if got := a.credited(l.r, 0.5); got != won {
			t.Errorf("beside a better one, which was handed out before it (%v): %v, want %v", earlier, got, won)
		}
	}
	r := record()
	r.Trials[1].Why, _ = json.Marshal(Why{Policy: DefaultPolicy, Hoped: 0.5, Expected: &study.Expected{Beats: 0.2}})
	if got := a.credited(r, 0.5); got != won {
		t.Errorf("with a chance that was corrected: %v, want %v", got, won)
	}
	a.study.Noisy = true
	if got := a.credited(record(), 0.5); got != 0.5 {
		t.Errorf("with noise: %v", got)
	}
}

// With several objectives a trial has won if it has extended the front.
func TestCreditForTheFront(t *testing.T) {
	worst := 10.0
	a, err := New(&study.Study{
		Name: "pair", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Cost: study.Cost{Source: study.Reported, Unit: "euros"}, Budget: study.Budget{Total: 100},
		Objectives: []study.Aim{{Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Worst: &worst}, {Objective: study.Objective{Name: "speed", Goal: study.Maximize}}},
		Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		loss, speed float64
		won         bool
	}{
		"better in one":         {4, 4, true},
		"better in the other":   {6, 6, true},
		"better in both":        {4, 6, true},
		"dominated":             {6, 5, false},
		"equal":                 {5, 5, false},
		"no better than worst":  {10, 9, false},
		"the second is missing": {4, math.NaN(), false},
	} {
		l := announcements{t, study.NewRecord(100, false)}
		finish := func(number int, loss, speed float64) {
			f := study.Finished{State: study.Done, Value: loss, Charged: 1, Metrics: study.Metrics{"speed": speed}}
			if math.IsNaN(speed) {
				f.State, f.Value, f.Metrics = study.Failed, 0, study.Metrics{"loss": loss}
			}
			l.must(study.Event{Kind: study.EventFinished, Trial: number, Finished: &f})
		}
		finish(l.ask(Why{Policy: "design"}), 5, 5)
		finish(l.ask(Why{Policy: DefaultPolicy, Expected: &study.Expected{Beats: 0.5}}), tc.loss, tc.speed)
		if got := a.credited(l.r, 0.5); (got > 0.5) != tc.won || got == 0.5 {
			t.Errorf("%s: a chance of 0.5 became %v", name, got)
		}
	}
}
