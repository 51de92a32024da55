package server

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/api"
)

// kept is what models say of a study, as it was computed last. Many may ask for it at once, and each change of the study makes all of them
// ask again. One computation is under way at a time, and they share what it finds.
type kept[T any] struct {
	mu    sync.Mutex
	of    int64 // the state of the study that it was computed from
	last  T
	known bool
	next  *computation[T] // under way; nil: there is none
}

// computation goes on when those who wait for it leave, so that its result is there when they ask again.
type computation[T any] struct {
	of    int64
	begun chan struct{} // closed when it has its turn
	done  chan struct{}
	found T
	err   error
}

// mostFits is how many computations of one sender may wait for their turn.
const mostFits = 16

// How long a request waits while the models of other studies are fitted, if there is an older answer; and how long for an answer at all,
// which is less than most clients wait.
const waitForTurn, waitForModels = 5 * time.Second, 100 * time.Second

var errModelsBusy = crowded("there was no time yet to fit the models of this study; they are being fitted, or wait for those of others")

// get returns what was computed from that state of the study. If others keep it waiting, it returns what was computed last. compute says
// whether what it found is to be kept.
func (k *kept[T]) get(ctx context.Context, s *Server, of int64, compute func(context.Context) (found T, keep bool, err error)) (T, error) {
	turn, end := time.After(waitForTurn), time.After(waitForModels)
	for {
		k.mu.Lock()
		last, known, c := k.last, k.known, k.next
		if known && k.of >= of {
			k.mu.Unlock()
			return last, nil
		}
		if c == nil {
			c = &computation[T]{of: of, begun: make(chan struct{}), done: make(chan struct{})}
			k.next = c
			go k.compute(s, c, senderIn(ctx), compute)
		}
		k.mu.Unlock()
		err := c.wait(ctx, known, turn, end)
		switch {
		case err == nil && c.of < of: // it began before the study changed
			continue
		case err != nil && known && ctx.Err() == nil:
			return last, nil
		case err != nil:
			return last, err
		}
		return c.found, nil
	}
}

// wait waits for a computation, and returns its error.
func (c *computation[T]) wait(ctx context.Context, known bool, turn, end <-chan time.Time) error {
	if !known {
		turn = nil // without an older answer there is nothing to give up for
	}
	for begun := c.begun; ; {
		select {
		case <-begun:
			begun, turn = nil, nil
		case <-c.done:
			return c.err
		case <-ctx.Done():
			return ctx.Err()
		case <-turn:
			return errModelsBusy
		case <-end:
			return errModelsBusy
		}
	}
}

// compute carries out a computation when it is its turn.
func (k *kept[T]) compute(s *Server, c *computation[T], from sender, do func(context.Context) (T, bool, error)) {
	ctx, cancel := context.WithTimeout(s.background, api.MaxAsk)
	defer cancel()
	keep := false
	defer func() {
		if thrown := recover(); thrown != nil {
			s.log.Error("panic", "panic", thrown, "stack", string(debug.Stack()))
			c.err = fmt.Errorf("panic: %v", thrown)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.next = nil; c.err == nil && keep {
			k.of, k.last, k.known = c.of, c.found, true
		}
		close(c.done)
	}()
	release, err := s.fitting.take(ctx, from, 1)
	if err != nil {
		c.err = err
		return
	}
	defer release()
	close(c.begun)
	c.found, keep, c.err = do(ctx)
}
