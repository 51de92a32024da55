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
