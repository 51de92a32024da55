package advisor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// A study that is over says why; one that goes on says nothing.
func TestOver(t *testing.T) {
	const begin = `name: kiln
objective: {name: strength, goal: maximize}
cost: {source: reported, unit: euros}
parameters:
  x: {type: float, min: 0, max: 1}
budget: {total: 10`
	small := &study.Rest{Left: 4, Outlook: study.Outlook{Money: 4, Gain: 1e-9}}
	even := &study.Rest{Left: 4, Outlook: study.Outlook{Money: 4, Gain: 1e-9, Better: 2e-9}}
	large := &study.Rest{Left: 4, Outlook: study.Outlook{Money: 4, Gain: 1}}
	later := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, more string
		spent      float64 // by each of six trials
		closed     bool
		open       bool
		rest       *study.Rest
		want       fault.Code
		says       string
	}{
		{name: "goes on", more: "}", spent: 1},
		{name: "goes on, by the forecast", more: "}", spent: 1, rest: large},
		{name: "spent", more: "}", spent: 10.0 / 6, want: fault.BudgetSpent},
		{name: "spent, but one is under way", more: "}", spent: 1.5, open: true},
		{name: "ended", more: "}", spent: 1, closed: true, want: fault.Closed},
		{name: "trials", more: ", trials: 6}", spent: 1, want: fault.BudgetSpent},
		{name: "deadline", more: ", deadline: 1h}", spent: 1, want: fault.Deadline},
		{name: "not worth", more: "}", spent: 1, rest: small, want: fault.NotWorth, says: "a gain of 1e-9 on average, most of it in one case of ten, less than"},
		{name: "not worth, evenly", more: "}", spent: 1, rest: even, want: fault.NotWorth, says: "a gain of 1e-9 on average, less than"},
		{name: "never", more: "}\nstop: never", spent: 1, rest: small},
	} {
		s, err := study.Parse([]byte(begin+c.more+"\n"), "study.yaml")
		if err != nil {
			t.Fatal(err)
		}
		a, err := advisor.New(s)
		if err != nil {
			t.Fatal(err)
		}
		r := study.NewRecord(10, false)
		apply := func(e study.Event) {
			t.Helper()
			e.Seq, e.At = r.Version+1, later.Add(-24*time.Hour)
			if err := r.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
		for n := 1; n <= 6; n++ {
			x := float64(n) / 7
			setting := a.Space().Decode([]float64{x})
			apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: setting, Point: []float64{x}, Reserved: c.spent}})
			value := 7 - float64(n) // the best came first
			apply(study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: value, Charged: c.spent}})
		}
		if c.open {
			apply(study.Event{Kind: study.EventAsked, Trial: 7, Asked: &study.Asked{Setting: a.Space().Decode([]float64{0.5}), Point: []float64{0.5}, Reserved: 1}})
		}
		if c.closed {
			apply(study.Event{Kind: study.EventClosed})
		}
		if err := a.Over(r, c.rest, later); fault.CodeOf(err) != c.want || c.says != "" && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
