package campaign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// Observer is called when jobs begin and end, from several goroutines.
type Observer[K Key] interface {
	Started(K)
	Ended(K, error)
}

// Run runs the jobs that have no result in the folder, in their order, as many at a time as there are workers, and adds each
// result as soon as it is there. A job that fails does not stop the others. Run leaves jobs to other processes that already
// run them, and waits for them at the end. When the context ends, Run ends too, and only running jobs are lost.
func (f *Folder[K, R]) Run(ctx context.Context, keys []K, workers int, do func(context.Context, K) (R, error), watch Observer[K]) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &run[K, R]{Folder: f, do: do, watch: watch, stop: stop, failed: map[K]error{}, done: map[K]bool{}}
	for {
		results, err := f.Read()
		if err != nil {
			return err
		}
		left := slices.DeleteFunc(f.Missing(keys, results), func(k K) bool { return r.failed[k] != nil })
		if len(left) == 0 {
			break
		}
		claimed := r.pass(ctx, left, max(workers, 1))
		if ctx.Err() != nil {
			r.wrong = append(r.wrong, context.Cause(ctx))
			break
		}
		if !claimed { // other processes run all of them
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}
	return errors.Join(r.wrong...)
}

// Missing returns the keys that have no result, in their order.
func (f *Folder[K, R]) Missing(keys []K, results []R) []K {
	done := make(map[K]bool, len(results))
	for _, r := range results {
		done[f.KeyOf(r)] = true
	}
	return slices.DeleteFunc(slices.Clone(keys), func(k K) bool { return done[k] })
}

type run[K Key, R any] struct {
	*Folder[K, R]
	do    func(context.Context, K) (R, error)
	watch Observer[K]
	stop  context.CancelCauseFunc

	mu     sync.Mutex // guards what follows
	failed map[K]error
	wrong  []error
	any    bool       // a job was claimed in this pass
	done   map[K]bool // results among the lines up to offset
	offset int
}

// pass tries each of the jobs once, and reports whether it got any.
func (r *run[K, R]) pass(ctx context.Context, keys []K, workers int) (claimed bool) {
	r.any = false
	next := make(chan K)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for key := range next {
				if ctx.Err() == nil {
					r.one(ctx, key)
				}
			}
		})
	}
	for _, key := range keys {
		select {
		case next <- key:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	running.Wait()
	return r.any
}

// one runs a job, unless another process runs it or has run it.
func (r *run[K, R]) one(ctx context.Context, key K) {
	release, ok, err := r.claim(key)
	if err != nil {
		r.stop(err)
		return
	}
	if !ok || r.doneElsewhere(key) {
		if ok {
			release()
		}
		return
	}
	defer release()
	r.mu.Lock()
	r.any = true
	r.mu.Unlock()
	r.watch.Started(key)
	result, err := r.safely(ctx, key)
	if ctx.Err() != nil {
		r.watch.Ended(key, context.Cause(ctx))
		return
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", key, err)
		r.mu.Lock()
		r.failed[key], r.wrong = err, append(r.wrong, err)
		r.mu.Unlock()
	} else if err = r.Add(result); err != nil {
		r.stop(err) // a full disk, perhaps: nothing more can be kept
	}
	r.watch.Ended(key, err)
}

// doneElsewhere reports whether the folder has the job's result by now. It reads what was added since its last call.
func (r *run[K, R]) doneElsewhere(key K) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	content, err := os.ReadFile(r.path(linesFile))
	if err != nil {
		return false
	}
	if r.offset > len(content) {
		r.offset = 0 // the file was packed meanwhile
	}
	whole := bytes.LastIndexByte(content, '\n') + 1
	lines, err := r.parse(linesFile, content[min(r.offset, whole):whole])
	if err != nil {
		return false // the next pass will show it
	}
	r.offset = whole
	for _, l := range lines {
		r.done[r.KeyOf(l)] = true
	}
	return r.done[key]
}

// safely turns a panic into an error: it must not end hours of other jobs.
func (r *run[K, R]) safely(ctx context.Context, key K) (result R, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return r.do(ctx, key)
}
