//go:build unix

package policy_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/policy"
)

// What a suggestion of the default takes of a processor while 50 evaluations are pending: the first of a process, and one after another with a memory.
func BenchmarkPending(b *testing.B) {
	const dim, pending = 6, 50
	for _, n := range []int{100, 400, 900} {
		s := study(n, dim, 1)
		s.Initial, s.Remaining, s.Trial, s.Pending = 1e4, 1e4, n+pending, sobol.Points(pending, dim, 2)
		set := policy.Settings{Design: -1, Threads: 1}
		before, err := must(b, "gittins-d", set).Suggest(b.Context(), s)
		if err != nil {
			b.Fatal(err)
		}
		s.Previous = before.Plan // the hyperparameters are kept
		for _, name := range []string{"first", "next"} {
			b.Run(fmt.Sprintf("n=%d/%s", n, name), func(b *testing.B) {
				s, set := s, set
				if name == "next" {
					set.Memory = policy.NewMemory()
				}
				p := must(b, "gittins-d", set)
				suggest := func() {
					got, err := p.Suggest(b.Context(), s)
					if err != nil {
						b.Fatal(err)
					}
					if name == "next" {
						s.Pending, s.Trial, s.Previous = append(s.Pending[:len(s.Pending):len(s.Pending)], got.X), s.Trial+1, got.Plan
					}
				}
				suggest()
				begin := processor()
				for b.Loop() {
					suggest()
				}
				b.ReportMetric(1000*(processor()-begin)/float64(b.N), "ms-of-a-processor/op")
			})
		}
	}
}

// processor is how many seconds of a processor this process has used.
func processor() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
