package insight_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// mixed is a study with every kind of parameter.
func mixed() *study.Study {
	return &study.Study{
		Name: "mixed", Objective: study.Objective{Name: "loss", Goal: study.Minimize},
		Cost: study.Cost{Unit: "core-hours", Source: study.Reported}, Budget: study.Budget{Total: 40},
		Policy: study.Policy{Name: "auto"}, Seed: 3, Parallel: 1,
		Parameters: []space.Param{
			{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 1e-1, Log: true},
			{Name: "n", Kind: space.KindInt, Min: 1, Max: 8},
			{Name: "opt", Kind: space.KindChoice, Values: []space.Value{space.String("sgd"), space.String("adam"), space.String("lion")}},
			{Name: "beta", Kind: space.KindFloat, Min: 0, Max: 1, When: []space.Condition{{Param: "opt", Values: []space.Value{space.String("adam")}}}},
		},
	}
}

// train is a made-up training run.
func train(s space.Setting) (loss, cost float64) {
	lr, _ := s["lr"].Number()
	n, _ := s["n"].Number()
	loss = math.Pow(math.Log10(lr)+3, 2)/4 + math.Abs(n-6)/6
	switch s["opt"].String() {
	case "adam":
		beta, _ := s["beta"].Number()
		loss += (beta - 0.9) * (beta - 0.9)
	case "sgd":
		loss += 0.3
	default:
		loss += 0.5
	}
	return loss, 0.3 * math.Exp(n/5)
}

// play spends a study's budget, failing every seventh trial, and returns the record.
func play(t *testing.T, s *study.Study) *study.Record {
	t.Helper()
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, s.Measured())
	for n := 1; ; n++ {
		asked, err := a.Next(context.Background(), r)
		if err != nil {
			return r
		}
		loss, cost := train(asked.Setting)
		f := &study.Finished{State: study.Done, Value: loss, Charged: cost}
		if n%7 == 0 {
			f = &study.Finished{State: study.Failed, Charged: cost / 2}
		}
		for _, e := range []study.Event{
			{Kind: study.EventAsked, Trial: n, Asked: &asked},
			{Kind: study.EventFinished, Trial: n, Finished: f},
		} {
			e.Seq, e.At = r.Version+1, time.Unix(1000+r.Version, 0)
			if err := r.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
}
