package study

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/eke-bo/eke/space"
)

// kiln is an oven whose temperature and solvent cost something to change.
func kiln() *Study {
	return &Study{
		Parameters: []space.Param{
			{Name: "temperature", Kind: space.KindFloat, Min: 100, Max: 300}, {Name: "solvent", Kind: space.KindChoice, Values: []space.Value{space.String("a"), space.String("b")}},
			{Name: "time", Kind: space.KindFloat, Max: 1},
		},
		Changeover: []Changeover{{Of: []string{"temperature"}, Cost: at(20), PerUnit: 0.5, Down: &Downward{Cost: at(5)}}, {Of: []string{"solvent"}}},
	}
}

func tried(temperature float64, solvent string, minutes float64) space.Setting {
	return space.Setting{"temperature": space.Float(temperature), "solvent": space.String(solvent), "time": space.Float(minutes)}
}

func TestFee(t *testing.T) {
	s, now := kiln(), tried(200, "a", 0.5)
	for _, c := range []struct {
		name     string
		from, to space.Setting
		known    float64
		learnt   []int
	}{
		{"nothing that costs", now, tried(200, "a", 0.9), 0, nil},
		{"up", now, tried(240, "a", 0.5), 20 + 0.5*40, nil},
		{"down", now, tried(180, "a", 0.5), 5 + 0.5*20, nil},
		{"both", now, tried(240, "b", 0.5), 40, []int{1}},
		{"from outside the range", space.Setting{"temperature": space.Int(20), "solvent": space.String("a")}, tried(120, "a", 0), 20 + 50, nil},
		{"a number is a number", space.Setting{"temperature": space.Int(200), "solvent": space.String("a")}, now, 0, nil},
		{"from nobody knows where", nil, tried(250, "a", 0), 20 + 0.5*150, []int{1}},
		{"nobody knows the temperature", space.Setting{"solvent": space.String("a")}, tried(120, "a", 0), 5 + 0.5*180, nil},
		{"a parameter that does not exist", now, space.Setting{"temperature": space.Float(200)}, 0, nil},
	} {
		if fee := s.Fee(c.from, c.to); math.Abs(fee.Known-c.known) > 1e-12 || !slices.Equal(fee.Learnt, c.learnt) {
			t.Errorf("%s: %v, want %v and %v", c.name, fee, c.known, c.learnt)
		}
	}
}

// Up and down may be learnt, apart from each other.
func TestFeeLearntDownwards(t *testing.T) {
	now := tried(200, "a", 0)
	for _, c := range []struct {
		name             string
		entry            Changeover
		up, down, anyhow Fee
	}{
		{"both", Changeover{Down: &Downward{}}, Fee{Learnt: []int{1}}, Fee{Learnt: []int{3}}, Fee{Learnt: []int{1}}},
		{"down", Changeover{Cost: at(20), PerUnit: 0.5, Down: &Downward{}}, Fee{Known: 25}, Fee{Learnt: []int{3}}, Fee{Known: 75}},
		{"up", Changeover{Down: &Downward{Cost: at(5)}}, Fee{Learnt: []int{1}}, Fee{Known: 5}, Fee{Learnt: []int{1}}},
		{"any change", Changeover{}, Fee{Learnt: []int{1}}, Fee{Learnt: []int{1}}, Fee{Learnt: []int{1}}},
	} {
		s := kiln()
		c.entry.Of = []string{"temperature"}
		s.Changeover = []Changeover{{Of: []string{"solvent"}, Cost: at(0)}, c.entry}
		for where, pair := range map[string][2]Fee{"up": {s.Fee(now, tried(210, "a", 0)), c.up}, "down": {s.Fee(now, tried(190, "a", 0)), c.down}, "from anywhere": {s.Fee(nil, tried(210, "a", 0)), c.anyhow}} {
			if got, want := pair[0], pair[1]; got.Known != want.Known || !slices.Equal(got.Learnt, want.Learnt) {
				t.Errorf("learnt: %s; %s: %v, want %v", c.name, where, got, want)
			}
		}
		if slope := s.SlopeOf(s.Changeover[1], now, tried(190, "a", 0)); slope != 0 {
			t.Errorf("learnt: %s; the price falls by %v a unit", c.name, slope)
		}
	}
}

// The gradient that searches go by is that of the price.
func TestSlopeOfFee(t *testing.T) {
	s := kiln()
	for _, from := range []space.Setting{tried(200, "a", 0), nil} {
		for _, x := range []float64{130, 190, 230, 290} {
			const h = 1e-4
			want := (s.Fee(from, tried(x+h, "a", 0)).Known - s.Fee(from, tried(x-h, "a", 0)).Known) / (2 * h)
			if got := s.SlopeOf(s.Changeover[0], from, tried(x, "a", 0)); math.Abs(got-want) > 1e-6 {
				t.Errorf("from %v at %v: %v, want %v", from, x, got, want)
			}
		}
	}
}

// What a place has is what its last trial set, if that began; and each trial pays for its own change.
func TestPlaces(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }
	r := &Record{Trials: []Trial{
		{Number: 1, State: Done, Place: "one", Setting: tried(200, "a", 0), Asked: at(0), Started: at(0), Charged: 30, Setup: new(25.0)},
		{Number: 2, State: Failed, Place: "two", Setting: tried(150, "a", 0), Asked: at(1), Started: at(1), Charged: 90},
		{Number: 3, State: Done, Place: "one", Setting: tried(200, "a", 1), Asked: at(2), Started: at(2), Charged: 1},
		{Number: 4, State: Abandoned, Place: "one", Setting: tried(300, "b", 1), Asked: at(3)},                                      // before it began
		{Number: 5, State: Abandoned, Place: "one", Setting: tried(300, "b", 1), Asked: at(3), Started: at(3), Stopped: true},       // its command was never started
		{Number: 6, State: Cut, Runner: "one", Setting: tried(300, "b", 1), Asked: at(4), Note: "stopped before it began"},          // likewise
		{Number: 7, State: Running, Runner: "hand", Setting: tried(210, "a", 0), Asked: at(5)},                                      // a place by its runner
		{Number: 8, State: Abandoned, Place: "two", Setting: tried(150, "b", 1), Asked: at(6), Started: at(9), Charged: 7, Wall: 3}, // killed on its way
		{Number: 9, State: Done, Place: "two", Setting: tried(150, "a", 1), Asked: at(7), Started: at(8), Charged: 40},              // begun before the one above
		{Number: 10, State: Pending, Place: "one", Setting: tried(240, "a", 0), Asked: at(10)},                                      // will have set it
	}}
	if got, want := r.Predecessors(), []int{0, 0, 1, 3, 3, 3, 0, 9, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("predecessors: %v, want %v", got, want)
	}
	s := kiln()
	for place, want := range map[string]float64{"one": 240, "two": 150, "hand": 210} {
		if x, _ := s.SetAt(r, place)["temperature"].Number(); x != want {
			t.Errorf("%s: %v, want %v", place, x, want)
		}
	}
	if s.SetAt(r, "three") != nil {
		t.Error("nobody knows what a new place has")
	}
	s.Initial = space.Setting{"temperature": space.Float(20)}
	if x, _ := s.SetAt(r, "three")["temperature"].Number(); x != 20 {
		t.Error("a new place has the initial state")
	}
	if got := r.LastPlace(); got != "one" {
		t.Errorf("the last place is %q", got)
	}
	// Trial 1 said 25; trial 2 paid at most 20 + 0.5·130 and a solvent; trial 8 changed the solvent only, and trial 9 nothing.
	if c := s.Changes(r); c.Count != 3 || c.Unsure != 2 || c.Spent != 25+85 {
		t.Errorf("changes: %+v", c)
	}
}
