package report

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// training is a study with every kind of parameter.
func training() *study.Study {
	adam := []space.Condition{{Param: "optimizer", Values: []space.Value{space.String("adam")}}}
	return &study.Study{
		Name: "small transformer", Objective: study.Objective{Name: "validation loss", Goal: study.Minimize},
		Cost: study.Cost{Unit: "GPU-hours", Source: study.Reported}, Budget: study.Budget{Total: 60},
		Policy: study.Policy{Name: "auto"}, Seed: 3, Parallel: 1,
		Parameters: []space.Param{
			{Name: "learning_rate", Kind: space.KindFloat, Min: 1e-5, Max: 1e-1, Log: true},
			{Name: "dropout", Kind: space.KindFloat, Min: 0, Max: 0.6},
			{Name: "layers", Kind: space.KindInt, Min: 1, Max: 12},
			{Name: "batch", Kind: space.KindInt, Min: 8, Max: 512, Step: 8, Log: true},
			{Name: "optimizer", Kind: space.KindChoice, Values: []space.Value{space.String("sgd"), space.String("adam"), space.String("lion")}},
			{Name: "beta2", Kind: space.KindFloat, Min: 0.9, Max: 0.999, When: adam},
			{Name: "bias", Kind: space.KindBool},
		},
	}
}

// train is a made-up training run.
func train(s space.Setting) (loss, cost float64) {
	num := func(name string) float64 { x, _ := s[name].Number(); return x }
	lr, layers, batch := math.Log10(num("learning_rate")), num("layers"), num("batch")
	loss = 1.9 + 0.22*math.Pow(lr+3.2+0.3*math.Log2(batch/64)/3, 2) + 0.9/(1+layers/2) + 0.8*math.Pow(num("dropout")-0.15, 2)
	switch s["optimizer"].String() {
	case "adam":
		loss += 40 * math.Pow(num("beta2")-0.98, 2)
	case "sgd":
		loss += 0.35
	default:
		loss += 0.12
	}
	return loss, 0.08 * math.Pow(layers, 1.2) * math.Pow(512/batch, 0.35)
}

// spend plays a study to its end or to so many trials, some of which go wrong, and returns what is reported.
func spend(tb testing.TB, s *study.Study, f func(space.Setting) (value, cost float64), most int) Data {
	tb.Helper()
	a, err := advisor.New(s)
	if err != nil {
		tb.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, s.Measured())
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	apply := func(e study.Event) {
		tb.Helper()
		at = at.Add(time.Minute)
		e.Seq, e.At = r.Version+1, at
		if err := r.Apply(e); err != nil {
			tb.Fatal(err)
		}
	}
	for n := 1; n <= most; n++ {
		asked, err := a.Next(context.Background(), r)
		if err != nil {
			break
		}
		asked.Thinking = 0.1
		apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &asked})
		apply(study.Event{Kind: study.EventStarted, Trial: n, Runner: "test"})
		value, cost := f(asked.Setting)
		end := study.Finished{State: study.Done, Value: value, Charged: cost}
		switch {
		case n%11 == 7:
			end = study.Finished{State: study.Failed, Charged: cost / 3, Note: fmt.Sprintf("exit status %d: out of memory", n)}
		case n == 15:
			end = study.Finished{State: study.Cut, Charged: cost, Note: "stopped at its limit"}
		case n == 21:
			end = study.Finished{State: study.Abandoned, Charged: cost / 2, Note: "its runner died"}
		}
		apply(study.Event{Kind: study.EventFinished, Trial: n, Finished: &end})
	}
	return withInsight(tb, s, r)
}

func withInsight(tb testing.TB, s *study.Study, r *study.Record) Data {
	tb.Helper()
	a, err := advisor.New(s)
	if err != nil {
		tb.Fatal(err)
	}
	in, err := insight.Of(context.Background(), a, r)
	if err != nil {
		tb.Fatal(err)
	}
	return Data{Study: s, Record: r, Insight: in, Created: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Version: "test"}
}
