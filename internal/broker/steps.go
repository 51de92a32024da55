package broker

import (
	"context"

	"github.com/eke-bo/eke/study"
)

// AddSteps records values that a running trial has on its way, as far as they are kept (study.Study.Thin). They are not charged.
func (b *Broker) AddSteps(ctx context.Context, trial int, steps ...study.Step) error {
	_, err := b.update(ctx, func(r *study.Record) (events []study.Event, err error) {
		t, err := r.Trial(trial)
		if err != nil || t.State != study.Running && t.State != study.Abandoned {
			return nil, err
		}
		kept, err := b.study.Thin(t, steps)
		for i := range kept {
			events = append(events, study.Event{Kind: study.EventStep, Trial: trial, Step: &kept[i]})
		}
		return events, err
	})
	return err
}

// GoOn decides whether a trial goes on, in the light of its steps. It returns the trial as it stands afterwards: if the trial is to stop,
// Early says why. It is decided once for each step that the models learn from.
func (b *Broker) GoOn(ctx context.Context, trial int) (study.Trial, error) {
	r, err := b.Record(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	if t, err := r.Trial(trial); err != nil || !b.undecided(t) {
		return t, err
	}
	select {
	case b.thinking <- struct{}{}:
		defer func() { <-b.thinking }()
	case <-ctx.Done():
		return study.Trial{}, ctx.Err()
	}
	decided := 0.0
	r, err = b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		t, err := r.Trial(trial)
		if err != nil || !b.undecided(t) || b.mayEncode(r) != nil {
			return nil, err
		}
		last, _ := t.LastStep()
		decided = last.Step
		why, err := b.advisor.Early(ctx, r, trial)
		if err != nil || why == "" || ctx.Err() != nil { // a choice that was cut short depends on the clock
			return nil, err
		}
		return []study.Event{{Kind: study.EventStop, Trial: trial, Reason: why}}, nil
	})
	if err != nil {
		return study.Trial{}, err
	}
	if decided > 0 { // otherwise somebody else has decided meanwhile
		b.decided.Store(trial, decided)
	}
	return r.Trial(trial)
}

// undecided says whether a trial is running and has shown something new to the models since it was last decided whether it goes on.
func (b *Broker) undecided(t study.Trial) bool {
	if t.State != study.Running || t.Stopping {
		return false
	}
	decided, _ := b.decided.Load(t.Number)
	at, _ := decided.(float64)
	for _, s := range t.Steps {
		if s.Look && s.Step > at {
			return true
		}
	}
	return false
}
