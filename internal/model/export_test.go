package model

import (
	"fmt"
	"math"
	"testing"

	"github.com/eke-bo/eke/gp"
)

// What tests of other packages than this one need of it.

// MostLeveled is the number of observations of all levels that are modelled.
var MostLeveled = paces[0].leveled

// MostModelled is the number of observations that a model holds.
var MostModelled = paces[0].parts[2]

// Modelled returns the places of the values that are modelled.
func Modelled(s *State) []int {
	f := &Fitter{Settings: Settings{Noise: &gp.Noise{}}}
	h := f.newHistory(s)
	return h.list[value].modelled
}

// RowsAtOnce is how many points go through a model together; see gp.Model.Posteriors.
const RowsAtOnce = 64

// Warped and PairedPoints are warped and pairedPoints.
var Warped, PairedPoints = warped, pairedPoints

// Observed are observations of a quantity.
type Observed struct {
	X       [][]float64
	Levels  []float64
	Targets []float64
	Known   int
}

// Observations returns the values and the costs of all levels.
func Observations(s *State) (values, costs Observed) {
	list := make([]quantity, 2)
	s.observe(list, paces[0].leveled, paces[0].parts[0])
	v, c := list[value], list[logCost]
	return Observed{v.x, v.levels, v.targets, v.known}, Observed{c.x, c.levels, c.targets, c.known}
}

// Kept returns the models that are kept, and for how many pending points.
func (m *Memory) Kept() (*Fitted, int) {
	if m.assumed == nil {
		return m.models, 0
	}
	return m.models, len(m.assumed.points)
}

// Remembering is a study of a smooth function with several evaluations at once.
func Remembering(n int) State {
	s := State{Dim: 2, Initial: 1e6, Remaining: 1e6 - float64(n), Seed: 7, Trial: n}
	for i := range n {
		Add(&s, []float64{math.Mod(float64(i)*math.Sqrt2, 1), math.Mod(float64(i)*math.Sqrt(3), 1)})
	}
	return s
}

// Add adds the result of a point to it.
func Add(s *State, x []float64) {
	s.X, s.Y = append(s.X, x), append(s.Y, -math.Hypot(x[0]-0.3, x[1]-0.6)+0.1*math.Sin(9*x[0]))
	s.LnCost = append(s.LnCost, x[0]-x[1])
}

// What a memory must tell apart.
func TestFitKey(t *testing.T) {
	f, err := NewFitter(Settings{})
	if err != nil {
		t.Fatal(err)
	}
	s := Remembering(3)
	s.Previous = &Plan{Searched: 3}
	seen := map[fitKey]string{}
	see := func(what string, f Fitter, s State) {
		key, ok := f.fitKey(&s)
		if before, again := seen[key]; again || !ok {
			t.Errorf("%s has the key of %s", what, before)
		}
		seen[key] = what
	}
	see("a state", *f, s)
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
		"a switch":         func(s *State) { s.Switches = []int{1} },
		"earlier":          func(s *State) { s.Earlier = &Earlier{} },
	} {
		other := Remembering(3)
		other.Previous = s.Previous
		change(&other)
		see(what, *f, other)
	}
	noisy, paper := *f, *f
	noisy.Noise, paper.Paper = Noisy(), true
	for i, f := range []Fitter{noisy, paper} {
		see(fmt.Sprint("policy ", i), f, s)
	}
	pending := Remembering(3)
	pending.Previous, pending.Pending, pending.Trial = s.Previous, [][]float64{{0.1, 0.2}}, s.Trial+1
	if key, _ := f.fitKey(&pending); seen[key] != "a state" {
		t.Error("a pending point changes the models")
	}
}
