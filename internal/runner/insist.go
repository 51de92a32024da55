package runner

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/eke-bo/eke/internal/fault"
)

// Pauses between attempts: short at first, as a restart takes a moment, and never so long that a server which is back
// waits for its workers.
const firstPause, longestPause = 100 * time.Millisecond, 10 * time.Second

// passes says whether waiting may help: a server is being restarted, a disk is full, an account is late, a database fails over
// and cannot be written to for a moment.
func passes(err error) bool {
	code := fault.CodeOf(err)
	return code.Retryable() && code != fault.BudgetPending || code == fault.StoreDenied
}

// insist repeats a request until it is answered with something that waiting does not change, or ctx ends, or patience does.
func (r *run) insist(ctx context.Context, request func() error) error {
	begin := time.Now()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := request()
		if err == nil {
			r.reached()
		}
		if err == nil || !passes(err) || ctx.Err() != nil || r.Patience > 0 && time.Since(begin) > r.Patience {
			return err
		}
		r.away(err)
		wait(ctx, nil, max(askedToWait(err), pause/2+rand.N(pause))) // not all runners at once
		if ctx.Err() != nil {
			return err
		}
	}
}

// reached and away say that there is trouble, and once that it is over.
func (r *run) reached() {
	r.mu.Lock()
	was := r.isAway
	r.isAway = false
	r.mu.Unlock()
	if was {
		r.tell(Back, nil, "the trouble is over")
	}
}

func (r *run) away(err error) {
	r.mu.Lock()
	r.isAway = true
	r.mu.Unlock()
	r.tell(Trouble, nil, withHint(err)+"; it is tried again, and running trials go on")
}

// withHint is an error and its hint in one line.
func withHint(err error) string {
	if hint := fault.HintOf(err); hint != "" {
		return err.Error() + "; " + hint
	}
	return err.Error()
}

// partingGrace is how long a run that is told twice to stop tries to tell what it knows. The journal has it anyway.
const partingGrace = 5 * time.Second

// lasting returns a context that outlives ctx by the parting grace.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	undo := context.AfterFunc(ctx, func() { time.AfterFunc(partingGrace, cancel) })
	return inner, func() { undo(); cancel() }
}
