package server

import (
	"bytes"
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

// openStudy is a study that the server has open: its broker, and the turns that all requests to it share.
type openStudy struct {
	broker  *broker.Broker
	created time.Time
	initial float64 // the budget that it began with
	asking  turn    // to choose the next trial
	writing turn    // to change the log
	watch   *watch
	insight *kept[*insight.Insight]
	ahead   *forecasts
	refusal *atomic.Pointer[refusal]
	shown   atomic.Pointer[shown]

	definition json.RawMessage // the broker's, if it has changed since the study was created
}

// open returns an open study and its record. The first call opens it.
func (s *Server) open(ctx context.Context, name string) (*openStudy, *study.Record, error) {
	s.mu.Lock()
	o := s.studies[name]
	s.mu.Unlock()
	if o == nil {
		var err error
		if o, err = s.load(ctx, name); err != nil {
			return nil, nil, err
		}
	}
	r, err := o.broker.Record(ctx)
	if err != nil {
		return o, r, err
	}
	created, err := o.broker.Created(ctx)
	if err == nil && (!bytes.Equal(r.Definition, o.definition) || !created.Equal(o.created)) { // eke run has changed it, or it is another of that name
		o, err = s.load(ctx, name)
	}
	return o, r, err
}

// load opens a study, or opens it anew. The new one takes over the turns, which must be the same for all requests.
func (s *Server) load(ctx context.Context, name string) (*openStudy, error) {
	o, _, err := s.read(ctx, name)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.studies[name]; before != nil {
		o.asking, o.writing, o.watch = before.asking, before.writing, before.watch
	}
	s.studies[name] = o
	return o, nil
}

// peek returns a study and its record. One that nobody has open is not kept.
func (s *Server) peek(ctx context.Context, name string) (*openStudy, *study.Record, error) {
	s.mu.Lock()
	_, isOpen := s.studies[name]
	s.mu.Unlock()
	if isOpen {
		return s.open(ctx, name)
	}
	return s.read(ctx, name)
}

func (s *Server) read(ctx context.Context, name string) (*openStudy, *study.Record, error) {
	b, err := broker.Open(ctx, s.store, name)
	if err != nil {
		return nil, nil, err
	}
	created, err := b.Created(ctx)
	if err != nil {
		return nil, nil, err
	}
	initial, err := b.Initial(ctx)
	if err != nil {
		return nil, nil, err
	}
	r, err := b.Record(ctx)
	if err != nil {
		return nil, nil, err
	}
	return &openStudy{broker: b, definition: r.Definition, created: created, initial: initial, asking: newTurn(), writing: newTurn(), watch: newWatch(), insight: &kept[*insight.Insight]{}, ahead: &forecasts{}, refusal: s.refusals.place(name)}, r, nil
}
