package local

import (
	"context"
	"os/exec"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

const (
	// settle is how long the others of the group may outlive the leader before they are asked to stop: a
	// tee behind a pipe is about to end by itself.
	settle = 200 * time.Millisecond
	// stuck is how long a killed process may take to go. Only one that waits inside the kernel, for a dead
	// file server say, takes longer than a moment, and that one may take for ever.
	stuck = 10 * time.Second
)

// cause is why a command came to its end.
type cause int

const (
	ended   cause = iota // by itself
	limited              // it reached its limit
	stopped              // the context ended
)

// ending is how a command came to its end.
type ending struct {
	cause   cause
	why     error // of one that was stopped
	exit    study.Exit
	wall    time.Duration
	limit   time.Duration // the last that was granted; 0: none
	left    bool          // the leader ended by itself, and others had to be stopped
	killed  bool          // asking was not enough
	running bool          // killing was not enough either
	guessed bool          // the wall time is an estimate
}

// watch sees a running command to its end. All its times are differences of the monotonic clock, so a
// clock that is set meanwhile changes nothing.
type watch struct {
	clock
	j       *engine.Job
	cmd     *exec.Cmd
	files   files
	outputs []*output
	exited  <-chan struct{} // closed when the leader has exited
	reaped  bool
	limit   time.Duration
}

func (w *watch) run(ctx context.Context) ending {
	asking, over := context.WithCancel(ctx)
	more := &extension{ctx: asking, answers: make(chan time.Duration, 1)}
	defer more.await()
	defer over()

	var e ending
	e.cause = w.running(ctx, more)
	over() // too late: what is granted from here on is not used
	if e.cause == stopped {
		e.why = context.Cause(ctx)
	}
	gone := e.cause == ended && w.gone(w.within(settle))
	if !gone {
		e.left = e.cause == ended
		// At the limit there is what was set aside for the grace, and never more than the limit.
		terminate(w.cmd)
		gone = w.gone(w.within(graceFor(w.j, w.limit)))
	}
	if !gone {
		e.killed = true
		kill(w.cmd)
		gone = w.gone(stuck)
	}
	e.running = !gone
	e.wall, e.limit, e.guessed = w.used(), w.limit, w.guessed
	e.exit.Code = -1
	if w.reaped && w.cmd.ProcessState != nil {
		e.exit = exitOf(w.cmd.ProcessState)
	}
	return e
}

// within cuts a wait short at the limit.
func (w *watch) within(d time.Duration) time.Duration {
	if w.limit <= 0 {
		return d
	}
	return max(0, min(d, w.limit-w.used()))
}

// running waits until the leader exits or the group has to be stopped, and asks for more time before.
func (w *watch) running(ctx context.Context, e *extension) cause {
	ask, term, ticks := newAlarm(), newAlarm(), time.NewTicker(tick)
	defer ask.Stop()
	defer term.Stop()
	defer ticks.Stop()
	asked := false // since the limit was set
	untilTerm := func() time.Duration { return w.limit - graceFor(w.j, w.limit) - w.used() }
	set := func() {
		asked = false
		if w.limit <= 0 {
			return
		}
		term.Reset(untilTerm())
		if w.j.Extend != nil {
			ask.Reset(untilTerm() - leadFor(w.limit))
		}
	}
	request := func() {
		asked = true
		// Whoever is asked late, by a controller that was stopped or kept waiting, has as long to answer.
		term.Reset(max(untilTerm(), leadFor(w.limit)))
		e.ask(w.j.Extend, w.used())
	}
	isGranted := func(limit time.Duration) bool {
		e.pending = false
		if limit <= w.limit {
			return false
		}
		w.limit = limit
		set()
		return true
	}
	set()
	for {
		select {
		case <-w.exited:
			w.isOver()
			return ended
		case <-ctx.Done():
			if w.isOver() {
				return ended
			}
			return stopped
		case <-ticks.C:
			if w.isOver() {
				return ended
			}
			w.seen = time.Now()
			for _, o := range w.outputs {
				o.trim()
			}
		case <-term.C:
			if w.isOver() {
				return ended
			}
			if w.j.Extend != nil && !asked {
				request()
				continue
			}
			select {
			case granted := <-e.answers: // in time: both were there to be seen
				if isGranted(granted) {
					continue
				}
			default:
			}
			return limited
		case <-ask.C:
			if !asked {
				request()
			}
		case granted := <-e.answers:
			isGranted(granted)
		}
	}
}

// isOver reports whether the leader has exited. It is asked before anything else is done about a command: a controller that was stopped,
// or kept waiting by a busy machine, finds all that has happened meanwhile at once, and in no order.
func (w *watch) isOver() bool {
	select {
	case <-w.exited:
	default:
		if !w.wasBlind() || !w.exitsNow() {
			return false
		}
	}
	if w.wasBlind() {
		w.guessEnd(w.files)
	}
	return true
}

// exitsNow waits a moment for the news that the leader has exited: a controller that was stopped may hear of it a little late.
func (w *watch) exitsNow() bool {
	select {
	case <-w.exited:
		return true
	case <-time.After(tick / 5):
		return false
	}
}

// extension is a request for more time. The answer may take long, so it is waited for beside everything else.
type extension struct {
	ctx     context.Context
	answers chan time.Duration // the limit that is granted; 0: none
	pending bool
}

func (e *extension) ask(extend func(context.Context, time.Duration) (time.Duration, bool), used time.Duration) {
	e.pending = true
	go func() {
		limit, ok := extend(e.ctx, used)
		if !ok {
			limit = 0
		}
		e.answers <- limit
	}()
}

// await lets no request outlive the command.
func (e *extension) await() {
	if e.pending {
		<-e.answers
	}
}

// newAlarm returns a timer that is not set.
func newAlarm() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// gone waits until no process of the group is left, and says whether that came to pass.
func (w *watch) gone(within time.Duration) bool {
	late := time.NewTimer(within)
	defer late.Stop()
	if !w.reaped {
		select {
		case <-w.exited:
		default:
			select {
			case <-w.exited:
			case <-late.C:
				return false
			}
		}
		// Until here the leader's number was taken, by itself or by what is left of it, so the signals
		// went to no one else. From here on it is taken as long as the group has members.
		_ = w.cmd.Wait()
		w.reaped = true
	}
	// Nobody tells when a group ends, so it is asked, first often and then less so.
	for pause := time.Millisecond; alive(w.cmd); pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-late.C:
			return false
		case <-time.After(pause):
		}
	}
	return true
}
