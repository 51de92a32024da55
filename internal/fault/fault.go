package fault

import (
	"context"
	"errors"
	"fmt"
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
