package runner

import (
	"context"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
)

// end notes why the run ends; the first reason counts. Nothing is begun after.
func (r *run) end(s Summary, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sum.Code != "" || r.err != nil {
		return
	}
	r.sum, r.err = s, err
	close(r.quit)
}

func (r *run) fail(err error) { r.end(Summary{}, err) }

func (r *run) isEnding() bool {
	select {
	case <-r.quit:
		return true
	default:
		return false
	}
}

// summary closes the run.
func (r *run) summary(ctx context.Context, err error) (Summary, error) {
	r.mu.Lock()
	s := r.sum
	s.Trials, s.Unsent, s.Study = r.ended, r.unsent, r.shown.Load()
	if r.err != nil {
		err = r.err
	}
	// An error that nobody noted is what being stopped came to.
	stopped := r.err == nil && (ctx.Err() != nil || isClosed(r.Stop))
	r.mu.Unlock()
	if err != nil && !stopped {
		return s, err
	}
	if s.Study != nil {
		s.Record, _ = r.Source.Record(context.WithoutCancel(ctx))
	}
	if s.Code == "" && r.Once && !stopped {
		s.Text = say.Count(r.parked, "trial") + " under way; run it again to go on"
		r.tell(Stopped, nil, s.Text)
		return s, nil
	}
	if s.Code == "" {
		s.Code, s.Text = fault.Interrupted, "stopped; run it again to go on"
	}
	r.tell(Stopped, nil, s.Text)
	return s, nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// untilStopped returns a context that ends with ctx, when a stop is asked for, and when there is a reason to end.
func (r *run) untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(ctx)
	if isClosed(r.Stop) || r.isEnding() { // at once, not when the goroutine gets its turn
		cancel()
	}
	go func() {
		select {
		case <-inner.Done():
		case <-r.Stop:
		case <-r.quit:
		}
		cancel()
	}()
	return inner, cancel
}

// wait waits until ctx ends, something changes, or for so long.
func wait(ctx context.Context, change <-chan struct{}, most time.Duration) {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-ctx.Done():
	case <-change:
	case <-late.C:
	}
}
