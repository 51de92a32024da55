package server

import (
	"context"
	"math"
	"time"

	"github.com/eke-bo/eke/study"
)

type heartbeatInput struct {
	OfTrial
	Body struct {
		Worker string `json:"worker" pattern:"^[A-Za-z0-9_.:@/+-]{1,100}$" doc:"The worker's name"`
	}
}

// Beat is the answer to a heartbeat.
type Beat struct {
	Reserved     float64  `json:"reserved" doc:"Money held for the trial now"`
	Stop         bool     `json:"stop" doc:"The trial is not this worker's any more, or has reached a limit"`
	LeaseSeconds float64  `json:"lease_seconds"`
	Limit        *float64 `json:"limit" doc:"Wall seconds since its start that it may take now; null: no limit"`
}

func (s *Server) heartbeat(ctx context.Context, in *heartbeatInput) (*body[Beat], error) {
	at, r, err := s.open(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	t, err := trialOf(r, in.Number)
	if err != nil {
		return nil, err
	}
	b := Beat{Stop: true, LeaseSeconds: s.config.Lease.Seconds()}
	if t.Runner != leasePrefix+in.Body.Worker || t.State != study.Running {
		return answer(b)
	}
	if err := at.broker.Touch(ctx, t.Number); err != nil {
		return nil, err
	}
	elapsed := time.Since(t.Started).Seconds()
	if t, err = s.extend(ctx, at, t, elapsed); err != nil {
		return nil, err
	}
	defined := at.broker.Study()
	b.Reserved, b.Limit = t.Reserved, limitOf(defined, t.Reserved)
	b.Stop = t.State != study.Running || (b.Limit != nil && elapsed >= *b.Limit)
	return answer(b)
}

// limitOf is how many seconds a trial may take that has so much reserved; nil: as many as it likes.
func limitOf(defined *study.Study, reserved float64) *float64 {
	limit := defined.Limit(reserved)
	if math.IsInf(limit, 1) {
		return nil
	}
	return &limit
}

// extend gives a trial more money if the next heartbeat might be too late for that.
func (s *Server) extend(ctx context.Context, at *seat, t study.Trial, elapsed float64) (study.Trial, error) {
	margin := s.config.Lease.Seconds() / 3
	r, err := at.broker.Record(ctx)
	if err != nil || at.broker.Study().Extension(r.Ledger, t.Reserved, elapsed, margin) <= t.Reserved {
		return t, err // most heartbeats: nobody need wait for his turn to write
	}
	err = at.write(ctx, func(ctx context.Context) error {
		t, err = at.broker.Extend(ctx, t.Number, elapsed, margin)
		return err
	})
	return t, err
}
