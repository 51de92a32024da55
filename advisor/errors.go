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

	// ErrNotWorth says that no affordable setting is worth trying.
	ErrNotWorth error = fault.New(fault.NotWorth, "", "no affordable setting is worth trying")

	// ErrExhausted says that every setting has been tried.
	ErrExhausted error = fault.Wrap(policy.ErrExhausted, fault.Exhausted, "", "every setting has been tried")
)

// translate gives the errors of the policies, which know of no codes, their place in the common vocabulary.
func translate(err error) error {
	for _, known := range []error{ErrBudgetSpent, ErrBudgetPending, ErrExhausted} {
		if errors.Is(err, errors.Unwrap(known)) {
			return known
		}
	}
	return err
}
