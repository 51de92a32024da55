package worker

import (
	"context"
	"time"
)

// partingGrace is how long a worker that is told twice to stop tries to tell what it knows. The journal has it anyway.
const partingGrace = 5 * time.Second

// watchStops says that a stop was heard, for it may take long to come about.
func (w *worker) watchStops(ctx, watching context.Context) {
	stop := w.Stop
	for {
		select {
		case <-watching.Done():
			return
		case <-stop:
			stop = nil
			w.tell(Stopping, nil, "")
		case <-ctx.Done():
			w.tell(Cutting, nil, "")
			return
		}
	}
}

// end notes why the worker ends; the first reason counts. Nothing is begun after.
func (w *worker) end(s Summary, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sum.Reason != "" || w.err != nil {
		return
	}
	w.sum, w.err = s, err
	close(w.quit)
}

func (w *worker) fail(err error) { w.end(Summary{}, err) }

func (w *worker) summary(ctx context.Context, err error) (Summary, error) {
	w.mu.Lock()
	s := w.sum
	s.Trials, s.Unsent = w.ended, w.unsent
	if w.err != nil {
		err = w.err
	}
	w.mu.Unlock()
	if err != nil && !w.isStopped(ctx) {
		return s, err
	}
	if s.Reason == "" {
		s.Reason, s.Text = Asked, "stopped; start it again to go on"
	}
	w.tell(Stopped, nil, s.Text)
	return s, nil
}

// isStopped says whether somebody asked the worker to end. An error is then what that came to, unless it has been noted.
func (w *worker) isStopped(ctx context.Context) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.Stop:
	default:
		if ctx.Err() == nil {
			return false
		}
	}
	return w.err == nil
}

// untilStopped returns a context that ends with ctx, when a stop is asked for, and when there is a reason to end.
func (w *worker) untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(ctx)
	select { // at once, not when the goroutine gets its turn
	case <-w.Stop:
		cancel()
	case <-w.quit:
		cancel()
	default:
	}
	go func() {
		select {
		case <-inner.Done():
		case <-w.Stop:
		case <-w.quit:
		}
		cancel()
	}()
	return inner, cancel
}

// lasting returns a context that outlives ctx by the parting grace.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	undo := context.AfterFunc(ctx, func() { time.AfterFunc(partingGrace, cancel) })
	return inner, func() { undo(); cancel() }
}
