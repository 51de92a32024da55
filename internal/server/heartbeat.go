package server

import (
	"context"
	"errors"
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
	limit := math.Inf(1)
	if defined.Measured() {
		limit = reserved
		if most := defined.Budget.PerTrial; most > 0 {
			limit = math.Min(limit, most)
		}
	}
	if most := defined.Budget.Timeout; most > 0 {
		limit = math.Min(limit, most.Seconds())
	}
	if math.IsInf(limit, 1) {
		return nil
	}
	return &limit
}

// extend gives a trial whose cost is wall time more of it, if it will soon need more, and if there is more. Reservations
// double, as those of eke run do.
func (s *Server) extend(ctx context.Context, at *seat, t study.Trial, elapsed float64) (study.Trial, error) {
	defined := at.broker.Study()
	if !defined.Measured() || !s.isNear(defined, t.Reserved, elapsed) {
		return t, nil
	}
	err := at.write(ctx, func(ctx context.Context) error {
		r, err := at.broker.Record(ctx)
		if err != nil {
			return err
		}
		t = r.Trials[t.Number-1]
		want := t.Reserved
		most := t.Reserved + r.Ledger.Left()
		if limit := defined.Budget.PerTrial; limit > 0 {
			most = math.Min(most, limit)
		}
		if limit := defined.Budget.Timeout.Seconds(); limit > 0 {
			most = math.Min(most, math.Max(limit, t.Reserved))
		}
		for want > 0 && want < most && s.isNear(defined, want, elapsed) {
			want = math.Min(2*want, most)
		}
		if want <= t.Reserved || t.State != study.Running {
			return nil
		}
		return at.broker.Extend(ctx, t.Number, want)
	})
	switch {
	case errors.Is(err, study.ErrUnaffordable): // others were faster; the next heartbeat tries again
		err = nil
	case err != nil:
		return t, err
	}
	r, err := at.broker.Record(ctx)
	if err != nil {
		return t, err
	}
	return r.Trials[t.Number-1], nil
}

// isNear says whether a trial comes so near its limit that the next heartbeat might be too late.
func (s *Server) isNear(defined *study.Study, reserved, elapsed float64) bool {
	limit := limitOf(defined, reserved)
	return limit != nil && *limit-elapsed < math.Min(s.config.Lease.Seconds()/3, *limit/2)
}
