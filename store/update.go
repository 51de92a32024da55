package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/eke-bo/eke/study"
)

// attempts bounds how often Update decides anew. Of n writers who collide one always gets through, so it takes
// about n attempts when deciding is slow: this is enough for some dozens of runners of one study.
const attempts = 100

// Update lets decide choose events from the record as it is now, numbers them, checks them against the law and
// appends them. If somebody else appended meanwhile, decide is called again with the newer record; it should
// have no effects of its own, and must not change the record. Update returns the record with the new events applied. An
// error of decide's, or of the law's, is returned as it is and nothing is appended.
func Update(ctx context.Context, s Store, name string,
	decide func(*study.Record, Header) ([]study.Event, error)) (*study.Record, error) {
	now, h, err := Load(ctx, s, name)
	if err != nil {
		return nil, err
	}
	for attempt := range attempts {
		next, err := try(ctx, s, now, h, decide)
		if !errors.Is(err, ErrConflict) {
			return next, err
		}
		if err := pause(ctx, attempt); err != nil {
			return nil, err
		}
		_, news, err := s.Read(ctx, name, now.Version)
		if err != nil {
			return nil, err
		}
		if err := fold(now, name, news); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("store: study %q: %w %d times in a row; fewer runners at once, or try again", name, ErrConflict, attempts)
}

func try(ctx context.Context, s Store, now *study.Record, h Header,
	decide func(*study.Record, Header) ([]study.Event, error)) (*study.Record, error) {
	next := clone(now)
	chosen, err := decide(next, h)
	if err != nil {
		return nil, err
	}
	if next.Version != now.Version {
		return nil, fmt.Errorf("store: study %q: the decision changed the record it was shown", h.Name)
	}
	events := make([]study.Event, len(chosen))
	for i, e := range chosen {
		e.Seq = now.Version + 1 + int64(i)
		if err := next.Apply(e); err != nil {
			return nil, err
		}
		events[i] = e
	}
	if len(events) == 0 {
		return next, nil
	}
	if err := s.Append(ctx, h.Name, now.Version, events...); err != nil {
		return nil, err
	}
	return next, nil
}

// pause waits for a random time whose mean doubles with every attempt, from one millisecond to 32: about
// what an append takes, and long enough to part many writers. A random wait keeps them from colliding in step.
func pause(ctx context.Context, attempt int) error {
	longest := 2 * time.Millisecond << min(attempt, 5)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(longest)):
		return nil
	}
}
