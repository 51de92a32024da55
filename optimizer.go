package eke

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/policy"
)

// ErrBudgetSpent is what Ask returns when there is no money left: the study is over.
var ErrBudgetSpent = policy.ErrBudgetSpent

// ErrBudgetPending is what Ask returns when the trials under way are expected to use up
// what is left: tell their results first.
var ErrBudgetPending = policy.ErrBudgetPending

// DefaultPolicy plans four tries ahead along the expected course of events.
const DefaultPolicy = advisor.DefaultPolicy

// Config says what is to be optimised. Lower, Upper and Budget are needed.
type Config struct {
	Lower, Upper []float64 // the box of settings
	Budget       float64   // how much all trials together may cost
	Minimize     bool      // look for the smallest value, not the largest
	Policy       string    // one of policy.Names; empty: DefaultPolicy
	Seed         uint64    // equal seeds and results give equal trials
	Settings     policy.Settings
}

// Optimizer keeps the log of a study and the ledger of its budget, and suggests what to try
// next. It is safe for concurrent use.
type Optimizer struct {
	config Config
	policy policy.Policy

	asking chan struct{} // holds one token: suggestions are made one after the other, each knowing the one before

	mu      sync.Mutex // guards what follows
	log     []entry    // results, in the order they were told
	pending []entry    // trials asked for and not yet told, in the order they were asked
	spent   float64
	asked   int
	plan    *policy.Plan
}

// entry is a trial: the setting, its point in the unit cube and, once told, its result.
type entry struct {
	Result
	unit []float64
}

// New returns an optimizer with an empty log.
func New(c Config) (*Optimizer, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c.Lower, c.Upper = slices.Clone(c.Lower), slices.Clone(c.Upper)
	if c.Policy == "" {
		c.Policy = DefaultPolicy
	}
	p, err := policy.New(c.Policy, c.Settings)
	if err != nil {
		return nil, fmt.Errorf("eke: Policy: %w", err)
	}
	return &Optimizer{config: c, policy: p, asking: make(chan struct{}, 1)}, nil
}

func (c *Config) check() error {
	if len(c.Lower) == 0 || len(c.Lower) != len(c.Upper) {
		return fmt.Errorf("eke: Lower has %d bounds and Upper %d; give one of each for every setting", len(c.Lower), len(c.Upper))
	}
	for i, lo := range c.Lower {
		if hi := c.Upper[i]; !(lo < hi) || math.IsInf(hi-lo, 0) {
			return fmt.Errorf("eke: setting %d runs from %v to %v; give finite bounds, the lower one first", i, lo, hi)
		}
	}
	if !(c.Budget > 0) || math.IsInf(c.Budget, 0) {
		return fmt.Errorf("eke: Budget is %v; give a finite amount above zero", c.Budget)
	}
	return nil
}

// Ask returns the next trial. It stays pending until its result is told; more may be
// asked for meanwhile. When the context ends during the search, the trial is the best found so far
// and says so; when it had ended before, Ask returns its error.
func (o *Optimizer) Ask(ctx context.Context) (Trial, error) {
	select {
	case o.asking <- struct{}{}:
		defer func() { <-o.asking }()
	case <-ctx.Done():
		return Trial{}, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return Trial{}, err
	}
	s, err := o.policy.Suggest(ctx, o.state())
	if err != nil {
		return Trial{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.config.trial(o.asked, s)
	o.pending = append(o.pending, entry{Result{Number: t.Number, X: slices.Clone(t.X)}, s.X})
	o.asked++
	if s.Plan != nil {
		o.plan = s.Plan
	}
	return t, nil
}

// state is the log as the policy sees it.
func (o *Optimizer) state() policy.State {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := policy.State{
		Dim: len(o.config.Lower), Initial: o.config.Budget, Remaining: o.config.Budget - o.spent,
		Seed: o.config.Seed, Trial: o.asked, Previous: o.plan,
	}
	for _, e := range o.log {
		s.X = append(s.X, e.unit)
		s.Y = append(s.Y, o.config.sign()*e.Value)
		s.LnCost = append(s.LnCost, math.Log(e.Cost))
	}
	for _, e := range o.pending {
		s.Pending = append(s.Pending, e.unit)
	}
	return s
}

// Tell records what a trial returned and what it cost. A result that cannot be used is
// refused and changes nothing.
func (o *Optimizer) Tell(number int, value, cost float64) error {
	if err := checkResult(value, cost); err != nil {
		return fmt.Errorf("eke: trial %d: %w", number, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	e, err := o.takePending(number)
	if err != nil {
		return err
	}
	o.spent = math.Min(o.spent+cost, math.MaxFloat64)
	e.Value, e.Cost, e.Beyond = value, cost, o.spent > o.config.Budget
	o.log = append(o.log, e)
	return nil
}

// Withdraw gives up a trial that will not report: it is no longer pending, and nothing is
// charged.
func (o *Optimizer) Withdraw(number int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err := o.takePending(number)
	return err
}

// takePending removes a trial from those pending and returns it.
func (o *Optimizer) takePending(number int) (entry, error) {
	for i, e := range o.pending {
		if e.Number == number {
			o.pending = slices.Delete(o.pending, i, i+1)
			return e, nil
		}
	}
	for _, e := range o.log {
		if e.Number == number && number >= 0 {
			return entry{}, fmt.Errorf("eke: trial %d: its result is on record already (value %v, cost %v)", number, e.Value, e.Cost)
		}
	}
	if number >= 0 && number < o.asked {
		return entry{}, fmt.Errorf("eke: trial %d was withdrawn", number)
	}
	return entry{}, fmt.Errorf("eke: trial %d was never asked for; %d trials were, counted from 0", number, o.asked)
}

func checkResult(value, cost float64) error {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return fmt.Errorf("value is %v, must be a finite number", value)
	}
	if !(cost > 0) || math.IsInf(cost, 0) {
		return fmt.Errorf("cost is %v, must be a finite number above zero", cost)
	}
	return nil
}

// Observe records what is known from elsewhere: a setting, its value and its cost. It is not
// charged to the budget.
func (o *Optimizer) Observe(x []float64, value, cost float64) error {
	if err := checkResult(value, cost); err != nil {
		return fmt.Errorf("eke: observation: %w", err)
	}
	unit, err := o.config.encode(x)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = append(o.log, entry{Result{Number: -1, X: slices.Clone(x), Value: value, Cost: cost}, unit})
	return nil
}

// Best returns the best result within the budget, and whether there is one.
func (o *Optimizer) Best() (Result, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	best := -1
	for i, e := range o.log {
		if !e.Beyond && (best < 0 || o.config.sign()*e.Value > o.config.sign()*o.log[best].Value) {
			best = i
		}
	}
	if best < 0 {
		return Result{}, false
	}
	return o.log[best].Result.clone(), true
}

// Results returns all results in the order they were told.
func (o *Optimizer) Results() []Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := make([]Result, len(o.log))
	for i, e := range o.log {
		list[i] = e.Result.clone()
	}
	return list
}

// Spent returns what the trials told so far have cost, overruns included.
func (o *Optimizer) Spent() float64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.spent
}
