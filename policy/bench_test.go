package policy_test

import (
	"context"
	"fmt"
	"testing"

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
