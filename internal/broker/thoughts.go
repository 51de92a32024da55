package broker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Everything here may be repeated: what is so already is left as it is.

// Forget has the models ignore trials, or count them again. Their money stays spent. The note, which may be empty, says why.
func (b *Broker) Forget(ctx context.Context, forget bool, note string, trials ...int) error {
	return b.forget(ctx, forget, note, trials, nil)
}

// ForgetKnown is Forget for known results, by their numbers from 1.
func (b *Broker) ForgetKnown(ctx context.Context, forget bool, note string, results ...int) error {
	return b.forget(ctx, forget, note, nil, results)
}

func (b *Broker) forget(ctx context.Context, forget bool, note string, trials, results []int) error {
	kind := map[bool]study.Kind{true: study.EventForgotten, false: study.EventRemembered}[forget]
	_, err := b.update(ctx, func(r *study.Record) (events []study.Event, err error) {
		seen := map[[2]int]bool{}
		add := func(already bool, e study.Event) {
			if e.Kind, e.Reason = kind, note; !already && !seen[[2]int{e.Trial, e.Result}] {
				seen[[2]int{e.Trial, e.Result}] = true
				events = append(events, e)
			}
		}
		for _, n := range trials {
			t, err := r.Trial(n)
			if err != nil {
				return nil, err
			}
			add(t.Forgotten == forget, study.Event{Trial: n})
		}
		for _, n := range results {
			add(n >= 1 && n <= len(r.Known) && r.Known[n-1].Forgotten == forget, study.Event{Result: n})
		}
		return events, nil
	})
	return err
}

// Correction is what was wrong about a trial. What is nil stays.
type Correction struct {
	Value   *float64      // its value; a trial that had none is done then
	Cost    *float64      // what it cost
	Setup   *float64      // the part of the cost that went into changes
	Metrics study.Metrics // other numbers that it reported; the others stay
	Failed  bool          // it had no value, in truth
	Note    string        // why it is corrected
	Exact   bool          // the cost was an estimate, and is not any more
}

// AccountsClosed is the note of a cost that a cluster's accounts have corrected.
const AccountsClosed = "the cluster's accounts are closed"

// Correct replaces the figures of a trial that has ended. The old ones stay on record.
func (b *Broker) Correct(ctx context.Context, trial int, c Correction) error {
	if c.Failed && c.Value != nil {
		return fault.New(fault.BadRequest, "give one of them", "a trial with a value has not failed")
	}
	if c.Setup != nil && len(b.study.Changeover) == 0 {
		return fault.New(fault.BadRequest, "leave it out", "the setup is the part of the cost that went into changes, but the study has no changeover")
	}
	_, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		t, err := r.Trial(trial)
		if err != nil || c.Note == AccountsClosed && costByHand(t) {
			return nil, err
		}
		if err := b.study.Misnamed(c.Metrics, t.Metrics); err != nil {
			return nil, err
		}
		now := study.Corrected{State: t.State, Value: t.Value, Charged: t.Charged, Setup: c.Setup, Metrics: c.Metrics, Note: c.Note, Exact: c.Exact && t.Estimated}
		switch {
		case c.Value != nil:
			now.State, now.Value = study.Done, *c.Value
			if _, twice := t.Metrics[b.study.Objective.Name]; twice {
				now.Without = b.study.Objective.Name
			}
		case c.Failed:
			now.State, now.Value = study.Failed, 0
		}
		if err := b.whole(now, t, c); err != nil {
			return nil, err
		}
		if c.Cost != nil {
			now.Charged = *c.Cost
			now.Setup = cmp.Or(c.Setup, t.Setup) // which may have to change as well
		}
		same := c.Setup == nil || t.Setup != nil && *c.Setup == *t.Setup
		if same && now.State == t.State && now.Value == t.Value && now.Charged == t.Charged && !now.Exact && now.Without == "" && t.Metrics.Has(now.Metrics) {
			return nil, nil
		}
		if passed := b.study.PassedAnew(t, now); passed != "" && c.Note != AccountsClosed { // the trial's note is of the old figures
			now.Note = strings.TrimPrefix(now.Note+"; "+passed, "; ")
		}
		return []study.Event{{Kind: study.EventCorrected, Trial: trial, Corrected: &now}}, nil
	})
	return err
}

// whole refuses a correction that gives a trial a value without the other objectives, or its value twice.
func (b *Broker) whole(now study.Corrected, t study.Trial, c Correction) error {
	missing := slices.DeleteFunc(b.study.Missing(t.Metrics), func(name string) bool { _, given := c.Metrics[name]; return given })
	first := b.study.Objective.Name
	switch x, twice := c.Metrics[first]; {
	case c.Value != nil && len(missing) > 0:
		names := strings.Join(missing, " and ")
		return fault.New(fault.BadRequest, "give "+names+" as well, as metrics (--metric NAME=NUMBER)", "trial %d has no %s, and does not count with a value of %s alone", t.Number, names, first)
	case twice && now.State == study.Done:
		return fault.New(fault.BadRequest, "give it as the value (--value)", "%s is the objective, and %v is given as another number that trial %d reported", first, x, t.Number)
	}
	return nil
}

// costByHand says whether a person has corrected what a trial cost. Accounts that close later do not undo that.
func costByHand(t study.Trial) bool {
	charged := t.Charged
	for _, was := range slices.Backward(t.Was) {
		if was.Charged != charged && was.Why != AccountsClosed {
			return true
		}
		charged = was.Charged
	}
	return false
}

// Stop has a running trial stopped by whoever evaluates it. One that has not begun ends at once, and is charged nothing.
func (b *Broker) Stop(ctx context.Context, trial int) error {
	_, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		t, err := r.Trial(trial)
		switch {
		case err != nil || t.Stopping && t.Early == "":
			return nil, err
		case t.State.Ended():
			return nil, fault.New(fault.Conflict, "", "trial %d %s already", trial, t.State.Predicate())
		case t.Runner == ByHand:
			return nil, fault.New(fault.Conflict, fmt.Sprintf("report what it came to: eke tell %d --failed --cost COST, or --abandon", trial), "trial %d was asked for by hand, and nobody can be told to stop it", trial)
		case t.State == study.Pending:
			return []study.Event{{Kind: study.EventFinished, Trial: trial, Finished: &study.Finished{State: study.Cut, Note: "stopped before it began"}}}, nil
		}
		return []study.Event{{Kind: study.EventStop, Trial: trial}}, nil
	})
	return err
}

// ByHand is the runner of trials that a person evaluates.
const ByHand = "hand"

// Pause keeps trials from being handed out, or lets them be handed out again. Those under way go on.
func (b *Broker) Pause(ctx context.Context, pause bool) error {
	return b.toggle(ctx, pause, func(r *study.Record) bool { return r.Paused }, study.EventPaused, study.EventResumed)
}

// Archive puts the study away, or takes it out again.
func (b *Broker) Archive(ctx context.Context, archive bool) error {
	return b.toggle(ctx, archive, func(r *study.Record) bool { return r.Archived }, study.EventArchived, study.EventRestored)
}

func (b *Broker) toggle(ctx context.Context, to bool, is func(*study.Record) bool, on, off study.Kind) error {
	_, err := b.update(ctx, func(r *study.Record) ([]study.Event, error) {
		switch {
		case is(r) == to:
			return nil, nil
		case to:
			return []study.Event{{Kind: on}}, nil
		}
		return []study.Event{{Kind: off}}, nil
	})
	return err
}

// Rename gives the study another name. No trial may be under way: an older worker that evaluates it knows the study by the old name.
func (b *Broker) Rename(ctx context.Context, to string) error {
	r, header, err := b.log.Record(ctx)
	if err != nil {
		return err
	}
	if err := r.Idle("renamed"); err != nil {
		return err
	}
	return b.store.Rename(ctx, header.Name, to)
}

// Delete removes the study. It is archived first, so that no trial can begin meanwhile, and not at all while one is under way.
func (b *Broker) Delete(ctx context.Context) error {
	r, header, err := b.log.Record(ctx)
	if err == nil {
		err = r.Idle("deleted")
	}
	if err == nil {
		err = b.Archive(ctx, true)
	}
	if err != nil {
		return err
	}
	return b.store.Delete(ctx, header.Name)
}
