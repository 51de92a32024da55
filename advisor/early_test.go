package advisor_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// curves plays a study whose trials show their values after 1, 3, 9 and 27 epochs.
type curves struct {
	*testing.T
	study  *study.Study
	record *study.Record
}

func newCurves(t *testing.T, rule string) *curves {
	c := &curves{T: t, study: epochs(), record: study.NewRecord(8, false)}
	c.study.Fidelity.StopEarly = rule
	return c
}

func (c *curves) apply(e study.Event) {
	c.Helper()
	e.Seq, e.At = c.record.Version+1, time.Unix(c.record.Version, 0)
	if err := c.record.Apply(e); err != nil {
		c.Fatal(err)
	}
}

// begin begins a trial, which shows its values until a fidelity, and returns its number.
func (c *curves) begin(a, n float64, epochs, until int64) int {
	c.Helper()
	sp, err := c.study.Space()
	if err != nil {
		c.Fatal(err)
	}
	setting := space.Setting{"a": space.Float(a), "n": space.Int(int64(n)), "epochs": space.Int(epochs)}
	point, err := sp.Encode(setting)
	if err != nil {
		c.Fatal(err)
	}
	trial := len(c.record.Trials) + 1
	c.apply(study.Event{Kind: study.EventAsked, Trial: trial, Asked: &study.Asked{Setting: setting, Point: point, Reserved: 0.01, Look: epochs < 27}})
	c.apply(study.Event{Kind: study.EventStarted, Trial: trial})
	for _, e := range []int64{1, 3, 9} {
		if e < epochs && e <= until {
			loss, cost := trainFor(space.Setting{"a": setting["a"], "n": setting["n"], "epochs": space.Int(e)})
			c.apply(study.Event{Kind: study.EventStep, Trial: trial, Step: &study.Step{Step: float64(e), Value: loss, Cost: cost, Look: true}})
		}
	}
	return trial
}

func (c *curves) whole(a, n float64, epochs int64) {
	trial := c.begin(a, n, epochs, epochs)
	loss, cost := trainFor(c.record.Trials[trial-1].Setting)
	c.apply(study.Event{Kind: study.EventFinished, Trial: trial, Finished: &study.Finished{State: study.Done, Value: loss, Charged: cost}})
}

func (c *curves) early(trial int) string {
	c.Helper()
	a, err := advisor.New(c.study)
	if err != nil {
		c.Fatal(err)
	}
	why, err := a.Early(c.Context(), c.record, trial)
	if err != nil {
		c.Fatal(err)
	}
	again, _ := a.Early(c.Context(), c.record, trial)
	if again != why {
		c.Errorf("decided again: %q, not %q", again, why)
	}
	return why
}

func (c *curves) design() {
	for i, a := range []float64{0.65, 0.2, 0.9, 0.5, 0.75, 0.1} {
		c.whole(a, float64(10+3*i), map[bool]int64{true: 27, false: 9}[i%2 == 0])
	}
}

// What a trial shows on its way are looks at its setting, at once; and its price is known by what it had cost until then.
func TestStepsAreLooks(t *testing.T) {
	c := newCurves(t, "")
	c.whole(0.5, 10, 27)
	c.begin(0.7, 12, 27, 3)
	a, err := advisor.New(c.study)
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.State(c.record)
	if err != nil || len(s.X) != 1 || len(s.Pending) != 1 || len(s.Looks) != 5 {
		t.Fatalf("%d evaluations, %d pending, %d looks: %v", len(s.X), len(s.Pending), len(s.Looks), err)
	}
	for i, want := range []struct{ epochs, level float64 }{{1, 0}, {3, 1.0 / 3}, {9, 2.0 / 3}, {1, 0}, {3, 1.0 / 3}} {
		if l := s.Looks[i]; !l.Step || math.Abs(l.Level-want.level) > 0.01 || math.Abs(math.Exp(l.LnCost)-want.epochs/27) > 1e-12 {
			t.Errorf("look %d is %+v, want that of %v epochs", i, l, want.epochs)
		}
	}
}

func TestEarlyByModel(t *testing.T) {
	c := newCurves(t, "")
	first := c.begin(0.05, 29, 27, 9)
	if why := c.early(first); why != "" {
		t.Errorf("before anything is known: %s", why)
	}
	c = newCurves(t, "")
	c.design()
	bad := c.begin(0.05, 29, 27, 9)
	if why := c.early(bad); !strings.HasPrefix(why, "stopped early at epochs 9: it has a chance of") {
		t.Errorf("a bad one: %q", why)
	}
	c.apply(study.Event{Kind: study.EventStop, Trial: bad, Reason: "no chance"})
	c.apply(study.Event{Kind: study.EventFinished, Trial: bad, Finished: &study.Finished{State: study.StoppedEarly, Charged: 0.4}})
	if why := c.early(c.begin(0.7, 12, 27, 9)); why != "" {
		t.Errorf("a good one: %s", why)
	}
	for _, name := range []string{"random", "asha"} { // which do not go by models
		c.study.Policy.Name = name
		if why := c.early(c.begin(0.05, 29, 27, 9)); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
}

func TestEarlyByMedian(t *testing.T) {
	c := newCurves(t, study.StopByMedian)
	c.whole(0.6, 12, 27)
	c.whole(0.7, 14, 27)
	if why := c.early(c.begin(0.05, 29, 27, 3)); why != "" {
		t.Errorf("with two others: %s", why)
	}
	c.whole(0.5, 10, 27)
	if why := c.early(c.begin(0.05, 29, 27, 3)); !strings.Contains(why, "the median of 3 other trials") {
		t.Errorf("a bad one: %q", why)
	}
	if why := c.early(c.begin(0.7, 12, 27, 3)); why != "" {
		t.Errorf("a good one: %s", why)
	}
	c.study.Fidelity.StopEarly = study.StopNever
	if why := c.early(4); why != "" {
		t.Errorf("never: %s", why)
	}
}
