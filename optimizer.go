package eke

import (
	"context"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Optimizer is a study under way. It suggests what to try next, and keeps the results and the ledger of the budget in
// its store. Many goroutines may use it at once, and many processes may have one on the same study.
type Optimizer struct {
	broker *broker.Broker
	params []space.Param
}

// New returns the study of the configuration: the one in the store, or a new one.
func New(c Config) (*Optimizer, error) {
	s, err := c.study()
	if err != nil {
		return nil, err
	}
	if c.Store == nil {
		c.Store = store.Memory()
	}
	b, err := broker.Join(context.Background(), c.Store, s, c.Options...)
	if err != nil {
		return nil, err
	}
	return &Optimizer{broker: b, params: b.Advisor().Space().Params()}, nil
}

// asker is the runner of trials that Ask returns. Only the caller knows whether they are alive.
const asker = "go"

// Ask returns the next trial and reserves money for it. The trial stays open until Tell or Fail ends it; more may be
// asked for meanwhile. An error for which Over holds means that the study is over, unless trials under way change that.
func (o *Optimizer) Ask(ctx context.Context) (Trial, error) {
	return o.AskAt(ctx, "")
}

// AskAt is Ask for a place, such as an oven, where the trial will be tried. What a change costs there depends on the last trial there. Without
// Config.Changeover all places are alike.
func (o *Optimizer) AskAt(ctx context.Context, place string) (Trial, error) {
	t, err := o.broker.Lease(ctx, broker.Asker{Runner: asker, Place: place})
	if err != nil {
		return Trial{}, err
	}
	return o.trial(t), nil
}

// Tell ends a trial with the value that the experiment returned and what it cost. A cost beyond the budget is on
// record, but its value does not count. A result that cannot be used is refused and changes nothing.
func (o *Optimizer) Tell(ctx context.Context, number int, value, cost float64) error {
	return o.TellMetrics(ctx, number, value, cost, nil)
}

// TellMetrics is Tell with other numbers that the experiment returned, such as {"memory": 7.4}. Config.Limits apply to these.
func (o *Optimizer) TellMetrics(ctx context.Context, number int, value, cost float64, metrics study.Metrics) error {
	if err := checkResult(value, cost); err != nil {
		return fault.New(fault.CodeOf(err), "", "trial %d: %w", number, err)
	}
	_, wall, err := o.since(ctx, number)
	if err != nil {
		return err
	}
	return o.broker.Finish(ctx, number, study.Finished{State: study.Done, Value: value, Charged: cost, Metrics: metrics, Wall: wall.Seconds()})
}

// TellSetup is TellMetrics with the part of the cost that went into changes, for a study with Config.Changeover.
func (o *Optimizer) TellSetup(ctx context.Context, number int, value, cost, setup float64, metrics study.Metrics) error {
	if err := checkResult(value, cost); err != nil {
		return fault.New(fault.CodeOf(err), "", "trial %d: %w", number, err)
	}
	if !(setup >= 0 && setup <= cost) {
		return fault.New(fault.BadRequest, "give a part of the cost", "trial %d: the setup is %v, and the cost %v", number, setup, cost)
	}
	_, wall, err := o.since(ctx, number)
	if err != nil {
		return err
	}
	return o.broker.Finish(ctx, number, study.Finished{State: study.Done, Value: value, Charged: cost, Setup: &setup, Metrics: metrics, Wall: wall.Seconds()})
}

// Fail ends a trial that returned no value, and says why. Trials near its setting are taken to be likelier to fail as well. A cost of 0 means
// that the cost is not known. The trial is then charged its time at the average cost per second so far, as far as finished trials tell it.
func (o *Optimizer) Fail(ctx context.Context, number int, cost float64, reason string) error {
	return o.FailMetrics(ctx, number, cost, reason, nil)
}

// FailMetrics is Fail with the numbers that the experiment returned all the same. A study with several objectives learns from those of its objectives that are among them.
func (o *Optimizer) FailMetrics(ctx context.Context, number int, cost float64, reason string, metrics study.Metrics) error {
	if err := checkResult(0, cost); err != nil {
		return fault.New(fault.CodeOf(err), "", "trial %d: %w", number, err)
	}
	r, wall, err := o.since(ctx, number)
	if err != nil {
		return err
	}
	f := study.Finished{State: study.Failed, Note: reason, Metrics: metrics, Wall: wall.Seconds()}
	if cost != 0 {
		f.Cost = &cost
	}
	return o.broker.Finish(ctx, number, o.broker.Charge(r, number, f))
}

// since returns the record, and for how long a trial has been open.
func (o *Optimizer) since(ctx context.Context, number int) (*study.Record, time.Duration, error) {
	r, err := o.broker.Record(ctx)
	if err != nil {
		return nil, 0, err
	}
	t, err := r.Trial(number)
	return r, max(time.Since(t.Started), 0), err
}

// Observe adds a result that is known from elsewhere, with its cost there, or 0 if that is not known. It is not charged.
// A program may add the same results each time it starts: each counts once. Point makes the setting of a box.
func (o *Optimizer) Observe(ctx context.Context, setting space.Setting, value, cost float64) error {
	if err := checkResult(value, cost); err != nil {
		return err
	}
	return o.broker.Observe(ctx, setting, value, cost)
}

// AddBudget adds to the budget. A study that was over may then continue.
func (o *Optimizer) AddBudget(ctx context.Context, amount float64) error {
	return o.broker.AddBudget(ctx, amount)
}
