package advisor_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// afterSome returns what is asked after some trials of the bowl with looks, all of which took as long, and why.
func afterSome(t *testing.T, preset study.Preset, parallel, trials int, seconds float64) (study.Asked, string) {
	t.Helper()
	s := easy(t)
	s.Fidelity = &study.Fidelity{Name: "epochs", Min: 1, Max: 9}
	return afterSomeOf(t, s, preset, parallel, trials, seconds)
}

// afterSomeOf is the same for any study of the bowl.
func afterSomeOf(t *testing.T, s *study.Study, preset study.Preset, parallel, trials int, seconds float64) (study.Asked, string) {
	t.Helper()
	s.Policy, s.Parallel = study.Policy{Name: "auto", Preset: preset}, parallel
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	for number := 1; ; number++ {
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if number > trials {
			why, _ := advisor.WhyOf(asked.Why)
			return asked, why.Picked
		}
		epochs := 9.0
		if s.Fidelity != nil {
			epochs, _ = asked.Setting["epochs"].Number()
		}
		note(t, r, study.Event{Kind: study.EventAsked, Trial: number, Asked: &asked})
		note(t, r, study.Event{Kind: study.EventFinished, Trial: number, Finished: &study.Finished{State: study.Done, Value: smooth(asked.Setting) + 1/epochs, Charged: epochs / 9, Wall: seconds}})
	}
}

// Where trials take less time than thinking, less is thought, and the reasons say so. Nothing else changes that: neither trials of which no time is known, nor few of them, nor a
// study that asks for all the thought.
func TestQuickTrialsAreThoughtLessAbout(t *testing.T) {
	const less = "trials take 0.02 s: it thought less"
	quick, why := afterSome(t, study.PresetDefault, 1, 10, 0.02)
	if !strings.Contains(why, less) {
		t.Errorf("after quick trials it was chosen because %q, want %q in it", why, less)
	}
	if again, _ := afterSome(t, study.PresetDefault, 1, 10, 0.02); !reflect.DeepEqual(again, quick) {
		t.Errorf("an equal log gives\n%+v and\n%+v", quick, again)
	}
	usual, why := afterSome(t, study.PresetDefault, 1, 10, 0)
	if strings.Contains(why, "less") || strings.Contains(why, "trials take") {
		t.Errorf("without times it was chosen because %q", why)
	}
	for name, change := range map[string]struct {
		preset  study.Preset
		seconds float64
	}{"slow": {study.PresetDefault, 5}, "thorough": {study.PresetThorough, 0.02}} {
		if got, why := afterSome(t, change.preset, 1, 10, change.seconds); !reflect.DeepEqual(got.Setting, usual.Setting) || strings.Contains(why, "thought less") {
			t.Errorf("%s: %v because %q, want %v as without times", name, got.Setting, why, usual.Setting)
		}
	}
	if _, why := afterSome(t, study.PresetDefault, 1, 9, 0.02); strings.Contains(why, "thought less") {
		t.Errorf("after few trials it was chosen because %q", why)
	}
	// Thinking of less than 0.05 s is never cut, however quick trials are.
	for _, seconds := range []float64{0.001, 0.04} {
		if _, why := afterSomeOf(t, easy(t), study.PresetDefault, 1, 10, seconds); strings.Contains(why, "thought less") {
			t.Errorf("without looks, after trials of %g s it was chosen because %q", seconds, why)
		}
	}
	// Four slots wait for one that thinks.
	for parallel, want := range map[int]bool{1: false, 4: true} {
		if _, why := afterSome(t, study.PresetDefault, parallel, 10, 0.5); strings.Contains(why, "trials take 0.5 s: it thought less") != want {
			t.Errorf("with %d at once it was chosen because %q", parallel, why)
		}
	}
}

// BenchmarkQuickTrials plays studies of 40 trials of 20 ms or less, with and without looks, and of 200 of 1 ms, and reports the seconds of thinking, those of trying, and the mean logarithm of the regret.
func BenchmarkQuickTrials(b *testing.B) {
	const dim = 4
	value := func(s space.Setting, epochs float64) (sum float64) {
		for i := range dim {
			x, _ := s[fmt.Sprint("x", i)].Number()
			sum += math.Pow(x-0.2*float64(i+1), 2)
		}
		return sum + 0.1*(1/epochs-1/81.)
	}
	for name, of := range map[string]struct {
		fidelity *study.Fidelity
		trials   int
		seconds  float64
	}{"looks": {&study.Fidelity{Name: "epochs", Min: 1, Max: 81, Log: true}, 40, 0.02}, "full": {nil, 40, 0.02}, "many": {nil, 200, 0.001}} {
		for _, preset := range []study.Preset{study.PresetDefault, study.PresetThorough} {
			b.Run(fmt.Sprintf("%s/%s", name, preset), func(b *testing.B) {
				regret, trying := 0.0, 0.0
				for n := range b.N {
					s := &study.Study{Name: "quick", Objective: study.Objective{Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported}, Budget: study.Budget{Total: 1000, Trials: of.trials},
						Policy: study.Policy{Name: "auto", Preset: preset}, Parallel: 1, Seed: uint64(n), Fidelity: of.fidelity, Stop: study.Stop{Never: name == "many"}}
					for i := range dim {
						s.Parameters = append(s.Parameters, space.Param{Name: fmt.Sprint("x", i), Kind: space.KindFloat, Max: 1})
					}
					a, err := advisor.New(s)
					if err != nil {
						b.Fatal(err)
					}
					r, best := study.NewRecord(s.Budget.Total, false), math.Inf(1)
					for number := 1; number <= of.trials; number++ {
						asked, err := a.Next(b.Context(), r)
						if err != nil {
							break // it is not worth going on
						}
						epochs := 81.0
						if of.fidelity != nil {
							epochs, _ = asked.Setting["epochs"].Number()
						}
						v, wall := value(asked.Setting, epochs), of.seconds*epochs/81
						if trying += wall; epochs == 81 {
							best = math.Min(best, v)
						}
						note(b, r, study.Event{Kind: study.EventAsked, Trial: number, Asked: &asked})
						note(b, r, study.Event{Kind: study.EventFinished, Trial: number, Finished: &study.Finished{State: study.Done, Value: v, Charged: wall, Wall: wall}})
					}
					regret += math.Log10(best)
				}
				b.ReportMetric(regret/float64(b.N), "log10(regret)")
				b.ReportMetric(trying/float64(b.N), "s_trying/op")
			})
		}
	}
}
