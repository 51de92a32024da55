package server

import (
	"context"
	"strings"
	"time"

	"github.com/eke-bo/eke/study"
)

// leasePrefix begins the names of runners that hold leases. Trials of people and of eke run have other names, and are left alone.
const leasePrefix = "lease-"

func isLease(t study.Trial) bool {
	return t.State == study.Running && strings.HasPrefix(t.Runner, leasePrefix)
}

// sign is the last sign of life of a lease, and for how long the server has waited for the next.
//
// The server measures silence with its own clock, from the moment it notices a new sign. So servers that share a store need not agree on the
// time. Only time in which it could have heard a worker counts: after a restart, an outage of the store, or requests of the lease's token
// that it refused, every lease has its full time again.
type sign struct {
	of     time.Time // from the store; zero: there was none yet
	silent time.Duration
}

type lease struct {
	study string
	trial int
}

// sweepEvery is how often leases are checked.
func (s *Server) sweepEvery() time.Duration { return max(s.config.Lease/8, 10*time.Millisecond) }

// sweepForEver ends the leases of workers that have fallen silent.
func (s *Server) sweepForEver(ctx context.Context) {
	signs, last := map[lease]sign{}, time.Now()
	tick := time.NewTicker(s.sweepEvery())
	defer tick.Stop()
	for {
		now := time.Now()
		signs = s.sweep(ctx, signs, now.Sub(last))
		last = now
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweep checks all leases, ends the silent ones, and returns the signs of the others. So much time has passed since the last one; if that is
// more than it should be, the server stood still meanwhile, and heard nobody.
func (s *Server) sweep(ctx context.Context, known map[lease]sign, passed time.Duration) map[lease]sign {
	passed = min(passed, 2*s.sweepEvery())
	unheard := s.unheard.take()
	cards, err := s.look(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("the leases cannot be checked", "error", err)
		}
		return nil // heartbeats could not be stored either: once the store is back, every lease has its full time again
	}
	next := map[lease]sign{}
	for _, c := range cards {
		if !c.leases {
			continue
		}
		o, _, err := s.open(ctx, c.head.Name)
		if err == nil {
			err = s.sweepStudy(ctx, o, known, next, passed, unheard)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Warn("the leases cannot be checked", "study", c.head.Name, "error", err)
		}
	}
	return next
}

func (s *Server) sweepStudy(ctx context.Context, o *openStudy, known, next map[lease]sign, passed time.Duration, unheard map[refused]bool) error {
	name := o.broker.Study().Name
	leases, err := o.broker.Strays(ctx, leasePrefix)
	if err != nil {
		return err
	}
	for _, t := range leases {
		if gone(t.Runner) {
			s.abandon(ctx, o, t.Trial, s.lived(t.Started, t.Seen), "its worker has ended without a word")
			continue
		}
		id := lease{name, t.Number}
		was, seen := known[id]
		if was.silent += passed; !seen || !was.of.Equal(t.Seen) || unheard[refused{token: t.Token}] || unheard[refused{t.Token, id}] {
			was = sign{of: t.Seen}
		}
		if was.silent <= s.config.Lease {
			next[id] = was
			continue
		}
		s.abandon(ctx, o, t.Trial, s.lived(t.Started, t.Seen), "its worker fell silent")
	}
	return nil
}

// lived estimates how long a trial was alive whose worker fell silent. Workers give a sign every third of a lease: the trial has died half
// of that after the last one, on average. Of one that gave none nobody knows whether it ever ran.
func (s *Server) lived(started, seen time.Time) time.Duration {
	if !seen.After(started) {
		return 0
	}
	return seen.Sub(started) + s.config.Lease/6
}

// abandon ends a trial whose worker is gone. It is fine if its result has arrived meanwhile, or another server was faster.
func (s *Server) abandon(ctx context.Context, o *openStudy, t study.Trial, alive time.Duration, note string) {
	name := o.broker.Study().Name
	err := o.write(ctx, func(ctx context.Context) error {
		r, err := o.broker.Record(ctx)
		if err != nil {
			return err
		}
		f := study.Finished{State: study.Abandoned, Wall: alive.Seconds(), Note: note}
		return o.broker.Finish(ctx, t.Number, o.broker.Charge(r, t.Number, f))
	})
	if err != nil {
		s.log.Debug("somebody else ended a silent lease", "study", name, "trial", t.Number, "error", err)
		return
	}
	s.metrics.silent(o)
	s.log.Info("lease ended", "study", name, "trial", t.Number, "runner", t.Runner, "alive", alive)
}
