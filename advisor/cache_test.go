package advisor_test

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

// The best is found once for the same results, whatever else happens, and anew when there are others.
func TestBestCache(t *testing.T) {
	a, r := noisyBowl(t, true, 0.5, 1)
	c := advisor.NewBestCache(a)
	if _, ok := c.Last(); ok {
		t.Error("it has found something before it was asked")
	}
	first, ok, err := c.Of(t.Context(), r)
	if err != nil || !ok || first.Estimate == nil {
		t.Fatalf("%+v, %v, %v", first, ok, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel() // whatever must be fitted fails now
	asked := study.Asked{Setting: first.Setting, Point: first.Point, Reserved: 1}
	if err := r.Apply(study.Event{Seq: r.Version + 1, Kind: study.EventAsked, Trial: 1, Asked: &asked}); err != nil {
		t.Fatal(err)
	}
	again, ok, err := c.Of(ended, r)
	if err != nil || !ok || again.Estimate != first.Estimate {
		t.Errorf("after a trial was asked for: %+v, %v, %v", again, ok, err)
	}
	finished := study.Finished{State: study.Done, Value: 40, Charged: 1}
	if err := r.Apply(study.Event{Seq: r.Version + 1, Kind: study.EventFinished, Trial: 1, Finished: &finished}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Of(ended, r); !errors.Is(err, context.Canceled) {
		t.Errorf("a fit that was cut short: %v", err)
	}
	if last, ok := c.Last(); !ok || last.Estimate != first.Estimate {
		t.Errorf("the last one is %+v", last)
	}
	var all sync.WaitGroup
	found := make([]*advisor.Estimate, 4)
	for i := range found {
		all.Go(func() {
			best, _, _ := c.Of(context.Background(), r)
			found[i] = best.Estimate
		})
	}
	all.Wait()
	for _, e := range found {
		if e == nil || e != found[0] || e == first.Estimate {
			t.Errorf("after a result: %+v", e)
		}
	}
}

// Without noise nothing is fitted, so that no context matters.
func TestBestCacheWithoutNoise(t *testing.T) {
	a, r := noisyBowl(t, false, 0, 1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	best, ok, err := advisor.NewBestCache(a).Of(ended, r)
	if raw, _ := r.Best(study.Minimize); err != nil || !ok || best.Value != raw.Value || best.Text() == "" || best.Expected() != raw.Value {
		t.Errorf("%+v, %v, %v", best, ok, err)
	}
}

// What went past the budget teaches the models, but is not the best: the best is another setting that they expect much of, not the
// luckiest observation.
func TestBestWithNoiseCounts(t *testing.T) {
	a, r := noisyBowl(t, true, 0.5, 2)
	point := []float64{0.3, 0.6}
	for _, e := range []study.Event{
		{Kind: study.EventAsked, Trial: 1, Asked: &study.Asked{Setting: a.Space().Decode(point), Point: point, Reserved: 1}},
		{Kind: study.EventFinished, Trial: 1, Finished: &study.Finished{State: study.Done, Value: -3, Charged: 5000}},
	} {
		e.Seq = r.Version + 1
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	best, ok, err := a.Best(t.Context(), r)
	if err != nil || !ok || best.Estimate == nil || !best.Counts() || best.Has(r.Trials[0]) {
		t.Errorf("%+v, %v, %v", best, ok, err)
	}
}

// A trial that gets more money changes nothing about what to try next: another attempt at the same trial thinks no second time. A result does.
func TestExtensionsAreNoNewThought(t *testing.T) {
	c := newCrowd(t, func(s *study.Study) {
		s.Parallel, s.Stop.Never = 2, true
	})
	for i := range 20 {
		if err := c.ask(); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			c.tell(i)
		}
	}
	var thought advisor.Thought
	again := c.advisor.Thinking(&thought)
	if _, err := again.Next(t.Context(), c.record); err != nil {
		t.Fatal(err)
	}
	c.apply(study.Event{Kind: study.EventExtended, Trial: 20, Reserved: 2 * c.record.Trials[19].Reserved})
	noTime, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := again.Next(noTime, c.record)
	want, fails := c.advisor.Next(t.Context(), c.record)
	if err != nil || fails != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want\n%+v, %v", got, err, want, fails)
	}
	c.tell(20)
	if got, err = again.Next(t.Context(), c.record); err != nil {
		t.Fatal(err)
	}
	if want, err = c.advisor.Next(t.Context(), c.record); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("after a result: %+v, want\n%+v, %v", got, want, err)
	}
}
