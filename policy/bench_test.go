package policy_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/eke-bo/eke/policy"
)

// One full suggestion at the paper's search effort: fits, fantasy budget and search.
func BenchmarkSuggest(b *testing.B) {
	for _, name := range []string{"ei", "ei-puc", "ei-puc-cc", "2-bmsei-p", "2-bmsei", "4-bmsei-p", "4-bmsei"} {
		for _, n := range []int{10, 50, 100} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/n=%d/threads=%d", name, n, threads), func(b *testing.B) {
					p := must(b, name, policy.Settings{Threads: threads, Design: -1})
					s := study(n, 3, 1)
					evaluations := 0
					for b.Loop() {
						got, err := p.Suggest(context.Background(), s)
						if err != nil {
							b.Fatal(err)
						}
						evaluations = got.Evaluations
					}
					b.ReportMetric(float64(evaluations), "evaluations")
				})
			}
		}
	}
}

// How long a suggestion goes on after its context has ended.
func BenchmarkCancel(b *testing.B) {
	for _, name := range []string{"ei", "4-bmsei-p", "4-bmsei"} {
		for _, n := range []int{50, 200, 1000} {
			b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
				p, s := must(b, name, policy.Settings{Design: -1}), study(n, 3, 1)
				worst := time.Duration(0)
				for i := 0; b.Loop(); i++ {
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+7*(i%60))*time.Millisecond)
					got, err := p.Suggest(ctx, s)
					if err != nil {
						b.Fatal(err)
					}
					if deadline, _ := ctx.Deadline(); got.CutShort {
						worst = max(worst, time.Since(deadline))
					}
					cancel()
				}
				b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms-after")
			})
		}
	}
}
