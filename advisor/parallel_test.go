package advisor_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// crowd is a study in memory with many trials at once.
type crowd struct {
	t       testing.TB
	advisor *advisor.Advisor
	record  *study.Record
}

func newCrowd(t testing.TB, change func(*study.Study)) *crowd {
	s := mixed()
	s.Parallel, s.Budget.Total = 32, 10000
	change(s)
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return &crowd{t, a, study.NewRecord(s.Budget.Total, s.Measured())}
}

func (c *crowd) apply(e study.Event) {
	c.t.Helper()
	e.Seq, e.At = c.record.Version+1, time.Unix(1000+c.record.Version, 0)
	if err := c.record.Apply(e); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crowd) ask() error {
	asked, err := c.advisor.Next(c.t.Context(), c.record)
	if err == nil {
		n := len(c.record.Trials) + 1
		c.apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &asked})
		c.apply(study.Event{Kind: study.EventStarted, Trial: n})
	}
	return err
}

func (c *crowd) tell(trial int) {
	value, cost := train(c.record.Trials[trial-1].Setting)
	c.apply(study.Event{Kind: study.EventFinished, Trial: trial, Finished: &study.Finished{State: study.Done, Value: value, Charged: cost, Wall: cost}})
}

// Where a study is to run 32 trials at once and has the money, 32 asks are granted: before anything is known, when little is known, and
// whatever the limit of a trial is.
func TestParallelAsksAreGranted(t *testing.T) {
	for name, change := range map[string]func(*study.Study){
		"plenty":           func(*study.Study) {},
		"wall time":        func(s *study.Study) { s.Cost = study.Cost{Unit: "s", Source: study.Walltime} },
		"a limit":          func(s *study.Study) { s.Budget.PerTrial = 20 },
		"a generous limit": func(s *study.Study) { s.Budget.PerTrial = 5000 },
		"just enough":      func(s *study.Study) { s.Budget.Total = 200 },
		"random":           func(s *study.Study) { s.Policy.Name = "random" },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrowd(t, change)
			for i := range 32 {
				if err := c.ask(); err != nil {
					t.Fatalf("ask %d: %v, with %v left", i+1, err, c.record.Ledger.Left())
				}
			}
			for trial := range 3 { // and those who come back are not left idle
				c.tell(trial + 1)
				if err := c.ask(); err != nil {
					t.Fatalf("after %d results: %v, with %v left", trial+1, err, c.record.Ledger.Left())
				}
			}
			for _, trial := range c.record.Open() {
				if most := c.record.Ledger.Total / 32; trial.Reserved > most {
					t.Errorf("trial %d holds %v, more than its part, %v", trial.Number, trial.Reserved, most)
				}
			}
		})
	}
}

// Whoever has to wait is told why.
func TestReasonToWait(t *testing.T) {
	c := newCrowd(t, func(s *study.Study) { s.Parallel = 12 })
	for range 12 {
		if err := c.ask(); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.ask(); !errors.Is(err, advisor.ErrBudgetPending) || !strings.Contains(err.Error(), "no cost is known yet") {
		t.Errorf("%v", err)
	}
	c.tell(1)
	if err := c.ask(); err != nil {
		t.Error(err)
	}
}

// The policy random is instant, however many trials there are.
func BenchmarkRandom20000(b *testing.B) {
	c := newCrowd(b, func(s *study.Study) { s.Policy.Name, s.Budget.Total = "random", 1e9 })
	const many = 20000
	for n := 1; n <= many; n++ {
		x := make([]float64, c.advisor.Space().Dim())
		for i := range x {
			x[i] = math.Mod(float64(n)*math.Sqrt(float64(i+2)), 1)
		}
		setting := c.advisor.Space().Decode(x)
		point, err := c.advisor.Space().Encode(setting)
		if err != nil {
			b.Fatal(err)
		}
		c.apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: setting, Point: point, Reserved: 1}})
		c.tell(n)
	}
	for b.Loop() {
		if _, err := c.advisor.Next(b.Context(), c.record); err != nil {
			b.Fatal(err)
		}
	}
}

// What the trials of a cluster cost their controller: 500 trials of one parameter, 50 at once, all of which end between two polls. It is what
// TestCrowd of the Slurm engine runs.
func BenchmarkCrowd(b *testing.B) {
	for b.Loop() {
		c := newCrowd(b, func(s *study.Study) {
			s.Parallel, s.Budget.Total, s.Stop.Never = 50, 1000, true
			s.Cost = study.Cost{Source: "slurm", Of: "core-hours", Unit: "core-hours"}
			s.Engine = &study.Engine{Type: "slurm", Time: study.Span(5 * time.Minute)}
			s.Parameters = []space.Param{{Name: "x", Kind: space.KindFloat, Min: 0, Max: 1}}
		})
		for range 10 {
			for range 50 {
				if err := c.ask(); err != nil {
					b.Fatal(err)
				}
			}
			for _, t := range c.record.Open() {
				x, _ := t.Setting["x"].Number()
				cost := float64(2+t.Number%4) / 3600
				c.apply(study.Event{Kind: study.EventFinished, Trial: t.Number, Finished: &study.Finished{State: study.Done, Value: x, Charged: cost, Wall: 3600 * cost}})
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(500*b.N)/1000, "ms/trial")
}

// Models are kept for the next suggestion, and given up when nobody asks for one.
func TestModelsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := policy.NewMemory()
		c := newCrowd(t, func(*study.Study) {})
		var err error
		if c.advisor, err = advisor.New(c.advisor.Study(), func(tuning *advisor.Tuning) { tuning.Memory = memory }); err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			if err := c.ask(); err != nil {
				t.Fatal(err)
			}
			c.tell(i + 1)
		}
		for range 3 {
			if err := c.ask(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(40 * time.Second)
			if n := memory.Len(); n != 20 {
				t.Errorf("models of %d results are kept", n)
			}
		}
		time.Sleep(time.Minute)
		if n := memory.Len(); n != 0 {
			t.Errorf("models of %d results are kept", n)
		}
	})
}

// The last money goes to a trial that can end: another begins beside it only if what is left pays for both, nine times in ten. Both would be cut otherwise.
func TestLastMoneyIsNotShared(t *testing.T) {
	c := newCrowd(t, func(s *study.Study) {
		s.Parallel, s.Budget.Total, s.Stop.Never = 3, 1000, true
		s.Cost = study.Cost{Unit: "s", Source: study.Walltime}
	})
	prices := []float64{6, 14, 9, 25, 4, 11, 10, 17}
	for i := range 24 {
		if err := c.ask(); err != nil {
			t.Fatal(err)
		}
		value, _ := train(c.record.Trials[i].Setting)
		cost := prices[i%len(prices)]
		if cost > c.record.Trials[i].Reserved {
			c.apply(study.Event{Kind: study.EventExtended, Trial: i + 1, Reserved: cost})
		}
		c.apply(study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: value, Charged: cost, Wall: cost}})
	}
	more := c.record.Ledger.Total - c.record.Ledger.Spent
	c.record.Ledger.Total = c.record.Ledger.Spent + 30
	if err := c.ask(); err != nil {
		t.Fatal(err)
	}
	first := c.record.Trials[24]
	if why, _ := advisor.WhyOf(first.Why); why.Expected == nil || 2*why.Expected.CostMedian > 28 {
		t.Fatalf("two are not expected to fit: %+v", why.Expected)
	}
	if err := c.ask(); !errors.Is(err, advisor.ErrBudgetPending) || !strings.Contains(err.Error(), "kept for the trials under way") {
		t.Errorf("%v, with %v left beside %v", err, c.record.Ledger.Left(), first.Reserved)
	}
	c.apply(study.Event{Kind: study.EventBudget, Added: more})
	if err := c.ask(); err != nil {
		t.Errorf("with %v left: %v", c.record.Ledger.Left(), err)
	}
}
