package server

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

// seat is a study at hand.
type seat struct {
	broker  *broker.Broker
	created time.Time
	asking  turn // whoever thinks of the next trial
	writing turn // whoever changes the log next
	watch   *watch
	insight *insights

	definition json.RawMessage // that the desk goes by, if it has changed since the study was created
}

// seat returns a study's, and makes it at the first call.
func (s *Server) seat(ctx context.Context, name string) (*seat, error) {
	at, _, err := s.read(ctx, name)
	return at, err
}

// read returns a study's seat and the study as it stands.
func (s *Server) read(ctx context.Context, name string) (*seat, *study.Record, error) {
	s.mu.Lock()
	at := s.seats[name]
	s.mu.Unlock()
	if at == nil {
		header, _, err := s.store.Read(ctx, name, math.MaxInt64)
		if err != nil {
			return nil, nil, err
		}
		if at, err = s.sit(ctx, name, header.Created); err != nil {
			return nil, nil, err
		}
	}
	r, err := at.broker.Record(ctx)
	if err == nil && !bytes.Equal(r.Definition, at.definition) { // eke run was given a file that says otherwise
		at, err = s.sit(ctx, name, at.created)
	}
	return at, r, err
}

// sit opens a study. Whoever had it open before shares the turns, which must be the same for all.
func (s *Server) sit(ctx context.Context, name string, created time.Time) (*seat, error) {
	d, err := broker.Open(ctx, s.store, name)
	if err != nil {
		return nil, err
	}
	r, err := d.Record(ctx)
	if err != nil {
		return nil, err
	}
	made := &seat{broker: d, definition: r.Definition, created: created, asking: newTurn(), writing: newTurn(), watch: newWatch(), insight: &insights{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.seats[name]; known != nil {
		made.asking, made.writing, made.watch = known.asking, known.writing, known.watch
	}
	s.seats[name] = made
	return made, nil
}

// open is read, for those who answer requests.
func (s *Server) open(ctx context.Context, name string) (*seat, *study.Record, error) {
	at, r, err := s.read(ctx, name)
	if err != nil {
		return nil, nil, s.explain(err)
	}
	return at, r, nil
}

// trialOf returns one of a study's trials.
func trialOf(r *study.Record, number int) (study.Trial, error) {
	if number < 1 || number > len(r.Trials) {
		return study.Trial{}, problem(http.StatusNotFound, NotFound, "there is no trial %d; the last is %d", number, len(r.Trials))
	}
	return r.Trials[number-1], nil
}
