package view

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

var morning = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func paidInHours() *study.Study {
	return &study.Study{
		Name:      "two spirals",
		Objective: study.Objective{Name: "log-loss", Goal: study.Minimize},
		Cost:      study.Cost{Unit: "core-hours", Source: study.Reported},
		Budget:    study.Budget{Total: 40},
		Parameters: []space.Param{
			{Name: "rate", Kind: space.KindFloat, Min: 1e-4, Max: 1, Log: true},
			{Name: "width", Kind: space.KindInt, Min: 1, Max: 64},
			{Name: "opt", Kind: space.KindChoice, Values: []space.Value{space.String("adam"), space.String("sgd")}},
			{Name: "data", Kind: space.KindFixed, Value: space.String("v2")},
		},
		Parallel: 2,
		Policy:   study.Policy{Name: "auto"},
	}
}

func paidInTime() *study.Study {
	s := paidInHours()
	s.Cost = study.Cost{Unit: "seconds", Source: study.Walltime}
	s.Budget.Total = 3600
	return s
}

// story is a run that is made up as it is told.
type story struct {
	t      testing.TB
	record *study.Record
	now    time.Time
	news   []runner.News
}

func newStory(t testing.TB, s *study.Study) *story {
	return &story{t: t, record: study.NewRecord(s.Budget.Total, s.Measured()), now: morning}
}

func (y *story) apply(e study.Event) {
	y.t.Helper()
	next := *y.record // news has told of the old one
	next.Trials = slices.Clone(next.Trials)
	e.Seq, e.At = next.Version+1, y.now
	if err := next.Apply(e); err != nil {
		y.t.Fatal(err)
	}
	y.record = &next
}

func (y *story) tell(kind runner.Kind, trial int, text string) {
	n := runner.News{Kind: kind, At: y.now, Text: text, Record: y.record}
	if trial > 0 {
		n.Trial = &y.record.Trials[trial-1]
	}
	y.news = append(y.news, n)
}

func (y *story) begin(reserved float64) int {
	y.t.Helper()
	n := len(y.record.Trials) + 1
	opt := []string{"adam", "sgd"}[n%2]
	set := space.Setting{"rate": space.Float(0.3 / float64(n)), "width": space.Int(int64(7 * n % 64)), "opt": space.String(opt), "data": space.String("v2")}
	why := advisor.Why{Policy: "design", Picked: "plans four tries ahead under the budget"}
	if n > 4 {
		e := study.Expected{Value: 0.2, ValueSD: 0.04, Cost: reserved * 0.7, CostMedian: reserved * 0.6, Fits: 0.968}
		after := space.Setting{"rate": space.Float(0.02), "width": space.Int(48), "opt": space.String("adam")}
		why.Policy, why.Expected, why.Next = "4-bmsei-p", &e, []advisor.Step{{Setting: set, Expected: e}, {Setting: after, Expected: e}}
	}
	raw, err := json.Marshal(why)
	if err != nil {
		y.t.Fatal(err)
	}
	y.tell(runner.Thinking, 0, "")
	y.now = y.now.Add(400 * time.Millisecond)
	y.apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: set, Reserved: reserved, Why: raw, Thinking: 0.4}})
	y.apply(study.Event{Kind: study.EventStarted, Trial: n})
	y.tell(runner.Started, n, "")
	return n
}

func (y *story) end(trial int, f study.Finished) {
	y.t.Helper()
	y.now = y.now.Add(time.Duration(f.Wall * float64(time.Second)))
	y.apply(study.Event{Kind: study.EventFinished, Trial: trial, Finished: &f})
	y.tell(runner.Ended, trial, "")
}

// long is a story with everything in it but an end: the best value falls, some trials fail, two run.
func long(t testing.TB, s *study.Study) *story {
	y, unit := newStory(t, s), s.Budget.Total/40
	for i, value := range []float64{1.93, 2.31, 1.2, 0, 1.42, 0.832, 0.96, 0.524, 0.61, 0, 0.341, 0.47, 0, 0.367, 0.2125, 0.3, 0.24} {
		cost := (0.6 + math.Mod(float64(i)*0.37, 1.3)) * unit
		n := y.begin(1.5 * cost)
		f := study.Finished{State: study.Done, Value: value, Charged: cost, Wall: 90 * cost / unit}
		switch i {
		case 3, 9:
			f = study.Finished{State: study.Failed, Charged: cost / 2, Wall: 45, Note: "exit status 1: \x1b[31mCUDA out of memory\x1b[0m\nTraceback"}
		case 12:
			y.apply(study.Event{Kind: study.EventExtended, Trial: n, Reserved: 2 * cost})
			y.tell(runner.Extended, n, "")
			f = study.Finished{State: study.Cut, Charged: cost * 1.4, Wall: 200, Note: "cut at its limit"}
		}
		y.end(n, f)
	}
	y.begin(2.4 * unit)
	y.begin(1.1 * unit)
	y.now = y.now.Add(70 * time.Second)
	y.tell(runner.Thinking, 0, "")
	return y
}
