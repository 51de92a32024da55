package parallel

import (
	"context"
	"sync/atomic"
	"testing"
)

// Every index is worked on once, whatever the number of goroutines, and goroutines do not share a work
// function.
func TestForVisitsEveryIndexOnce(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 7, 50} {
		visits := make([]atomic.Int64, 23)
		For(context.Background(), len(visits), threads, func() func(int) {
			busy := false
			return func(i int) {
				if busy {
					t.Error("a work function was shared")
				}
				busy = true
				visits[i].Add(1)
				busy = false
			}
		})
		for i := range visits {
			if visits[i].Load() != 1 {
				t.Errorf("%d threads: index %d was visited %d times", threads, i, visits[i].Load())
			}
		}
	}
}

// After the context has ended, nothing begins.
func TestForStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	For(ctx, 10, 1, func() func(int) {
		return func(i int) {
			if calls++; i == 3 {
				cancel()
			}
		}
	})
	if calls != 4 {
		t.Errorf("%d calls, the context ended in the fourth", calls)
	}
}
