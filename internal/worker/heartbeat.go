package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/study"
)

// touching is how often the journal's file of a running trial gets a new time: a worker that dies loses sight of its trials
// for no longer.
const touching = time.Second

// signs are a running trial's signs of life.
type signs struct {
	w     *worker
	e     *entry
	lease api.Lease
	limit time.Duration // the last that was granted; extend's own
	stop  context.CancelCauseFunc
}

func (s *signs) interval() time.Duration {
	return max(seconds(s.lease.LeaseSeconds)/3, 20*time.Millisecond)
}

// touch says on disk that the trial is alive.
func (s *signs) touch(ctx context.Context) {
	for ctx.Err() == nil {
		s.e.touch()
		wait(ctx, nil, touching)
	}
}

// beat says to the server that the trial is alive, and stops it when the server says so.
//
// A server that cannot be reached stops nothing: within its limits the trial goes on, and a lease that is lost meanwhile
// does not make its result worth less.
func (s *signs) beat(ctx context.Context) {
	heard := time.Now().Round(0) // without the monotonic clock, which stands still while a machine sleeps
	pause := s.interval()
	for {
		wait(ctx, nil, pause)
		if ctx.Err() != nil {
			return
		}
		b, err := s.w.Client.Heartbeat(ctx, s.interval(), s.w.Study, s.e.seat.Worker, s.lease.Number)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.w.unreached(err)
			pause = s.interval() / 4
			continue
		}
		s.w.reached()
		pause = s.interval()
		if b.Stop {
			s.stopped(ctx, time.Since(heard))
			return
		}
		heard = time.Now().Round(0)
	}
}

// stopped finds out why the server said stop, after it had heard nothing for a while.
func (s *signs) stopped(ctx context.Context, silence time.Duration) {
	t := s.lease.Trial
	err := s.w.insist(ctx, func() (err error) {
		t, err = s.w.Client.Trial(ctx, s.w.Study, s.lease.Number)
		return err
	})
	switch {
	case err != nil && ctx.Err() != nil:
	case err == nil && t.State == study.Running:
		s.stop(errLimit)
	case err == nil && t.State == study.Abandoned && silence >= seconds(s.lease.LeaseSeconds):
		s.w.tell(Late, brief(s.lease.Trial), fmt.Sprintf("the server heard nothing of it for %v and has abandoned it; it goes on, and its result will be told",
			silence.Round(time.Second)))
	default:
		s.stop(errTaken)
	}
}

// extend asks for more time by heartbeats, until there is more or the command's time is over. One is not enough: the server
// reserves more only when it is needed soon, and may have it only when another trial has ended.
func (s *signs) extend(ctx context.Context, _ time.Duration) (time.Duration, bool) {
	for ctx.Err() == nil {
		b, err := s.w.Client.Heartbeat(ctx, s.interval(), s.w.Study, s.e.seat.Worker, s.lease.Number)
		if err == nil && b.Stop {
			return 0, false // the next beat finds out why
		}
		if err == nil && b.Limit == nil {
			s.limit = seconds(1e9)
			return s.limit, true
		}
		if err == nil && seconds(*b.Limit) > s.limit {
			s.limit = seconds(*b.Limit)
			return s.limit, true
		}
		wait(ctx, nil, min(250*time.Millisecond, max(s.limit/50, 5*time.Millisecond)))
	}
	return 0, false
}
