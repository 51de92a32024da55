// Package fault is the one vocabulary of errors. An error has a code for programs, a problem and a hint for
// people, and the cause it wraps. What follows from a code (whether the study is over, whether to try again, which exit
// code, which HTTP status) stands in one table, in code.go.
//
// Nobody reads an error's text to find out what it is: ask CodeOf, or errors.Is with the value that a package names.
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
	Hint    string // what to do about it; empty: nothing can be said
	Cause   error  // the error below; nil: there is none
}

// New returns an error. The arguments of the format may have one cause, marked with %w: it is wrapped, and
// its own hint is kept if none is given.
func New(code Code, hint, format string, args ...any) *Error {
	text := fmt.Errorf(format, args...)
	e := &Error{Code: code, Problem: text.Error(), Hint: hint, Cause: errors.Unwrap(text)}
	if e.Hint == "" {
		e.Hint = HintOf(e.Cause)
	}
	return e
}

// Wrap returns an error about a cause that is not part of the sentence.
func Wrap(cause error, code Code, hint, format string, args ...any) *Error {
	e := New(code, hint, format, args...)
	e.Cause = cause
	return e
}

// Error is the problem alone: hints are for whoever shows the error, and are asked for by HintOf.
func (e *Error) Error() string { return e.Problem }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// CodeOf is the code of the first Error in the chain. A cancelled context is Interrupted, a late one Late, and
// what has no code is Internal; no error has the empty code.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled):
		return Interrupted
	case errors.Is(err, context.DeadlineExceeded):
		return Late
	}
	return Internal
}

// HintOf is the first hint in the chain.
func HintOf(err error) string {
	var e *Error
	for errors.As(err, &e) {
		if e.Hint != "" {
			return e.Hint
		}
		err = e.Cause
	}
	return ""
}
