package policy

import (
	"fmt"
	"math"
	"reflect"
	"testing"
)

// remembering is a study of a smooth function with several evaluations at once.
func remembering(n int) State {
	s := State{Dim: 2, Initial: 1e6, Remaining: 1e6 - float64(n), Seed: 7, Trial: n}
	for i := range n {
		s.add([]float64{math.Mod(float64(i)*math.Sqrt2, 1), math.Mod(float64(i)*math.Sqrt(3), 1)})
	}
	return s
}

func (s *State) add(x []float64) {
	s.X, s.Y = append(s.X, x), append(s.Y, -math.Hypot(x[0]-0.3, x[1]-0.6)+0.1*math.Sin(9*x[0]))
	s.LnCost = append(s.LnCost, x[0]-x[1])
}

// With a memory and without, in one process and in a new one for each, suggestions are the same: while points are pending, when results come in,
// when an evaluation fails, and when one is given up.
func TestMemoryChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		n      int
		set    Settings
	}{
		"few":    {"gittins-d", 12, Settings{}},
		"noisy":  {"log-ei-puc", 12, Settings{Noise: Noisy()}},
		"random": {"random", 20, Settings{CostNoise: Noisy()}},
		"plans":  {"2-bmsei-p", 10, Settings{}},
		"many":   {"gittins-d", 230, Settings{}},
	} {
		t.Run(name, func(t *testing.T) {
			s, kept := remembering(c.n), c.set
			kept.Threads, kept.Memory = 1, NewMemory()
			ask := func() {
				t.Helper()
				fresh := c.set
				fresh.Threads = 2
				var got [2]Suggestion
				for i, set := range []Settings{kept, fresh} {
					p, err := New(c.policy, set)
					if err == nil {
						got[i], err = p.Suggest(t.Context(), s)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if !reflect.DeepEqual(got[0], got[1]) {
					t.Errorf("after %d results with %d pending:\n%+v with a memory\n%+v without", len(s.X), len(s.Pending), got[0], got[1])
				}
				s.Pending, s.Trial = append(s.Pending, got[0].X), s.Trial+1
				if got[0].Plan != nil {
					s.Previous = got[0].Plan
				}
			}
			for range 4 {
				ask()
			}
			models := kept.Memory.models
			if ask(); kept.Memory.models != models || c.policy != "random" && len(kept.Memory.assumed.points) != 4 {
				t.Error("nothing was remembered")
			}
			s.add(s.Pending[1])
			s.Failed = append(s.Failed, Failure{s.Pending[2], 0.5})
			s.Pending = append(s.Pending[:1:1], s.Pending[3:]...)
			ask()
			ask()
			s.Pending = s.Pending[1:] // given up
			ask()
			if s.Seed++; kept.Memory.models == models {
				t.Error("models of other results are kept")
			}
			ask() // another study
		})
	}
}

// What a memory must tell apart.
func TestFitKey(t *testing.T) {
	set, err := Settings{}.complete()
	if err != nil {
		t.Fatal(err)
	}
	s := remembering(3)
	s.Previous = &Plan{Searched: 3}
	seen := map[fitKey]string{}
	see := func(what string, p policy, s State) {
		key, ok := p.fitKey(&s)
		if before, again := seen[key]; again || !ok {
			t.Errorf("%s has the key of %s", what, before)
		}
		seen[key] = what
	}
	p := policy{Settings: set}
	see("a state", p, s)
	for what, change := range map[string]func(*State){
		"another value":    func(s *State) { s.Y[1]++ },
		"another cost":     func(s *State) { s.LnCost[1] = math.NaN() },
		"another point":    func(s *State) { s.X[1] = []float64{0.5, 0.5} },
		"a failure":        func(s *State) { s.Failed = []Failure{{s.X[0], 1}} },
		"a look":           func(s *State) { s.Looks = []Look{{X: s.X[0], Level: 0.5}} },
		"a look under way": func(s *State) { s.Looking, s.Trial = []Look{{X: s.X[0], Level: 0.5}}, s.Trial+1 },
		"levels":           func(s *State) { s.Levels = []float64{0.5, 1} },
		"a seed":           func(s *State) { s.Seed++ },
		"another trial":    func(s *State) { s.Trial++ },
		"no plan":          func(s *State) { s.Previous = nil },
		"another plan":     func(s *State) { s.Previous = &Plan{Searched: 2} },
		"a choice":         func(s *State) { s.Choices = []Span{{0, 1}} },
		"a prior":          func(s *State) { s.Prior = &Prior{} },
	} {
		other := remembering(3)
		other.Previous = s.Previous
		change(&other)
		see(what, p, other)
	}
	noisy, plans, preset := p, p, p
	noisy.Noise, plans.plans, preset.Preset = Noisy(), true, &Preset{}
	for i, p := range []policy{noisy, plans, preset} {
		see(fmt.Sprint("policy ", i), p, s)
	}
	pending := remembering(3)
	pending.Previous, pending.Pending, pending.Trial = s.Previous, [][]float64{{0.1, 0.2}}, s.Trial+1
	if key, _ := p.fitKey(&pending); seen[key] != "a state" {
		t.Error("a pending point changes the models")
	}
}
