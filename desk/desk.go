// Package desk is where trials are asked for and told, over a store: it brings the thinking of the hall and the
// log of a store together, and keeps the ledger's law while several processes work on one study.
//
// Every change is one append to the log, made against the version it was decided on. When another process was
// faster, the decision is taken anew on the newer log. So no two trials are the same, and no
// money is reserved twice, without any process ever holding a lock while it thinks.
package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Desk is one study in a store.
type Desk struct {
	store   store.Store
	study   *study.Study
	thinker *eke.Thinker
	now     func() time.Time
}

// Create puts a new study into the store.
func Create(ctx context.Context, st store.Store, s *study.Study) (*Desk, error) {
	d, err := newDesk(st, s)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return d, st.Create(ctx, store.Header{
		Name: s.Name, Definition: raw, Created: d.now(), Total: s.Budget.Total, Measured: s.Measured(),
	})
}

// Open returns the desk of a study in the store.
func Open(ctx context.Context, st store.Store, name string) (*Desk, error) {
	header, _, err := st.Read(ctx, name, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	s := &study.Study{}
	if err := json.Unmarshal(header.Definition, s); err != nil {
		return nil, fmt.Errorf("desk: the definition of study %q cannot be read: %w", name, err)
	}
	return newDesk(st, s)
}

func newDesk(st store.Store, s *study.Study) (*Desk, error) {
	t, err := eke.NewThinker(s)
	return &Desk{store: st, study: s, thinker: t, now: time.Now}, err
}

// Study returns the study's definition, as it was when it was put into the store.
func (d *Desk) Study() *study.Study { return d.study }

// Record returns the study as it stands.
func (d *Desk) Record(ctx context.Context) (*study.Record, error) {
	r, _, err := store.Load(ctx, d.store, d.study.Name)
	return r, err
}

// Ask hands out the next trial and reserves money for it.
func (d *Desk) Ask(ctx context.Context) (study.Trial, error) {
	r, err := d.update(ctx, func(r *study.Record) (study.Event, error) {
		begin := d.now()
		asked, err := d.thinker.Next(ctx, r)
		if err != nil {
			return study.Event{}, err
		}
		asked.Thinking = d.now().Sub(begin).Seconds()
		return study.Event{Kind: study.EventAsked, Trial: len(r.Trials) + 1, Asked: &asked}, nil
	})
	if err != nil {
		return study.Trial{}, err
	}
	return r.Trials[len(r.Trials)-1], nil
}

// Start says that a trial's evaluation begins, and who runs it.
func (d *Desk) Start(ctx context.Context, trial int, runner string) error {
	return d.append(ctx, study.Event{Kind: study.EventStarted, Trial: trial, Runner: runner})
}

// Extend raises a trial's reservation, if the budget covers that.
func (d *Desk) Extend(ctx context.Context, trial int, reserved float64) error {
	return d.append(ctx, study.Event{Kind: study.EventExtended, Trial: trial, Reserved: reserved})
}

// Finish ends a trial and charges it.
func (d *Desk) Finish(ctx context.Context, trial int, f study.Finished) error {
	return d.append(ctx, study.Event{Kind: study.EventFinished, Trial: trial, Finished: &f})
}

// AddBudget raises the budget.
func (d *Desk) AddBudget(ctx context.Context, amount float64) error {
	return d.append(ctx, study.Event{Kind: study.EventBudget, Added: amount})
}

func (d *Desk) append(ctx context.Context, e study.Event) error {
	_, err := d.update(ctx, func(*study.Record) (study.Event, error) { return e, nil })
	return err
}

// update appends the event that decide returns for the study as it stands.
func (d *Desk) update(ctx context.Context, decide func(*study.Record) (study.Event, error)) (*study.Record, error) {
	return store.Update(ctx, d.store, d.study.Name, func(r *study.Record, _ store.Header) ([]study.Event, error) {
		e, err := decide(r)
		e.At = d.now().UTC()
		return []study.Event{e}, err
	})
}
