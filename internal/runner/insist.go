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
	return code.Retryable() && code != fault.BudgetPending && code != fault.Paused || code == fault.StoreDenied
}

// insist repeats a request until it is answered with something that waiting does not change, or ctx ends, or patience does.
func (r *run) insist(ctx context.Context, request func() error) error {
	begin, failing := time.Now(), false
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := request()
		if err == nil || !passes(err) || ctx.Err() != nil || r.Patience > 0 && time.Since(begin) > r.Patience {
			r.over(&failing, err)
			return err
		}
		r.trouble(&failing, err)
		wait(ctx, nil, max(askedToWait(err), pause/2+rand.N(pause))) // not all runners at once
		if ctx.Err() != nil {
			r.over(&failing, err)
			return err
		}
	}
}

// trouble says that something fails and is tried again; failing is the caller's own mark of that.
func (r *run) trouble(failing *bool, err error) {
	r.mu.Lock()
	if !*failing {
		*failing = true
		r.troubles++
	}
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

// over says that the trouble is over, once nothing fails any more. That something is given up is no news of that.
func (r *run) over(failing *bool, err error) {
	if !*failing {
		return
	}
	*failing = false
	r.mu.Lock()
	r.troubles--
	isOver := r.troubles == 0 && !passes(err)
	r.mu.Unlock()
	if isOver {
		r.tell(Back, nil, "the trouble is over")
	}
}

// partingGrace is how long a run that is told twice to stop tries to tell what it knows. The journal has it anyway.
const partingGrace = 5 * time.Second

// lasting returns a context that outlives ctx by the parting grace.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	undo := context.AfterFunc(ctx, func() { time.AfterFunc(partingGrace, cancel) })
	return inner, func() { undo(); cancel() }
}
