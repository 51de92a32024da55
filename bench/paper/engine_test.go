package paper

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// watcher records what it is told.
type watcher struct {
	mu      sync.Mutex
	started []Key
	after   func() // called when a replication has ended
}

func (w *watcher) Started(k Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.started = append(w.started, k)
}

func (w *watcher) Ended(Key, error) {
	if w.after != nil {
		w.after()
	}
}

// cheapKeys are replications that take milliseconds: the budget is small.
func cheapKeys() []Key {
	var keys []Key
	for i := range 3 {
		keys = append(keys, Key{"dropwave", "random", "paper", 5, i}, Key{"dropwave", "ei-puc-cc", "paper", 5, i})
	}
	return keys
}

func timeless(list []Replication) []Replication {
	for i := range list {
		list[i].Seconds = 0
	}
	return list
}

func TestWorkersDoNotChangeResults(t *testing.T) {
	var all [][]Replication
	for _, workers := range []int{1, 3} {
		dir := t.TempDir()
		if err := Run(t.Context(), dir, "", cheapKeys(), workers, &watcher{}); err != nil {
			t.Fatal(err)
		}
		all = append(all, timeless(mustRead(t, dir)))
	}
	if len(all[0]) != len(cheapKeys()) {
		t.Errorf("%d results, want %d", len(all[0]), len(cheapKeys()))
	}
	if d := cmp.Diff(all[0], all[1]); d != "" {
		t.Error(d)
	}
}

// A run that is interrupted and continued has the same results as one that was not.
func TestRunGoesOn(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	if err := Run(t.Context(), whole, "", cheapKeys(), 1, &watcher{}); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	err := Run(ctx, dir, "", cheapKeys(), 1, &watcher{after: interrupt})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	before := mustRead(t, dir)
	if len(before) != 1 {
		t.Fatalf("%d results before the interrupt, want 1", len(before))
	}
	w := &watcher{}
	if err := Run(t.Context(), dir, "", cheapKeys(), 1, w); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(cheapKeys()[1:], w.started); d != "" {
		t.Errorf("run the second time: %s", d)
	}
	if d := cmp.Diff(timeless(mustRead(t, whole)), timeless(mustRead(t, dir))); d != "" {
		t.Error(d)
	}
	if err := Folder(dir).Pack(); err != nil {
		t.Fatal(err)
	}
	w = &watcher{}
	if err := Run(t.Context(), dir, "", cheapKeys(), 1, w); err != nil || len(w.started) > 0 {
		t.Errorf("packed results were run again: %v, %v", w.started, err)
	}
}

// A replication that fails is reported, and the others run.
func TestRunOutlivesAnError(t *testing.T) {
	dir := t.TempDir()
	keys := []Key{{"dropwave", "random", "nobody's", 5, 0}, {"dropwave", "random", "paper", 5, 0}}
	err := Run(t.Context(), dir, "", keys, 1, &watcher{})
	if err == nil || !strings.Contains(err.Error(), "nobody's") {
		t.Errorf("got %v", err)
	}
	if n := len(mustRead(t, dir)); n != 1 {
		t.Errorf("%d results, want 1", n)
	}
}

// All policies and budgets of a replication have the same design. Other replications and problems have
// other designs.
func TestDesignIsShared(t *testing.T) {
	byReplication := map[int]float64{}
	for _, name := range []string{"random", "ei", "2-bmsei-p"} {
		for _, preset := range []string{"paper", "default"} {
			for _, budget := range []float64{1, 2} {
				for number := range 2 {
					r, err := Replicate(t.Context(), Key{"dropwave", name, preset, budget, number}, "")
					if err != nil {
						t.Fatal(err)
					}
					if first, ok := byReplication[number]; ok && first != r.Design {
						t.Errorf("%s: the best of the design is %v, not %v", r.Key(), r.Design, first)
					}
					byReplication[number] = r.Design
				}
			}
		}
	}
	points, err := design(t.Context(), "dropwave", 0, 2)
	if err != nil || len(points) != 6 {
		t.Fatalf("%d points, %v; want 2(d+1) = 6", len(points), err)
	}
	for _, other := range []struct {
		name   string
		number int
	}{{"dropwave", 1}, {"alpine1", 0}} {
		if p, _ := design(t.Context(), other.name, other.number, 2); cmp.Equal(p, points) {
			t.Errorf("%v has the same design", other)
		}
	}
}

// The money is spent, and only the last trial goes past it. The design is not charged.
func TestBudgetIsSpent(t *testing.T) {
	for _, key := range cheapKeys() {
		r, err := Replicate(t.Context(), key, "")
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, c := range r.Costs {
			if sum >= key.Budget {
				t.Errorf("%s: trial %d was run with nothing left", key, i)
			}
			sum += c
		}
		if sum < key.Budget || len(r.Values) != len(r.Costs) {
			t.Errorf("%s: %v spent, %d values, %d costs", key, sum, len(r.Values), len(r.Costs))
		}
	}
}

func TestLogRegret(t *testing.T) {
	r := Replication{Best: 1, Design: 0, Values: []float64{0.9, 0.5, 0.99, 1}, Costs: []float64{1, 1, 2, 3}}
	for _, c := range []struct{ spent, want float64 }{
		{0, 0},     // the design
		{0.5, 0},   // too little for the first
		{1, -1},    // just enough
		{3.9, -1},  // the second is worse, the third goes past it
		{4, -2},    //
		{6.99, -2}, //
		{7, -8},    // all of it: the floor
	} {
		if got := r.LogRegret(c.spent); !(got > c.want-1e-9 && got < c.want+1e-9) {
			t.Errorf("with %v spent: %v, want %v", c.spent, got, c.want)
		}
	}
}
