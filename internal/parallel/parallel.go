// Package parallel runs a loop on several goroutines.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// For calls work(i) for every i < n on the given number of goroutines. Each goroutine makes its own work function with
// newWork, so that scratch memory is never shared. When the context ends, no more calls begin.
func For(ctx context.Context, n, threads int, newWork func() func(i int)) {
	var next atomic.Int64
	some := func() {
		var work func(int)
		for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
			if work == nil {
				work = newWork()
			}
			work(i)
		}
	}
	var wait sync.WaitGroup
	for range min(threads, n) - 1 {
		wait.Go(some)
	}
	some()
	wait.Wait()
}

// Each is For where all goroutines share one work function, which needs no scratch memory.
func Each(ctx context.Context, n, threads int, work func(i int)) {
	For(ctx, n, threads, func() func(int) { return work })
}
