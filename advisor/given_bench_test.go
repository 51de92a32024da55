package advisor_test

import (
	"fmt"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// BenchmarkGiven is what the trials of a study file take, 500 of them, 50 at once, with a result between any two.
//
//	go test -run '^$' -bench Given ./advisor
func BenchmarkGiven(b *testing.B) {
	const trials, parallel = 500, 50
	for _, dim := range []int{1, 6} {
		b.Run(fmt.Sprint(dim), func(b *testing.B) {
			for b.Loop() {
				s := &study.Study{
					Name: "crowd", Objective: study.Objective{Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported},
					Budget: study.Budget{Total: 1e6}, Policy: study.Policy{Name: "random"}, Parallel: parallel,
				}
				for i := range dim {
					s.Parameters = append(s.Parameters, space.Param{Name: fmt.Sprintf("x%d", i), Kind: space.KindFloat, Min: 0, Max: 1})
				}
				for i := range trials {
					setting := space.Setting{}
					for j := range dim {
						setting[fmt.Sprintf("x%d", j)] = space.Float(float64((i*(j*j+1))%trials) / trials)
					}
					s.Trials = append(s.Trials, setting)
				}
				a, err := advisor.New(s)
				if err != nil {
					b.Fatal(err)
				}
				r := study.NewRecord(1e6, false)
				apply := func(e study.Event) {
					e.Seq = r.Version + 1
					if err := r.Apply(e); err != nil {
						b.Fatal(err)
					}
				}
				for i := 1; i <= trials; i++ {
					if n := i - parallel; n > 0 {
						apply(study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: r.Trials[n-1].Point[0], Charged: float64(2 * (40 + n%4 + n*7919%3))}})
					}
					asked, err := a.Next(b.Context(), r)
					if err != nil {
						b.Fatal(err)
					}
					apply(study.Event{Kind: study.EventAsked, Trial: i, Asked: &asked})
				}
			}
		})
	}
}
