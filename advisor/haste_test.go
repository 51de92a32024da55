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
	s.Policy, s.Fidelity = study.Policy{Name: "auto", Preset: preset}, &study.Fidelity{Name: "epochs", Min: 1, Max: 9}
	s.Parallel = parallel
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
		epochs, _ := asked.Setting["epochs"].Number()
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
	// Four slots wait for one that thinks.
	for parallel, want := range map[int]bool{1: false, 4: true} {
		if _, why := afterSome(t, study.PresetDefault, parallel, 10, 0.5); strings.Contains(why, "trials take 0.5 s: it thought less") != want {
			t.Errorf("with %d at once it was chosen because %q", parallel, why)
		}
	}
}

// BenchmarkQuickTrials plays studies of 40 trials of 20 ms or less, with and without looks, and reports the seconds of thinking, those of trying, and the mean logarithm of the regret.
func BenchmarkQuickTrials(b *testing.B) {
	const dim, trials = 4, 40
	value := func(s space.Setting, epochs float64) (sum float64) {
		for i := range dim {
			x, _ := s[fmt.Sprint("x", i)].Number()
			sum += math.Pow(x-0.2*float64(i+1), 2)
		}
		return sum + 0.1*(1/epochs-1/81.)
	}
	for name, fidelity := range map[string]*study.Fidelity{"looks": {Name: "epochs", Min: 1, Max: 81, Log: true}, "full": nil} {
		for _, preset := range []study.Preset{study.PresetDefault, study.PresetThorough} {
			b.Run(fmt.Sprintf("%s/%s", name, preset), func(b *testing.B) {
				regret, trying := 0.0, 0.0
				for n := range b.N {
					s := &study.Study{Name: "quick", Objective: study.Objective{Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported}, Budget: study.Budget{Total: 1000, Trials: trials},
						Policy: study.Policy{Name: "auto", Preset: preset}, Parallel: 1, Seed: uint64(n), Fidelity: fidelity}
					for i := range dim {
						s.Parameters = append(s.Parameters, space.Param{Name: fmt.Sprint("x", i), Kind: space.KindFloat, Max: 1})
					}
					a, err := advisor.New(s)
					if err != nil {
						b.Fatal(err)
					}
					r, best := study.NewRecord(s.Budget.Total, false), math.Inf(1)
					for number := 1; number <= trials; number++ {
						asked, err := a.Next(b.Context(), r)
						if err != nil {
							break // it is not worth going on
						}
						epochs := 81.0
						if fidelity != nil {
							epochs, _ = asked.Setting["epochs"].Number()
						}
						v, wall := value(asked.Setting, epochs), 0.02*epochs/81
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
