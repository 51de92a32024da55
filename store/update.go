package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Follower keeps the record of a study up to date by reading only what is new in its log. Many goroutines may use it at once.
//
// It follows one log, whatever happens to the study's name. If the study is renamed, it goes on. If the study is deleted, it returns
// ErrNotFound, even if there is another of that name. If the log was restored from a backup, it returns ErrReplaced.
type Follower struct {
	store  Store
	mu     sync.Mutex
	name   string        // that it was last known by
	record *study.Record // never changed once it is here: an advance replaces it
	header Header
	away   error // the last error from a store that could not be reached; told is when
	told   time.Time
}

// Follow returns a follower of the study of that name.
func Follow(s Store, name string) *Follower { return &Follower{store: s, name: name} }

// Record returns the study as it stands. The record is shared and must not be changed.
//
// It takes a while to find out that a store cannot be reached. All who waited in the meantime get the same error, instead of
// finding it out one after the other.
func (f *Follower) Record(ctx context.Context) (*study.Record, Header, error) {
	came := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.told.After(came) {
		return nil, Header{}, f.away
	}
	r, h, err := f.advance(ctx)
	if errors.Is(err, ErrAway) || errors.Is(err, ErrBusy) {
		f.away, f.told = err, time.Now()
	}
	return r, h, err
}

// advance reads what is new.
func (f *Follower) advance(ctx context.Context) (*study.Record, Header, error) {
	if f.record == nil {
		r, h, err := Load(ctx, f.store, f.name)
		if err != nil {
			return nil, Header{}, err
		}
		f.record, f.header = r, h
		return r, h, nil
	}
	h, news, err := f.news(ctx)
	if err != nil {
		return nil, Header{}, err
	}
	if f.record.Version > 0 { // the event that was the last is read again, to see that it is the same
		if len(news) == 0 || news[0].Digest != f.record.Digest {
			return nil, Header{}, fault.Errorf("", "study %q: %w: it does not have event %d as it was", f.name, ErrReplaced, f.record.Version)
		}
		news = news[1:]
	}
	if len(news) > 0 {
		next := f.record.Clone()
		if err := fold(next, f.name, news); err != nil {
			return nil, Header{}, err
		}
		f.record = next
	}
	f.header = h
	return f.record, f.header, nil
}

// news reads the last event that is known, and what follows. A study that has lost its name is looked for by its identity.
func (f *Follower) news(ctx context.Context) (Header, []study.Event, error) {
	from := max(f.record.Version-1, 0)
	h, news, err := f.store.Read(ctx, f.name, from)
	if err == nil && h.ID == f.header.ID || err != nil && !errors.Is(err, ErrNotFound) {
		return h, news, err
	}
	heads, err := f.store.Heads(ctx)
	if err != nil {
		return h, nil, err
	}
	for _, head := range heads {
		if head.ID != f.header.ID {
			continue
		}
		if h, news, err = f.store.Read(ctx, head.Name, from); err == nil && h.ID == head.ID {
			f.name = head.Name
			return h, news, nil
		}
	}
	return h, nil, fault.Errorf("", "study %q: %w: it was deleted", f.name, ErrNotFound)
}

// attempts bounds how often Update starts over. Of n writers that collide one always succeeds, so it takes about n attempts
// when deciding is slow. This is enough for some dozens of runners of one study.
const attempts = 100

// Update lets decide choose events, given the record as it stands. It numbers the events, checks them against the laws of
// [study.Record] and appends them. If somebody else has appended in between, it calls decide again with the newer record. So
// decide should have no side effects; it must not change the record. Update returns the record with the new events. If decide
// returns an error, or an event breaks a law, Update returns that error and appends nothing.
func (f *Follower) Update(ctx context.Context, decide func(*study.Record, Header) ([]study.Event, error)) (*study.Record, error) {
	var h Header
	for attempt := range attempts {
		now, header, err := f.Record(ctx)
		if err != nil {
			return nil, err
		}
		h = header
		next, err := f.try(ctx, now, h, decide)
		if !errors.Is(err, ErrConflict) {
			return next, err
		}
		if err := pause(ctx, attempt); err != nil {
			return nil, err
		}
	}
	return nil, fault.Errorf("use fewer runners at once, or try again", "study %q: %w, %d times in a row", h.Name, ErrConflict, attempts)
}

func (f *Follower) try(ctx context.Context, now *study.Record, h Header,
	decide func(*study.Record, Header) ([]study.Event, error)) (*study.Record, error) {
	next := now.Clone()
	chosen, err := decide(next, h)
	if err != nil {
		return nil, err
	}
	if next.Version != now.Version {
		return nil, fault.New(fault.Internal, "", "study %q: the decision changed the record that it was given", h.Name)
	}
	events := make([]study.Event, len(chosen))
	for i, e := range chosen {
		e.Seq, e.Before = now.Version+1+int64(i), next.Digest
		body, err := Encode(h.Name, e.Seq-1, []study.Event{e})
		if err != nil {
			return nil, err
		}
		e.Digest = Digest(body[0])
		if err := next.Try(e); err != nil {
			return nil, err
		}
		events[i] = e
	}
	if len(events) == 0 {
		return next, nil
	}
	switch err := f.store.Append(ctx, h.Name, now.Version, events...); {
	case errors.Is(err, ErrNotFound): // it was renamed or deleted meanwhile
		return nil, Conflict(h.Name, now.Version, 0)
	case err != nil:
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.record.Version < next.Version {
		f.record = next
	}
	return next, nil
}

// pause waits for a random time. Its mean doubles with every attempt, from one millisecond, which is about what an append takes,
// to 32, which is enough to separate many writers. A fixed wait would let them collide again.
func pause(ctx context.Context, attempt int) error {
	longest := 2 * time.Millisecond << min(attempt, 5)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(longest)):
		return nil
	}
}

// Load reads the log of a study and returns what it adds up to. It returns ErrDamaged if the log breaks a law of
// [study.Record], and ErrNewer if it has an event of an unknown kind.
func Load(ctx context.Context, s Store, name string) (*study.Record, Header, error) {
	h, events, err := s.Read(ctx, name, 0)
	if err != nil {
		return nil, Header{}, err
	}
	r := study.NewRecord(h.Total, h.Measured)
	r.Digest = h.ID
	limits, err := study.LimitsOf(h.Definition)
	if err != nil {
		return nil, Header{}, fault.Errorf("", "study %q: %w: its limits cannot be read: %w", name, ErrDamaged, err)
	}
	r.Judge(limits)
	if err := fold(r, name, events); err != nil {
		return nil, Header{}, err
	}
	return r, h, nil
}

func fold(r *study.Record, name string, events []study.Event) error {
	for _, e := range events {
		err := r.Apply(e)
		if errors.Is(err, study.ErrUnknownKind) {
			return fault.Errorf("", "study %q: %w: %w", name, ErrNewer, err)
		}
		if err != nil {
			return fault.Errorf("", "study %q: %w: %w", name, ErrDamaged, err)
		}
	}
	return nil
}
