package advisor

import (
	"errors"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/policy"
)

// These are why there is no next trial. All but ErrBudgetPending mean that the study is over unless money is added.
var (
	// ErrBudgetSpent says that no money is left.
	ErrBudgetSpent error = fault.Wrap(policy.ErrBudgetSpent, fault.BudgetSpent, "", "budget spent")

	// ErrBudgetPending says that the trials under way are expected to use up what is left: finish them first.
	ErrBudgetPending error = fault.Wrap(policy.ErrBudgetPending, fault.BudgetPending, "", "the rest of the budget is expected to be used by pending evaluations")

	// ErrNothingKnown is an ErrBudgetPending: nothing is known of costs yet. Wait until the first trial has ended.
	ErrNothingKnown error = fault.Wrap(ErrBudgetPending, fault.BudgetPending, "",
		"nothing is known of costs yet, and as many trials are under way as the initial design has settings, or as parallel says")

	// ErrNotWorth says that no affordable setting is worth trying.
	ErrNotWorth error = fault.New(fault.NotWorth, "", "no affordable setting is worth trying")

	// ErrExhausted says that every setting has been tried.
	ErrExhausted error = fault.Wrap(policy.ErrExhausted, fault.Exhausted, "", "every setting has been tried")
)

// translate gives the errors of the policies, which know of no codes, their place in the common vocabulary.
func translate(err error) error {
	if errors.Is(err, policy.ErrNothingKnown) {
		return ErrNothingKnown
	}
	for _, known := range []error{ErrBudgetSpent, ErrBudgetPending, ErrExhausted} {
		if errors.Is(err, errors.Unwrap(known)) {
			return known
		}
	}
	return err
}
