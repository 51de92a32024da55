package worker

import (
	"context"
	"fmt"
	"strings"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// settle tells the server an outcome of the journal, and says whether that is done. What the server will never take is kept
// beside the journal.
func (w *worker) settle(ctx context.Context, e *entry) (t api.Trial, told bool) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	broken := 0
	err := w.insist(ctx, func() (err error) {
		t, err = w.send(ctx, e)
		if fault.CodeOf(err) == fault.Internal {
			if broken++; broken > patience {
				err = fault.Wrap(err, fault.CannotRun, "", "%v", err)
			}
		}
		return err
	})
	switch {
	case err == nil:
		e.done()
		return t, true
	case fault.CodeOf(err) == fault.Conflict && e.Outcome.State == study.Abandoned: // the server was faster, and knows as much
		e.done()
	case w.isFinal(err):
		w.tell(Refused, nil, fmt.Sprintf("what came of trial %d (%s, value %v) is not taken: %v; it is kept in %s", e.Trial, e.Outcome.State, e.Outcome.Value, err, e.refuse()))
	default:
		w.mu.Lock()
		w.unsent++
		w.mu.Unlock()
		w.tell(Trouble, nil, fmt.Sprintf("what came of trial %d is kept in %s, and told when a worker is started there again: %v", e.Trial, e.path(), err))
		if !w.passes(err) {
			w.fail(err)
		}
	}
	return t, false
}

// isFinal says whether the server itself has refused an outcome, for good. Whoever may not tell it now may be allowed to later, and
// a certificate that is not trusted says nothing of the outcome.
func (w *worker) isFinal(err error) bool {
	code := fault.CodeOf(err)
	return !w.passes(err) && code != fault.Unauthenticated && code != fault.Forbidden && code != fault.Interrupted
}

// send tells the server the outcome of a journal's entry.
func (w *worker) send(ctx context.Context, e *entry) (api.Trial, error) {
	o := e.Outcome
	if o.State == study.Done {
		return w.Client.Tell(ctx, w.Study, e.Trial, e.Key, api.TellRequest{Value: o.Value, Cost: o.Cost, Wall: &o.Wall, Note: o.Note})
	}
	return w.Client.Fail(ctx, w.Study, e.Trial, e.Key, api.FailRequest{State: string(o.State), Cost: o.Cost, Wall: &o.Wall, Note: o.Note})
}

// patience is how often the server may fail in a way that it does not explain before an outcome is put aside, so that it does
// not keep a worker from everything else.
const patience = 6

// settleOld tells what workers that died, or could not tell it, have left in the journals.
func (w *worker) settleOld(ctx context.Context) error {
	for _, s := range w.seats {
		list, err := s.entries()
		if err != nil {
			return err
		}
		for _, e := range list {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case e.Trial == 0:
				w.backlog = append(w.backlog, e)
				continue
			case e.Outcome == nil:
				if err := w.recover(e); err != nil {
					return err
				}
			}
			if t, told := w.settle(ctx, e); told {
				w.mu.Lock()
				w.ended++
				w.mu.Unlock()
				w.tell(Recovered, brief(t), "")
			}
			if w.isEnding() {
				return w.err
			}
		}
	}
	return nil
}

func (w *worker) isEnding() bool {
	select {
	case <-w.quit:
		return true
	default:
		return false
	}
}

// recover puts into the journal what became of a trial whose worker died while it ran.
func (w *worker) recover(e *entry) error {
	alive := e.alive() // before anything is written
	if _, err := local.Sweep(e.dir()); err != nil {
		return err
	}
	const died = "its worker died"
	o := outcome{State: study.Abandoned, Wall: alive.Seconds(), Note: died}
	out, found := local.Recover(local.Command{Dir: e.dir(), Objective: w.shown.Objective.Name, WallTime: w.shown.Measured()})
	if found {
		o = outcomeFrom(out, alive)
		o.Note = clip(strings.TrimPrefix(o.Note+"; "+died+", but what it had reported was there", "; "))
	}
	if o.State == study.Done && o.Cost == nil && !w.shown.Measured() {
		o.State, o.Note = study.Failed, fmt.Sprintf("%s; it reported %v, but no cost", o.Note, o.Value)
	}
	e.Outcome = &o
	return e.write()
}
