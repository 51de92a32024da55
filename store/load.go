package store

import (
	"context"
	"slices"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Load reads the log of a study and returns what it adds up to. It returns ErrDamaged if the log breaks a law of
// [study.Record].
func Load(ctx context.Context, s Store, name string) (*study.Record, Header, error) {
	h, events, err := s.Read(ctx, name, 0)
	if err != nil {
		return nil, Header{}, err
	}
	r := study.NewRecord(h.Total, h.Measured)
	if err := fold(r, name, events); err != nil {
		return nil, Header{}, err
	}
	return r, h, nil
}

func fold(r *study.Record, name string, events []study.Event) error {
	for _, e := range events {
		if err := r.Apply(e); err != nil {
			return fault.Errorf("", "study %q: %w: %w", name, ErrDamaged, err)
		}
	}
	return nil
}

// clone returns a record that can be changed without changing the original. Apply replaces what a trial points to and never
// writes through the pointer, so copying the trials is enough.
func clone(r *study.Record) *study.Record {
	c := *r
	c.Trials, c.Known = slices.Clone(r.Trials), slices.Clone(r.Known)
	return &c
}
