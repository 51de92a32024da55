package advisor_test

import (
	"fmt"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// BenchmarkRandomWide is how long the policy random takes for a suggestion, with 60 parameters and constraints between them, after few and
// after many trials.
//
//	go test -run '^$' -bench RandomWide ./advisor
func BenchmarkRandomWide(b *testing.B) {
	for _, n := range []int{1, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := &study.Study{
				Name: "wide", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported},
				Budget: study.Budget{Total: 1e6}, Policy: study.Policy{Name: "random"}, Parallel: 1,
			}
			for i := range 60 {
				s.Parameters = append(s.Parameters, space.Param{Name: fmt.Sprintf("x%d", i), Kind: space.KindFloat, Min: 0, Max: 1})
			}
			for i := range 10 {
				s.Where = append(s.Where, fmt.Sprintf("x%d < x%d", 2*i, 2*i+1))
			}
			a, err := advisor.New(s)
			if err != nil {
				b.Fatal(err)
			}
			r := study.NewRecord(1e6, false)
			add := func() {
				asked, err := a.Next(b.Context(), r)
				if err != nil {
					b.Fatal(err)
				}
				number := len(r.Trials) + 1
				for _, e := range []study.Event{
					{Kind: study.EventAsked, Trial: number, Asked: &asked},
					{Kind: study.EventFinished, Trial: number, Finished: &study.Finished{State: study.Done, Value: 1, Charged: 1}},
				} {
					e.Seq = r.Version + 1
					if err := r.Apply(e); err != nil {
						b.Fatal(err)
					}
				}
			}
			add()
			for i := 2; i <= n; i++ { // copies of the first, at other places
				x := append([]float64{}, r.Trials[0].Point...)
				x[59] = float64(i) / 1e5
				setting := a.Space().Decode(x)
				for _, e := range []study.Event{
					{Kind: study.EventAsked, Trial: i, Asked: &study.Asked{Setting: setting, Point: x, Reserved: 2}},
					{Kind: study.EventFinished, Trial: i, Finished: &study.Finished{State: study.Done, Value: 1, Charged: 1}},
				} {
					e.Seq = r.Version + 1
					if err := r.Apply(e); err != nil {
						b.Fatal(err)
					}
				}
			}
			for b.Loop() {
				if _, err := a.Next(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
