package choose

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
)

// Whoever knows the price of a change stays at the temperature when it is high, and does not when it is nothing.
func TestStaysWhereChangeIsDear(t *testing.T) {
	for _, name := range []string{"log-ei-puc", "gittins-d"} {
		for _, c := range []struct {
			amount float64
			stays  bool
		}{{0, false}, {1e-6, false}, {60, true}} {
			s := modeltest.Oven(c.amount)
			got := suggest(t, name, s)
			if stays := got.X[0] == s.Change.At[0]; stays != c.stays {
				t.Errorf("%s, a change costs %v: from %v to %v", name, c.amount, s.Change.At, got.X)
			}
			want := 1.0
			if !c.stays {
				want += c.amount
			}
			if cost := math.Exp(got.Predicted.LnCost); math.Abs(cost/want-1) > 0.2 {
				t.Errorf("%s, a change costs %v: the forecast is %v, want about %v", name, c.amount, cost, want)
			}
		}
	}
}

// What is expected of the evaluations under way is set aside.
func TestPendingChangesAreSetAside(t *testing.T) {
	s := modeltest.Oven(5)
	before := modeltest.Believe(t, &s, model.Settings{}).Belief.Remaining
	s.Change.Pending = 30
	if after := modeltest.Believe(t, &s, model.Settings{}).Belief.Remaining; before-after != 30 {
		t.Errorf("%v less is left, want 30", before-after)
	}
}

// The same log and seed give the same suggestion with any number of threads.
func TestChangeAndThreads(t *testing.T) {
	var first model.Suggestion
	for _, threads := range []int{1, 4} {
		p, err := indices["gittins-d"].New("gittins-d", model.Settings{Design: -1, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Suggest(t.Context(), modeltest.Oven(8))
		if err != nil {
			t.Fatal(err)
		}
		if threads == 1 {
			first = got
		} else if got.X[0] != first.X[0] || got.X[1] != first.X[1] || got.Acquisition != first.Acquisition {
			t.Errorf("%v with %d threads, %v with one", got.X, threads, first.X)
		}
	}
}

func TestKeeps(t *testing.T) {
	for prices, want := range map[int]int{1: 1, 2: 3, 3: 7, 4: 5} {
		s := model.State{Change: &model.Change{At: make([]float64, prices)}}
		for j := range prices {
			s.Change.Keep = append(s.Change.Keep, []int{j})
		}
		if got := s.Keeps(); len(got) != want || len(got[0]) != prices {
			t.Errorf("%d prices: %v", prices, got)
		}
		s.Change.At = nil
		if s.Keeps() != nil {
			t.Error("nobody knows what there is to keep")
		}
	}
}
