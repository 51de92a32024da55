package model_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
	"github.com/eke-bo/eke/policy"
)

// With a memory and without, in one process and in a new one for each, suggestions are the same: while points are pending, when results come in,
// when an evaluation fails, and when one is given up.
func TestMemoryChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		n      int
		set    model.Settings
	}{
		"few":    {"gittins-d", 12, model.Settings{}},
		"noisy":  {"log-ei-puc", 12, model.Settings{Noise: model.Noisy()}},
		"random": {"random", 20, model.Settings{CostNoise: model.Noisy()}},
		"plans":  {"2-bmsei-p", 10, model.Settings{}},
		"many":   {"gittins-d", 230, model.Settings{}},
	} {
		t.Run(name, func(t *testing.T) {
			s, kept := model.Remembering(c.n), c.set
			kept.Threads, kept.Memory = 1, model.NewMemory()
			ask := func() {
				t.Helper()
				fresh := c.set
				fresh.Threads = 2
				var got [2]model.Suggestion
				for i, set := range []model.Settings{kept, fresh} {
					p, err := policy.New(c.policy, set)
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
			models, _ := kept.Memory.Kept()
			ask()
			if now, pending := kept.Memory.Kept(); now != models || c.policy != "random" && pending != 4 {
				t.Error("nothing was remembered")
			}
			model.Add(&s, s.Pending[1])
			s.Failed = append(s.Failed, model.Failure{s.Pending[2], 0.5})
			s.Pending = append(s.Pending[:1:1], s.Pending[3:]...)
			ask()
			ask()
			s.Pending = s.Pending[1:] // given up
			ask()
			s.Seed++
			if now, _ := kept.Memory.Kept(); now == models {
				t.Error("models of other results are kept")
			}
			ask() // another study
		})
	}
}

// When a trial is stopped early, its last step counts as a look that was chosen, and so as a success. Models from before know nothing of that.
func TestMemoryForgetsWhatAStepWas(t *testing.T) {
	s := modeltest.Leveled(6, 10, 3)
	s.Failed, s.FailedCost = []model.Failure{{X: []float64{0.8, 0.8}, LnCost: 0}}, []float64{0}
	last := &s.Looks[len(s.Looks)-1]
	last.X, last.Step = []float64{0.9, 0.9}, true
	works := func(s model.State, memory *model.Memory) float64 {
		return modeltest.Believe(t, &s, model.Settings{Threads: 1, Memory: memory}).Belief.Works()([]float64{0.9, 0.9})
	}
	memory := model.NewMemory()
	before := works(s, memory)
	s.Looks = slices.Clone(s.Looks)
	s.Looks[len(s.Looks)-1].Step = false
	if got, want := works(s, memory), works(s, nil); got != want || want == before {
		t.Errorf("the chance of a value is %v with a memory, %v without, and was %v", got, want, before)
	}
}
