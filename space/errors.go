package space

import (
	"fmt"
	"strings"
)

// Error is one thing that is wrong with a parameter or with its value.
type Error struct {
	Index   int    // place of the parameter among those of the space, from 0; −1: it has none
	Param   string // name of the parameter
	Field   string // as in a study file: name, type, min, max, step, log, values, value or when
	Problem string // what was found
	Mend    string // what to do about it
}

func (e *Error) Error() string {
	if e.Param == "" {
		return fmt.Sprintf("space: parameter %d: %s; %s", e.Index+1, e.Problem, e.Mend)
	}
	return fmt.Sprintf("space: parameter %q: %s; %s", e.Param, e.Problem, e.Mend)
}

// Errors is everything that is wrong, in the order of the parameters. New and Encode return all errors as
// this type, so that a caller can show where each of them is.
type Errors []*Error

func (list Errors) Error() string {
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find the first Error.
func (list Errors) Unwrap() []error {
	all := make([]error, len(list))
	for i, e := range list {
		all[i] = e
	}
	return all
}

// orNil keeps an empty list from becoming an error that is not nil.
func (list Errors) orNil() error {
	if len(list) == 0 {
		return nil
	}
	return list
}

// wrong is an Error before it is known whose.
func wrong(field, mend, problem string, args ...any) *Error {
	return &Error{Field: field, Mend: mend, Problem: fmt.Sprintf(problem, args...)}
}

// of says whose error it is.
func (e *Error) of(index int, name string) *Error {
	e.Index, e.Param = index, name
	return e
}

// oneOf lists what may be given; a long list is cut.
func oneOf(items []string) string {
	const shown = 12
	switch n := len(items); {
	case n == 1:
		return items[0]
	case n > shown:
		return fmt.Sprintf("one of %s, … (%d in all)", strings.Join(items[:shown], ", "), n)
	}
	return "one of " + strings.Join(items, ", ")
}

func quotedAll(values []Value) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.quoted()
	}
	return list
}
