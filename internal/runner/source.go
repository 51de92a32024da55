package runner

import (
	"context"
	"errors"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Source is where trials come from and where their outcomes go. Its methods may be called from many goroutines at once.
//
// Callers go by the codes of its errors. A code that says the study is over means that there are no more trials, unless a running
// trial costs less than was reserved for it. BudgetPending means that other trials hold the rest of the budget. Conflict means that somebody else was faster. A retryable error is tried again; any other ends the run.
type Source interface {
	// Study returns the study, and what tells it from another of the same name. It stays the same study, even if that gets another name.
	Study(ctx context.Context) (*study.Study, Identity, error)

	// Record returns the study as it stands, for whoever watches. It is shared, and must not be changed.
	Record(ctx context.Context) (*study.Record, error)

	// Ask hands out the next trial. With a ticket's key that it knows it hands out the same trial again, if it still may.
	Ask(ctx context.Context, t Ticket) (Task, error)

	// Begin says that a trial which is pending is evaluated by that runner from now on, at a place, if changes cost something there. It may be repeated.
	Begin(ctx context.Context, t Ref, runner, place string) error

	// Alive says that trials are being evaluated, and returns what is to be done about some of them.
	Alive(ctx context.Context, tasks []Task) ([]Order, error)

	// Extend asks for more time for a trial that has run for so long, and returns the limit as it is then.
	Extend(ctx context.Context, t Task, used time.Duration) (limit time.Duration, err error)

	// Finish ends a trial, and returns it as it is then. It estimates a cost that nobody knows. It may be repeated with the same key. Like all that is about a trial, it fails
	// with fault.UnknownLease if the study's log does not have the trial.
	Finish(ctx context.Context, t Ref, key string, o study.Finished) (study.Trial, error)

	// Steps records values that a running trial has on its way. If the trial is to stop, it returns that order, except of a trial
	// that has ended and whose end is not yet reported.
	Steps(ctx context.Context, t Task, steps []study.Step, ended bool) (Order, error)

	// Queue says why a trial waits for its turn in an engine; with no reason, that it waits no more.
	Queue(ctx context.Context, t Ref, reason string) error

	// Correct replaces the cost of a trial that has ended by what the engine's accounts say. By is the runner that it was handed out to.
	Correct(ctx context.Context, t Ref, by string, cost float64) error

	// Strays returns the open trials of all runners, if the source leaves it to runners to see after the trials of a dead runner.
	Strays(ctx context.Context) ([]study.Stray, error)
}

// Identity tells a study from another of the same name.
type Identity struct {
	ID      string    `json:"id,omitempty"` // empty: an older server does not say
	Created time.Time `json:"created"`
}

// Ref is what a trial is known by: its number, and its ID, which tells it from the trial of that number in another log. It is empty where
// an older version handed the trial out.
type Ref struct {
	Number int
	ID     string
}

// RefOf is what a trial is known by.
func RefOf(t study.Trial) Ref { return Ref{t.Number, t.ID} }

// Ticket is a request for a trial.
type Ticket struct {
	Runner string          // who asks
	Place  string          // where the trial is to be evaluated, if changes cost something there; empty: that is the runner
	Key    string          // by which the request is known if it is repeated
	Stop   <-chan struct{} // closed when no trial is wanted any more; one that may have been handed out is waited for all the same
}

// Task is a trial that was handed out.
type Task struct {
	study.Trial
	By    string        // the runner that it was handed out to
	Limit time.Duration // how long it may run; 0 means no limit
	Lease time.Duration // the source gives it up after so long a silence; 0 means that it does not
	Heard time.Time     // when the source was last told that it is alive
}

// Order is what a source wants done about a running trial.
type Order struct {
	Trial int
	Why   error   // ErrNoTime, ErrStopped, ErrEarly or ErrTaken: it is to be stopped. ErrSilent, or nothing: it goes on
	At    float64 // of ErrEarly: the step at which that was decided; 0: the source does not say
}

// ErrHeld says that the rest of the budget is held by trials that no runner evaluates: waiting does not help.
var ErrHeld error = fault.New(fault.BudgetPending, "tell their results: eke tell TRIAL --value V --cost C, or --abandon",
	"the rest of the budget is reserved by trials asked for by hand")

// ErrNoCommand says that there is nothing to run.
var ErrNoCommand error = fault.New(fault.BadStudy, "", "has no command to run")

// Why a source gives an order.
var (
	ErrEarly   = engine.ErrEarly
	ErrNoTime  = errors.New("it gets no more time")
	ErrStopped = errors.New("somebody wants it to be stopped")
	ErrTaken   = errors.New("the trial is not this runner's any more")
	ErrSilent  = errors.New("the trial was abandoned, because nothing was heard of it; it goes on, and its result will be told")
)
