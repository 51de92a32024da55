// Package source has the two sources of the trial loop, runner.Source: a store that this process can open, and a server.
package source

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/study"
)

// Store is a study in a store, through its broker.
type Store struct {
	Broker *broker.Broker

	// Calls says that trials are calls in a process, and not commands: a call begins when its trial is handed out. The study is over only
	// when the calls of other processes have ended, too: each may leave money, or a setting to try again.
	Calls bool

	once  sync.Once
	began time.Time
}

var _ runner.Source = (*Store)(nil)

// Study returns the study as it was opened, with the name that it has now.
func (s *Store) Study(ctx context.Context) (*study.Study, runner.Identity, error) {
	header, err := s.Broker.Header(ctx)
	defined := s.Broker.Study()
	if err == nil && header.Name != defined.Name {
		renamed := *defined
		renamed.Name, defined = header.Name, &renamed
	}
	return defined, runner.Identity{ID: header.ID, Created: header.Created}, err
}

// Record returns the study as it stands.
func (s *Store) Record(ctx context.Context) (*study.Record, error) { return s.Broker.Record(ctx) }

// Ask has the advisor choose a setting, unless the study's deadline has passed. The trial of a command is pending: see Begin.
func (s *Store) Ask(ctx context.Context, t runner.Ticket) (runner.Task, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-t.Stop: // thinking may be given up
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		before, err := s.Broker.Record(ctx)
		if err != nil {
			return runner.Task{}, err
		}
		defined := s.Broker.Study()
		if defined.Overdue(before, s.now()) {
			return runner.Task{}, fault.New(fault.Deadline, "", "the deadline of %v has passed", defined.Budget.Deadline)
		}
		trial, err := s.hand(ctx, broker.Asker{Runner: t.Runner, Place: t.Place})
		if err == nil {
			return runner.Task{Trial: trial, By: t.Runner, Limit: runner.LimitOf(defined, trial)}, nil
		}
		after, e := s.Broker.Record(ctx)
		switch code := fault.CodeOf(err); {
		case e != nil || !code.Over() && code != fault.BudgetPending:
			return runner.Task{}, err
		case after.Version != before.Version:
			// The answer is to an earlier state of affairs: a trial has ended since, or the budget has grown.
		case code == fault.BudgetPending || s.Calls:
			return runner.Task{}, s.held(after, err)
		default:
			return runner.Task{}, err
		}
	}
}

func (s *Store) hand(ctx context.Context, to broker.Asker) (study.Trial, error) {
	if s.Calls {
		return s.Broker.Lease(ctx, to)
	}
	return s.Broker.AskAs(ctx, to)
}

// now is the time by a clock that is never set while this process lives.
func (s *Store) now() time.Time {
	s.once.Do(func() { s.began = time.Now() })
	return s.began.Round(0).Add(time.Since(s.began))
}

// held turns an error about a budget that is reserved into runner.ErrHeld if nobody is at work on what reserves it. While somebody is, the
// study is not over.
func (s *Store) held(r *study.Record, err error) error {
	var byHand []string
	for _, t := range r.Open() {
		if strings.HasPrefix(t.Runner, s.runners()) {
			return fault.New(fault.BudgetPending, "", "%w", err)
		}
		byHand = append(byHand, fmt.Sprint(t.Number))
	}
	switch {
	case len(byHand) == 0, fault.CodeOf(err).Over():
		return err // those that held it have just ended, or nobody did
	case s.Calls:
		return fault.Wrap(errors.Join(runner.ErrHeld, err), fault.BudgetPending, "", "%v", err)
	}
	return fault.New(fault.BudgetPending, "", "%w (%s)", runner.ErrHeld, strings.Join(byHand, ", "))
}

// runners begins the names of the runners that see after each other's trials. Trials asked for by hand, or by workers of a server, are
// left alone.
func (s *Store) runners() string {
	return map[bool]string{false: runner.Prefix, true: CallPrefix}[s.Calls]
}

// CallPrefix begins the names of runners whose trials are calls.
const CallPrefix = "go-"

// Begin notes in the store who evaluates a trial.
func (s *Store) Begin(ctx context.Context, of runner.Ref, by, place string) error {
	trial := of.Number
	if _, err := s.Broker.Own(ctx, trial, of.ID, true); err != nil {
		return err
	}
	err := s.Broker.StartAt(ctx, trial, by, place)
	if err == nil {
		return nil
	}
	r, e := s.Broker.Record(ctx)
	if e != nil || trial > len(r.Trials) {
		return err
	}
	switch t := r.Trials[trial-1]; {
	case t.State == study.Running && t.Runner == by: // it was noted, and the answer was lost
		return nil
	case t.State != study.Pending:
		return fault.New(fault.Conflict, "", "trial %d was begun by somebody else: %w", trial, err)
	}
	return err
}

// Alive notes in the store that trials are alive, and orders those to be stopped that somebody wants to be.
func (s *Store) Alive(ctx context.Context, tasks []runner.Task) (orders []runner.Order, err error) {
	numbers := make([]int, len(tasks))
	for i, t := range tasks {
		numbers[i] = t.Number
	}
	if err := s.Broker.Touch(ctx, numbers...); err != nil {
		return nil, err
	}
	r, err := s.Broker.Record(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		if n <= len(r.Trials) && r.Trials[n-1].Stopping {
			orders = append(orders, orderOf(r.Trials[n-1]))
		}
	}
	return orders, nil
}

// orderOf is the order to stop a trial, if it is to be stopped.
func orderOf(t study.Trial) runner.Order {
	o := runner.Order{Trial: t.Number, At: t.EarlyAt}
	switch {
	case t.Early != "":
		o.Why = fmt.Errorf("%w: %s", runner.ErrEarly, t.Early)
	case t.Stopping:
		o.Why = runner.ErrStopped
	}
	return o
}

// Steps records what a trial shows on its way in the store.
func (s *Store) Steps(ctx context.Context, t runner.Task, steps []study.Step, ended bool) (runner.Order, error) {
	if _, err := s.Broker.Own(ctx, t.Number, t.ID, true); err != nil {
		return runner.Order{}, err
	}
	if err := s.Broker.AddSteps(ctx, t.Number, steps...); err != nil || ended {
		return runner.Order{}, err
	}
	now, err := s.Broker.GoOn(ctx, t.Number)
	return orderOf(now), err
}

// Extend raises a trial's reservation, if the budget covers that.
func (s *Store) Extend(ctx context.Context, t runner.Task, used time.Duration) (time.Duration, error) {
	trial, err := s.Broker.Extend(ctx, t.Number, used.Seconds(), math.Inf(1))
	if err == nil && trial.State != study.Running {
		err = runner.ErrTaken
	}
	return runner.LimitOf(s.Broker.Study(), trial), err
}

// Finish ends a trial and charges it. A cost that nobody knows is estimated.
func (s *Store) Finish(ctx context.Context, of runner.Ref, key string, o study.Finished) (study.Trial, error) {
	trial := of.Number
	t, err := s.Broker.Own(ctx, trial, of.ID, true)
	if err != nil {
		return study.Trial{}, err
	}
	r, err := s.Broker.Record(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	if o.State == study.Abandoned && t.Early != "" { // it was being stopped, and nobody will say more about it
		o.State = study.Cut
	}
	f := s.Broker.Charge(r, trial, o)
	err = s.Broker.FinishAs(ctx, trial, f, key)
	r, e := s.Broker.Record(ctx)
	switch {
	case err != nil && e == nil && !r.Trials[trial-1].State.Open():
		return study.Trial{}, fault.New(fault.Conflict, "", "trial %d was ended by somebody else: %w", trial, err)
	case err != nil:
		return study.Trial{}, err
	case e != nil:
		return study.Trial{Number: trial, State: f.State, Value: f.Value, Charged: f.Charged, Note: f.Note}, nil
	}
	return r.Trials[trial-1], nil
}

// Queue notes in the store why a trial waits.
func (s *Store) Queue(ctx context.Context, t runner.Ref, reason string) error {
	if _, err := s.Broker.Own(ctx, t.Number, t.ID, true); err != nil {
		return err
	}
	return s.Broker.Queue(ctx, t.Number, reason)
}

// Correct replaces an estimate in the store.
func (s *Store) Correct(ctx context.Context, t runner.Ref, _ string, cost float64) error {
	if _, err := s.Broker.Own(ctx, t.Number, t.ID, true); err != nil {
		return err
	}
	return s.Broker.Correct(ctx, t.Number, broker.Correction{Cost: &cost, Exact: true, Note: broker.AccountsClosed})
}

// Strays returns the open trials of runners, which see after each other's.
func (s *Store) Strays(ctx context.Context) ([]study.Stray, error) {
	return s.Broker.Strays(ctx, s.runners())
}
