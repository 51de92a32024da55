package worker

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
)

// Pauses between attempts: short at first, as a restart takes a moment, and never so long that a server which is back
// waits for its workers.
const firstPause, longestPause = 100 * time.Millisecond, 10 * time.Second

// passes says whether waiting may help: the server is being restarted, the network is down. Once the server has been spoken to, an answer
// from something else comes from something in between, such as a network that wants a password first.
func (w *worker) passes(err error) bool {
	switch code := fault.CodeOf(err); code {
	case fault.Internal:
		return true
	case fault.NotServer:
		return w.shown != nil
	default:
		return code.Retryable() && code != fault.BudgetPending
	}
}

// insist repeats a request until it is answered with something that waiting does not change, or ctx ends.
func (w *worker) insist(ctx context.Context, request func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := request()
		if err == nil {
			w.reached()
		}
		if err == nil || !w.passes(err) || ctx.Err() != nil {
			return err
		}
		w.unreached(err)
		wait(ctx, nil, max(api.RetryAfter(err), pause/2+rand.N(pause))) // not all workers at once
		if ctx.Err() != nil {
			return err
		}
	}
}

// reached and unreached say once that the server is gone, and once that it is back.
func (w *worker) reached() {
	w.mu.Lock()
	was := w.gone
	w.gone = false
	w.mu.Unlock()
	if was {
		w.tell(Back, nil, "the server answers again")
	}
}

func (w *worker) unreached(err error) {
	w.mu.Lock()
	was := w.gone
	w.gone = true
	w.mu.Unlock()
	if !was {
		w.tell(Trouble, nil, err.Error()+"; it is tried again, and running trials go on")
	}
}

func wait(ctx context.Context, change <-chan struct{}, most time.Duration) {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-ctx.Done():
	case <-change:
	case <-late.C:
	}
}
