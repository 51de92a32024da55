package advisor_test

import (
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

// Whether there is noise is remembered, and found out again when results come in, are corrected or are forgotten.
func TestNoiseIsFoundOutAgain(t *testing.T) {
	c := newCrowd(t, func(*study.Study) {})
	is := func(noise bool) {
		t.Helper()
		fresh, err := advisor.New(c.advisor.Study())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []*advisor.Advisor{c.advisor, fresh} {
			if name := a.Pick(c.record).Name; (name != advisor.DefaultPolicy) != noise {
				t.Errorf("after %d events %s chooses", c.record.Version, name)
			}
		}
	}
	try := func(value float64) {
		x := []float64{0.2, 0.4, 0.6, 0.8}[:min(4, c.advisor.Space().Dim())]
		for len(x) < c.advisor.Space().Dim() {
			x = append(x, 0)
		}
		setting := c.advisor.Space().Decode(x)
		point, err := c.advisor.Space().Encode(setting)
		if err != nil {
			t.Fatal(err)
		}
		n := len(c.record.Trials) + 1
		c.apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: setting, Point: point, Reserved: 1}})
		c.apply(study.Event{Kind: study.EventStarted, Trial: n})
		c.apply(study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: value, Charged: 1}})
	}
	is(false)
	try(3)
	is(false)
	try(3)
	is(false)
	try(4)
	is(true)
	c.apply(study.Event{Kind: study.EventForgotten, Trial: 3})
	is(false)
	c.apply(study.Event{Kind: study.EventRemembered, Trial: 3})
	is(true)
}

// Of several objectives each may have noise, though the first has none.
func TestNoiseOfAnotherObjective(t *testing.T) {
	s := easy(t)
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "size", Goal: study.Minimize}}}
	a, r, apply := begun(t, s)
	is := func(noise bool) {
		t.Helper()
		if f, err := a.Front(t.Context(), r); err != nil || f.Expected != noise {
			t.Errorf("after %d events the front is that of what is expected: %v, %v", r.Version, f.Expected, err)
		}
	}
	for n, x := range []float64{0.1, 0.3, 0.5, 0.7, 0.3, 0.3} {
		point := []float64{x, x}
		metrics := study.Metrics{"size": 1 - x}
		if n == 4 {
			metrics = nil // it did not report its size
		}
		if n == 5 {
			is(false)
			metrics["size"] = 0.8 // the third time
		}
		done := s.Whole(study.Finished{State: study.Done, Value: x, Charged: 1, Metrics: metrics})
		apply(study.Event{Kind: study.EventAsked, Trial: n + 1, Asked: &study.Asked{Setting: a.Space().Decode(point), Point: point, Reserved: 1}})
		apply(study.Event{Kind: study.EventFinished, Trial: n + 1, Finished: &done})
	}
	is(true)
	apply(study.Event{Kind: study.EventForgotten, Trial: 6})
	is(false)
}
