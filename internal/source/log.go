package source

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/eke-bo/eke/study"
)

// log follows a study's log on a server: every read fetches what has happened since the last.
type log struct {
	mu     sync.Mutex
	record *study.Record
	failed time.Time // when the last attempt failed, and why
	err    error
}

// How long a read may keep others waiting, and how long nobody tries again after one has failed: whoever watches would rather see
// an old state of affairs than none.
const (
	logWithin = 3 * time.Second
	logPause  = 5 * time.Second
)

// Record returns the study as it stands or, if the server does not answer, as it last stood.
func (s *Server) Record(ctx context.Context) (*study.Record, error) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if time.Since(s.log.failed) >= logPause {
		ctx, cancel := context.WithTimeout(ctx, logWithin)
		defer cancel()
		var next *study.Record
		if next, s.log.err = s.follow(ctx); next != nil {
			s.log.record = next
		}
		if s.log.err != nil {
			s.log.failed = time.Now()
		}
	}
	if s.log.record != nil {
		return s.log.record, nil
	}
	return nil, s.passing(s.log.err)
}

// follow applies what has happened to a copy of the record: others may still look at the old one.
func (s *Server) follow(ctx context.Context) (*study.Record, error) {
	var next study.Record
	if s.log.record != nil {
		next = *s.log.record.Clone()
	} else {
		v, err := s.Client.Study(ctx, s.place())
		if err != nil {
			return nil, s.passing(err)
		}
		// A server that does not say what the study began with cannot have changed it in its definition.
		next = *study.NewRecord(cmp.Or(v.Initial, v.Definition.Budget.Total), v.Definition.Measured())
		next.Judge(v.Definition.Limits) // if they were changed, an event says so
	}
	for {
		events, err := s.Client.Log(ctx, s.place(), next.Version)
		if err != nil && next.Version == 0 { // what nobody has read is not nothing
			return nil, err
		}
		if err != nil {
			return &next, err
		}
		if len(events) == 0 {
			return &next, nil
		}
		for _, e := range events {
			if err := next.Apply(e); err != nil {
				return nil, err
			}
		}
	}
}
