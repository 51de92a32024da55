package study

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		source   Source
		budget   Budget
		reserved float64
		want     float64
	}{
		{Reported, Budget{PerTrial: 2}, 5, math.Inf(1)},
		{Reported, Budget{Timeout: 3 * time.Second}, 5, 3},
		{Walltime, Budget{}, 5, 5},
		{Walltime, Budget{PerTrial: 4}, 5, 4},
		{Walltime, Budget{PerTrial: 4, Timeout: 3 * time.Second}, 5, 3},
		{Walltime, Budget{PerTrial: 4, Timeout: 30 * time.Second}, 1, 1},
	} {
		s := &Study{Cost: Cost{Source: c.source}, Budget: c.budget}
		if got := s.Limit(Trial{Reserved: c.reserved}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestExtension(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		budget            Budget
		left              float64
		elapsed, margin   float64
		reserved, becomes float64
	}{
		{Budget{}, 100, 4, inf, 10, 10},                          // more than half is left
		{Budget{}, 100, 6, inf, 10, 20},                          // doubled once
		{Budget{}, 100, 6, 2, 10, 10},                            // not yet within the margin
		{Budget{}, 100, 9, 2, 10, 20},                            // within it
		{Budget{}, 3, 9, inf, 10, 13},                            // what is left of the budget
		{Budget{}, 0, 9, inf, 10, 10},                            // nothing is
		{Budget{PerTrial: 15}, 100, 9, inf, 10, 15},              // as much as one trial may cost
		{Budget{PerTrial: 10}, 100, 9, inf, 10, 10},              // it has that
		{Budget{Timeout: 12 * time.Second}, 100, 9, inf, 10, 12}, // more would be of no use
		{Budget{Timeout: 8 * time.Second}, 100, 7, inf, 10, 10},  // it has more than it can use
		{Budget{}, 1000, 70, inf, 10, 160},                       // unseen for long: doubled until it suffices
	} {
		s := &Study{Cost: Cost{Source: Walltime}, Budget: c.budget}
		r := &Record{Ledger: Ledger{Total: c.reserved + c.left, Reserved: c.reserved}}
		if got := s.Extension(r, Trial{Number: 1, Reserved: c.reserved}, c.elapsed, c.margin); got != c.becomes {
			t.Errorf("%+v: %v", c, got)
		}
	}
	s := &Study{Cost: Cost{Source: Reported}}
	if got := s.Extension(&Record{Ledger: Ledger{Total: 100}}, Trial{Number: 1, Reserved: 1}, 50, inf); got != 1 {
		t.Errorf("a reported cost: %v", got)
	}
}

// Of several running trials none takes the last money from the others.
func TestExtensionShares(t *testing.T) {
	s := &Study{Cost: Cost{Source: Walltime}}
	for _, c := range []struct{ left, reserved, becomes float64 }{
		{40, 10, 20},              // doubled, as if it were alone
		{6, 10, 12},               // a third of what is left
		{0.2, 10, 10},             // not worth it
		{0, 10, 10},               // nothing is left
		{1000, 10, 10 + 1000.0/3}, // nobody needs so much at once; see below
	} {
		r := &Record{Trials: []Trial{{Number: 1, State: Running}, {Number: 2, State: Running}, {Number: 3, State: Running}, {Number: 4, State: Pending}, {Number: 5, State: Done}}}
		r.Ledger = Ledger{Total: 3*c.reserved + c.left, Reserved: 3 * c.reserved}
		elapsed := 9.0
		if c.left == 1000 {
			elapsed = 1e6
		}
		if got := s.Extension(r, Trial{Number: 2, State: Running, Reserved: c.reserved}, elapsed, math.Inf(1)); math.Abs(got-c.becomes) > 1e-12 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Where there is not enough for all, the trial gets more that is expected to end first, so that one can end instead of none. Looks come last.
func TestExtensionsComeInTurn(t *testing.T) {
	s := &Study{Cost: Cost{Source: Walltime}}
	running := func(number int, began, median float64, look bool) Trial {
		why, err := json.Marshal(map[string]any{"expected": Expected{CostMedian: median}})
		if err != nil {
			t.Fatal(err)
		}
		return Trial{Number: number, State: Running, Reserved: 8, Look: look, Why: why, Started: time.Unix(0, 0).Add(time.Duration(began * float64(time.Second)))}
	}
	r := &Record{Trials: []Trial{running(1, 0, 8, true), running(2, 1, 8, false), running(3, 2, 5, false)}} // 3 ends at 7, 2 at 9
	for _, c := range []struct {
		left    float64
		becomes [3]float64
	}{
		{30, [3]float64{16, 16, 16}}, // enough for all
		{6, [3]float64{10, 10, 10}},  // as much as is kept for the two before
		{3, [3]float64{8, 9, 10}},    // a quarter more for the first; the second gets an equal part, and the look nothing
		{1.5, [3]float64{8, 8, 9.5}}, // all of it for the first
		{0, [3]float64{8, 8, 8}},     // nothing is left
	} {
		r.Ledger = Ledger{Total: 24 + c.left, Reserved: 24}
		for i, trial := range r.Trials {
			if got := s.Extension(r, trial, 7.5, math.Inf(1)); math.Abs(got-c.becomes[i]) > 1e-12 {
				t.Errorf("%v left, trial %d: %v", c.left, trial.Number, got)
			}
		}
	}
	r.Ledger, r.Trials = Ledger{Total: 11, Reserved: 8}, r.Trials[1:2] // it is alone
	if got := s.Extension(r, r.Trials[0], 7.5, math.Inf(1)); got != 11 {
		t.Errorf("alone: %v", got)
	}
}

// A trial that passes what its forecast makes credible is stopped, unless the file sets a time for a trial or says limit: none.
func TestCredible(t *testing.T) {
	hung := Trial{Number: 1, State: Running, Reserved: 10, Credible: 30}
	r := &Record{Ledger: Ledger{Total: 1000, Reserved: 10}}
	for _, c := range []struct {
		source        Source
		budget        Budget
		limit, grows  float64
		cutAt, counts float64 // the seconds after which a cut says something of the setting
	}{
		{Walltime, Budget{}, 10, 30, 30, 1},
		{Walltime, Budget{Limit: LimitNone}, 10, 1000, 30, 0},
		{Walltime, Budget{Timeout: 20 * time.Second}, 10, 20, 20, 1},
		{Walltime, Budget{Timeout: 50 * time.Second}, 10, 50, 50, 1},
		{Walltime, Budget{Timeout: 50 * time.Second}, 10, 50, 30, 0},
		{Walltime, Budget{PerTrial: 15}, 10, 15, 15, 1},
		{Walltime, Budget{PerTrial: 100}, 10, 100, 30, 0},
		{Reported, Budget{Timeout: 50 * time.Second}, 50, 10, 30, 0},
		{Reported, Budget{PerTrial: 100}, 30, 10, 30, 1}, // which is no time
		{Reported, Budget{}, 30, 10, 30, 1},
		{Reported, Budget{Limit: LimitNone}, math.Inf(1), 10, 30, 0},
	} {
		s := &Study{Cost: Cost{Source: c.source}, Budget: c.budget}
		if got := s.Limit(hung); got != c.limit {
			t.Errorf("%+v: the limit is %v", c, got)
		}
		if got := s.Extension(r, hung, 1e6, math.Inf(1)); got != c.grows {
			t.Errorf("%+v: extended to %v", c, got)
		}
		cut := hung
		cut.State, cut.Wall = Cut, c.cutAt*0.95
		if c.source == Walltime {
			cut.Charged = cut.Wall
		}
		if got := s.ReachedLimit(cut); got != (c.counts == 1) {
			t.Errorf("%+v: reached its limit: %v", c, got)
		}
	}
}

func TestOverdue(t *testing.T) {
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	r := &Record{Trials: []Trial{{Asked: first}, {Asked: first.Add(time.Hour)}}}
	s := &Study{Budget: Budget{Deadline: time.Minute}}
	for after, want := range map[time.Duration]bool{0: false, time.Minute: false, time.Minute + 1: true} {
		if s.Overdue(r, first.Add(after)) != want {
			t.Errorf("after %v: %v", after, !want)
		}
	}
	elsewhere := Trial{Runner: Importer, Asked: first.Add(-time.Hour)}
	if due := s.Due(&Record{Trials: []Trial{elsewhere, {Asked: first}}}); due != first.Add(time.Minute) {
		t.Errorf("a trial that was run elsewhere began it: %v", due)
	}
	if s.Overdue(&Record{Trials: []Trial{elsewhere}}, first) || s.Overdue(&Record{}, first.Add(time.Hour)) || (&Study{}).Overdue(r, first.Add(time.Hour)) {
		t.Error("no first trial, or no deadline")
	}
}

// A run gives up soon if nothing ever worked and that was expensive, and later if something did, in this run or before, or failures are cheap.
func TestGiveUp(t *testing.T) {
	broken := &Record{Trials: []Trial{{State: Failed}, {State: Cut}, {State: Abandoned}, {State: Running}}}
	working := &Record{Trials: append([]Trial{{State: Done}}, broken.Trials...)}
	l := Ledger{Total: 100}
	for n := range 12 {
		cheap, dear := make([]Trial, n), make([]Trial, n)
		for i := range dear {
			cheap[i].Charged, dear[i].Charged = 0.1, 1
		}
		if got := l.GiveUp(dear, broken.Worked()); got != (n >= 3) {
			t.Errorf("broken, after %d: %v", n, got)
		}
		if got := l.GiveUp(cheap, broken.Worked()); got != (n >= 10) {
			t.Errorf("broken, after %d that are cheap: %v", n, got)
		}
		if got := l.GiveUp(dear, working.Worked()); got != (n >= 10) {
			t.Errorf("working, after %d: %v", n, got)
		}
	}
}

// Failures in a row are foreseen if all of them were likely enough to fail when they were chosen.
func TestForeseen(t *testing.T) {
	list := func(n int, why string) (list []Trial) {
		for range n {
			list = append(list, Trial{Why: []byte(why)})
		}
		return list
	}
	for _, c := range []struct {
		n    int
		why  string
		want bool
	}{
		{1, "", false}, {1, "[]", false}, {1, `{"policy":"design"}`, false}, {1, `{"expected":{"value":1}}`, false},
		{3, `{"expected":{"value":1,"works":0.8}}`, true}, {10, `{"expected":{"value":1,"works":0.8}}`, false},
		{10, `{"expected":{"value":1,"works":0.2}}`, true}, {100, `{"expected":{"value":1,"works":0.2}}`, false},
		{2, `{"expected":{"value":1,"works":1}}`, true}, {4, `{"expected":{"value":1,"works":0.95}}`, false},
		{30, `{"expected":{"value":1,"works":0.01}}`, true}, {31, `{"expected":{"value":1,"works":0.01}}`, false},
	} {
		if got := foreseen(list(c.n, c.why)); got != c.want {
			t.Errorf("%d failures in a row with the reasons %s are foreseen: %v", c.n, c.why, got)
		}
	}
}

// A trial that reports a step works: what is credible counts from there. The timeout counts from its start, and the job of a cluster gets no more time.
func TestStepsAreLife(t *testing.T) {
	began := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	r := NewRecord(1000, false)
	for i, e := range []Event{
		{Kind: EventAsked, Asked: &Asked{Reserved: 10, Credible: 30}},
		{Kind: EventStarted},
		{At: began.Add(25 * time.Second), Kind: EventStep, Step: &Step{Step: 1, Value: 1}},
	} {
		if e.Seq, e.Trial = int64(i+1), 1; e.At.IsZero() {
			e.At = began
		}
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		s      Study
		limit  float64
		counts bool // a cut after 30 seconds says something of the setting
	}{
		{Study{}, 55, false},
		{Study{Budget: Budget{Timeout: 60 * time.Second}}, 60, false},
		{Study{Budget: Budget{Timeout: 20 * time.Second}}, 20, true},
		{Study{Engine: &Engine{Type: "slurm"}}, 30, true},
	} {
		c.s.Cost.Source = Reported
		cut := r.Trials[0]
		if cut.State, cut.Wall = Cut, 30; c.s.Limit(r.Trials[0]) != c.limit || c.s.ReachedLimit(cut) != c.counts {
			t.Errorf("%+v: the limit is %v, reached: %v", c.s, c.s.Limit(r.Trials[0]), c.s.ReachedLimit(cut))
		}
	}
}
