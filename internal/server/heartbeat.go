package server

import (
	"context"
	"math"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/study"
)

type heartbeatInput struct {
	OfTrial
	Body api.HeartbeatRequest
}

func (s *Server) heartbeat(ctx context.Context, in *heartbeatInput, o *openStudy, r *study.Record) (b api.Beat, err error) {
	t, err := s.ownTrial(ctx, o, r, in.OfTrial)
	if err != nil {
		return b, err
	}
	b = api.Beat{Stop: true, LeaseSeconds: s.config.Lease.Seconds()}
	if t.Runner != leasePrefix+in.Body.Worker || t.State != study.Running {
		return b, nil
	}
	if err := o.broker.Touch(ctx, t.Number); err != nil {
		return b, err
	}
	if t, err = o.noteQueue(ctx, t, in.Body.Queued); err != nil {
		return b, err
	}
	elapsed := time.Since(t.Started).Seconds()
	if t.Queued != "" {
		elapsed = 0
	}
	if t, err = s.extend(ctx, o, t, elapsed); err != nil {
		return b, err
	}
	defined := o.broker.Study()
	b.Reserved, b.Limit = t.Reserved, limitOf(defined, t)
	b.Stop = t.State != study.Running || t.Stopping || (b.Limit != nil && elapsed >= *b.Limit)
	return b, nil
}

// noteQueue puts on record why a trial waits, or that it waits no more.
func (o *openStudy) noteQueue(ctx context.Context, t study.Trial, reason string) (study.Trial, error) {
	if t.Queued == reason {
		return t, nil
	}
	if err := o.write(ctx, func(ctx context.Context) error { return o.broker.Queue(ctx, t.Number, reason) }); err != nil {
		return t, err
	}
	r, err := o.broker.Record(ctx)
	if err != nil {
		return t, err
	}
	return r.Trial(t.Number)
}

// limitOf is how many seconds a trial may run; nil: there is no limit.
func limitOf(defined *study.Study, t study.Trial) *float64 {
	limit := defined.Limit(t)
	if math.IsInf(limit, 1) {
		return nil
	}
	return &limit
}

// extend gives a trial more money if the next heartbeat might be too late for that.
func (s *Server) extend(ctx context.Context, o *openStudy, t study.Trial, elapsed float64) (study.Trial, error) {
	margin := s.config.Lease.Seconds() / 3
	r, err := o.broker.Record(ctx)
	if err != nil || o.broker.Study().Extension(r, t, elapsed, margin) <= t.Reserved {
		return t, err // as for most heartbeats, which need not wait for their turn to write
	}
	err = o.write(ctx, func(ctx context.Context) error {
		t, err = o.broker.Extend(ctx, t.Number, elapsed, margin)
		return err
	})
	return t, err
}
