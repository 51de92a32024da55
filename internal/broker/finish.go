package broker

import (
	"context"

	"github.com/eke-bo/eke/study"
)

// Finish ends a trial and charges it what the budget covers. If that is more than was reserved, the rest is reserved first.
func (b *Broker) Finish(ctx context.Context, trial int, f study.Finished) error {
	return b.FinishAs(ctx, trial, f, "")
}

// FinishAs is Finish for a sender that may repeat a request because its answer was lost. The same key takes effect once.
func (b *Broker) FinishAs(ctx context.Context, trial int, f study.Finished, key string) error {
	_, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		events, f := []study.Event{}, f
		t, err := r.Trial(trial)
		if err != nil || key != "" && t.FinishKey == key {
			return nil, err
		}
		f = b.ByRule(t, f)
		f.Lost = t.Resumes > 0 && (f.Lost || len(t.Steps) > 0 && t.Steps[0].Step < b.study.Reached(r.Trials[t.Resumes-1])) // it shows again what was known
		more := r.Measured && t.State.Open() && f.Charged > t.Reserved
		if f.Charged = affordable(r, t, f.Charged); more {
			events = append(events, study.Event{Kind: study.EventExtended, Trial: trial, Reserved: f.Charged})
		}
		return append(events, study.Event{Kind: study.EventFinished, Trial: trial, Key: key, Finished: &f}), nil
	})
	return err
}
