package policy_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// Everything that one large suggestion allocates in total, freed or not, is below 200 MB. So is
// what it holds at any time.
func TestSuggestionMemory(t *testing.T) {
	s := study(200, 3, 1)
	p := must(t, "4-bmsei", policy.Settings{Threads: 2})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := p.Suggest(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	total := float64(after.TotalAlloc-before.TotalAlloc) / (1 << 20)
	t.Logf("%.0f MB allocated in all, %d objects", total, after.Mallocs-before.Mallocs)
	if total > 200 {
		t.Errorf("%.0f MB allocated", total)
	}
}
