package eke

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Experiment tries a setting and returns its value and what it cost.
type Experiment func(ctx context.Context, x []float64) (value, cost float64, err error)

// Run asks, tries and tells until the budget is spent. It stops early when the context ends or
// the experiment returns an error or a result that makes no sense; that trial is then withdrawn. Called again it
// goes on.
func (o *Optimizer) Run(ctx context.Context, try Experiment) error {
	for {
		t, err := o.Ask(ctx)
		if errors.Is(err, ErrBudgetSpent) {
			return nil
		}
		if err != nil {
			return err
		}
		value, cost, err := try(ctx, slices.Clone(t.X))
		if err != nil {
			return errors.Join(fmt.Errorf("eke: trial %d at %v: %w", t.Number, t.X, err), o.Withdraw(t.Number))
		}
		if err := o.Tell(t.Number, value, cost); err != nil {
			return errors.Join(err, o.Withdraw(t.Number))
		}
	}
}
