package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Error is something that went wrong.
type Error struct {
	Code    Code
	Problem string // what is wrong, in one sentence without a full stop
	Hint    string // what to do about it; empty: there is nothing to say
	Cause   error  // the error below; nil: there is none
}

// New returns an error. Causes that the format marks with %w are wrapped. An empty hint is that of the cause.
func New(code Code, hint, format string, args ...any) *Error {
	text := fmt.Errorf(format, args...)
	e := &Error{Code: code, Problem: text.Error(), Hint: hint, Cause: errors.Unwrap(text)}
	if several, ok := text.(interface{ Unwrap() []error }); ok && len(several.Unwrap()) > 0 {
		e.Cause = text
	}
	if e.Hint == "" {
		e.Hint = HintOf(e.Cause)
	}
	return e
}

// Errorf is fmt.Errorf with a hint. The error has the code of its cause, or Internal if it has none.
func Errorf(hint, format string, args ...any) *Error {
	e := New(Internal, hint, format, args...)
	if e.Cause != nil {
		e.Code = CodeOf(e.Cause)
	}
	return e
}

// Wrap returns an error about a cause that is not part of the sentence.
func Wrap(cause error, code Code, hint, format string, args ...any) *Error {
	e := New(code, hint, format, args...)
	e.Cause = cause
	return e
}

// Error is the problem alone. Whoever shows the error asks Details for the hint.
func (e *Error) Error() string { return e.Problem }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// FaultCode returns the code.
func (e *Error) FaultCode() Code { return e.Code }

// coded is an error that knows its code.
type coded interface {
	error
	FaultCode() Code
}

// CodeOf is the code of the first error in the chain that has one. A cancelled context is Interrupted, one whose deadline
// has passed is Late, and any other error is Internal. Without an error there is no code.
func CodeOf(err error) Code {
	var c coded
	switch {
	case err == nil:
		return ""
	case errors.As(err, &c):
		return c.FaultCode()
	case errors.Is(err, context.Canceled):
		return Interrupted
	case errors.Is(err, context.DeadlineExceeded):
		return Late
	}
	return Internal
}

// IsExplained says whether an error is in this vocabulary, so that nothing need be added to it.
func IsExplained(err error) bool {
	_, explained := errors.AsType[*Error](err)
	return explained
}

// HintOf is the first hint in the chain.
func HintOf(err error) string {
	for e, ok := errors.AsType[*Error](err); ok; e, ok = errors.AsType[*Error](e.Cause) {
		if e.Hint != "" {
			return e.Hint
		}
	}
	return ""
}

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
