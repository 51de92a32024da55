package eke

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

// A trial of Run's belongs to a process, and ends with it. So that its money is not reserved for ever, Run notes every few
// seconds that its trials are alive, and whoever runs the study next gives up those that have been silent for long.

// runPrefix begins the names of runs. Trials of others are left alone.
const runPrefix = "go-"

const (
	beat    = 10 * time.Second // how often a run says that its trials are alive
	silence = time.Minute      // how long one must have said nothing before it is taken for dead
	look    = time.Second      // how often a run that waits for others looks whether they have ended
)

// stayAlive notes that the trials under way are alive, until the context ends. A note that cannot be written is
// tried again with the next beat.
func (r *run) stayAlive(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if open := r.underWay(); len(open) > 0 {
				_ = r.broker.Touch(ctx, open...)
			}
		}
	}
}

func (r *run) underWay() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.open))
}

// recover gives up the trials of runs that have died.
func (r *run) recover(ctx context.Context) error {
	record, err := r.broker.Record(ctx)
	if err != nil {
		return err
	}
	strays, err := r.broker.Strays(ctx, runPrefix)
	if err != nil {
		return err
	}
	for _, t := range strays {
		if t.Runner == r.id || t.Number > len(record.Trials) || time.Since(t.Seen) < silence {
			continue
		}
		f := study.Finished{State: study.Abandoned, Note: "its run died", Wall: t.Seen.Sub(t.Started).Seconds()}
		err = r.broker.Finish(ctx, t.Number, broker.Charge(record, t.Number, f))
		if now, e := r.broker.Record(ctx); err != nil && (e != nil || now.Trials[t.Number-1].State.Open()) {
			return err // and not because another run was faster
		}
	}
	return nil
}

// wait waits for a trial to end, of this run or of another, and says whether there was one to wait for. One of its
// own that has ended since the channel was current need not be waited for.
func (r *run) wait(ctx context.Context, ended <-chan struct{}) (bool, error) {
	var others <-chan time.Time
	if len(r.underWay()) == 0 {
		if err := r.recover(ctx); err != nil {
			return false, err
		}
		strays, err := r.broker.Strays(ctx, runPrefix)
		if err != nil {
			return false, err
		}
		if len(strays) > 0 {
			others = time.After(look)
		} else if r.current() == ended {
			return false, nil
		}
	}
	select {
	case <-ended:
	case <-others:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return true, nil
}

// current is the channel that is closed when the next of the run's trials ends.
func (r *run) current() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}
