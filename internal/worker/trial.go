package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/engine/local"
)

// try evaluates one trial. What came of it is in the journal before it is told, and is told before try returns, unless the
// worker is to end and the server does not answer.
func (w *worker) try(ctx context.Context, e *entry, l api.Lease) {
	e.Trial = l.Number
	c, err := w.command(e, l)
	if err != nil {
		w.giveBack(ctx, e, l)
		w.fail(err)
		return
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := &signs{w: w, e: e, lease: l, stop: stop}
	if c.Limit > 0 {
		s.limit, c.Extend = c.Limit, s.extend
	}
	// Only what this trial leaves may be found in its folder once the journal says that it runs.
	prepared, err := local.Prepare(c)
	if err == nil {
		e.Began = time.Now()
		if err = e.write(); err != nil {
			err = fmt.Errorf("the journal cannot be written: %w", err)
		}
	}
	if err != nil {
		w.giveBack(ctx, e, l)
		w.fail(err)
		return
	}
	w.start(l)
	beating, rest := context.WithCancel(context.WithoutCancel(ctx)) // also while the command is being stopped
	var hearts sync.WaitGroup
	hearts.Go(func() { s.beat(beating) })
	hearts.Go(func() { s.touch(beating) })
	out, err := prepared.Run(running)
	o, problem := outcomeOf(ctx, running, out, err)
	e.Outcome = &o
	if err := e.write(); err != nil {
		w.tell(Trouble, brief(l.Trial), fmt.Sprintf("the journal cannot be written (%v): trial %d ended as %s with value %v, which is lost if this worker dies before the server knows",
			err, l.Number, o.State, o.Value))
	}
	rest()
	hearts.Wait()
	t, told := w.settle(ctx, e)
	w.leave(l.Number, o)
	if told {
		w.tell(Ended, brief(t), "")
	}
	if problem != nil {
		w.fail(problem)
	}
}

func (w *worker) start(l api.Lease) {
	w.mu.Lock()
	w.running[l.Number] = true
	w.mu.Unlock()
	w.tell(Started, brief(l.Trial), "")
}
