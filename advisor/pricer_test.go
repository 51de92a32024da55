package advisor

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Forecasts for settings that were given share the hyperparameters of a milestone: they are not searched for after every result. A process that has just
// started forecasts the same.
func TestGivenSettingsShareHyperparameters(t *testing.T) {
	const trials = 38
	s, a, r := own(t, 1e4)
	s.Parallel = 4
	for i := range trials {
		s.Trials = append(s.Trials, at(float64(i*7%trials)/trials))
	}
	searched := func() (results, known int) {
		m, err := a.fitPrices(t.Context(), r, a.hasty(r), a.milestone(r))
		if err != nil {
			t.Fatal(err)
		}
		return len(m.X), m.Searched
	}
	clock := time.Unix(0, 0)
	end := func(n int) {
		clock = clock.Add(time.Second)
		x := r.Trials[n-1].Point[0]
		apply(t, r, study.Event{Kind: study.EventFinished, Trial: n, At: clock, Finished: &study.Finished{State: study.Done, Value: math.Sin(3 * x), Charged: 3 + x + math.Cos(9*x)}})
	}
	for i := 1; i <= trials; i++ {
		if n := i - 4; n > 0 { // results come in out of order
			end((n - 1) ^ 1 + 1)
		}
		asked := a.mustNext(t, r)
		if i == trials-5 || i == trials {
			fresh, err := New(s)
			if err != nil {
				t.Fatal(err)
			}
			if again := fresh.mustNext(t, r); !reflect.DeepEqual(asked, again) {
				t.Errorf("trial %d: %+v, and after a restart %+v", i, asked, again)
			}
		}
		apply(t, r, study.Event{Kind: study.EventAsked, Trial: i, Asked: &asked})
	}
	if results, known := searched(); results != 34 || known != 31 {
		t.Errorf("with %d results the hyperparameters are those of %d, want 31", results, known)
	}
	for n := 35; n <= 37; n++ {
		end(n)
	}
	if results, known := searched(); results != 37 || known != 37 {
		t.Errorf("with %d results, a fifth more, they are those of %d", results, known)
	}
}

// Where a forecast goes by the latest results alone, so do the milestones.
func TestMilestonesOfTheLatest(t *testing.T) {
	_, a, r := own(t, 1e4)
	for i := range 70 {
		x := float64(i*3%70) / 70
		r.Known = append(r.Known, study.Known{Setting: at(x), Point: []float64{x}, Value: x * x, Cost: 2 + x})
	}
	for i := range 7 { // the fourth of which is a milestone
		x := (float64(i) + 0.5) / 70
		asked := study.Asked{Setting: space.Setting{"x": space.Float(x)}, Point: []float64{x}, Reserved: 1}
		apply(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &asked})
		apply(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: x * x, Charged: 2 + x}})
	}
	m, err := a.fitPrices(t.Context(), r, a.hasty(r), a.milestone(r))
	if err != nil || len(m.X) != priceOnly || m.Searched != priceOnly-3 {
		t.Errorf("of %d results %d were there at the milestone: %v", len(m.X), m.Searched, err)
	}
}

func TestLastMilestone(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 10: 10, 11: 10, 12: 12, 21: 19, 22: 22, 36: 31, 37: 37, 73: 62, 74: 74, 85: 74, 86: 86} {
		if got := lastMilestone(n); got != want {
			t.Errorf("of %d results the last milestone is %d, want %d", n, got, want)
		}
	}
}
