package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Detail is one thing that is wrong, ready to be shown.
type Detail struct {
	Message string // the problem together with its place, on one line
	Problem string // the problem alone
	Hint    string // what to do about it; empty: there is nothing to say
	Field   string // such as parameters.lr.min; empty: the whole
	Line    int    // from 1; 0: the problem has no place in a text
	Column  int    // from 1, in characters
	Excerpt string // the line with a mark below the column; empty: the problem has no place in a text
}

// List is an error that consists of several, such as all mistakes in a study file. It has at least one detail.
type List interface {
	coded
	Details() []Detail
}

// Details says what is wrong: the details of the first List in the chain, or else the error as a whole. There is at least
// one.
func Details(err error) []Detail {
	if list, ok := errors.AsType[List](err); ok {
		if details := list.Details(); len(details) > 0 {
			return details
		}
	}
	return []Detail{{Message: err.Error(), Problem: err.Error(), Hint: HintOf(err)}}
}

// Errors is several errors of one kind, in the order in which they are shown.
type Errors[E List] []E

// Error has one line for each error.
func (list Errors[E]) Error() string {
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// FaultCode is the code of each of the errors.
func (list Errors[E]) FaultCode() Code {
	var e E
	return e.FaultCode()
}

// Details returns the errors in the form in which all errors are shown.
func (list Errors[E]) Details() (details []Detail) {
	for _, e := range list {
		details = append(details, e.Details()...)
	}
	return details
}

// Unwrap lets errors.As find the first error.
func (list Errors[E]) Unwrap() []error {
	all := make([]error, len(list))
	for i, e := range list {
		all[i] = e
	}
	return all
}

// OneOf words a hint that lists what may be given. A long list is cut.
func OneOf(items []string) string {
	const shown = 14
	switch n := len(items); {
	case n == 0:
		return "nothing"
	case n == 1:
		return items[0]
	case n > shown:
		return fmt.Sprintf("one of %s, … (%d in all)", strings.Join(items[:shown], ", "), n)
	}
	return "one of " + strings.Join(items, ", ")
}
