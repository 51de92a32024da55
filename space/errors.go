package space

import (
	"fmt"

	"github.com/eke-bo/eke/internal/fault"
)

// Error is one thing that is wrong with a parameter or with its value.
type Error struct {
	// Index is the place of the parameter in the space, from 0. It is −1 if the parameter is not in the space. Of a
	// constraint it is the place among the constraints.
	Index int

	// Param is the name of the parameter.
	Param string

	// Field is what the error is about, as study files call it: name, type, min, max, step, log, values, value, when or where.
	Field string

	// Problem says what is wrong.
	Problem string

	// Hint says what to do about it.
	Hint string
}

// Error names the parameter and says what is wrong with it. The hint is left out.
func (e *Error) Error() string {
	if e.Field == "where" {
		return "where: " + e.Problem
	}
	if e.Param == "" {
		return fmt.Sprintf("parameter %d: %s", e.Index+1, e.Problem)
	}
	return fmt.Sprintf("parameter %s: %s", e.Param, e.Problem)
}

// FaultCode says that what was given cannot be used.
func (e *Error) FaultCode() fault.Code { return fault.BadRequest }

// Details returns the error in the form in which all errors are shown.
func (e *Error) Details() []fault.Detail {
	return []fault.Detail{{Message: e.Error(), Problem: e.Problem, Hint: e.Hint, Field: e.Param}}
}

// Errors is everything that is wrong, in the order of the parameters. New and Encode return all errors as this type, so that a
// caller can show where each of them is.
type Errors = fault.Errors[*Error]

// wrong returns an error about a parameter that is named later, by of.
func wrong(field, hint, problem string, args ...any) *Error {
	return &Error{Field: field, Hint: hint, Problem: fmt.Sprintf(problem, args...)}
}

// of names the parameter that the error is about.
func (e *Error) of(index int, name string) *Error {
	e.Index, e.Param = index, name
	return e
}

func quotedAll(values []Value) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.quoted()
	}
	return list
}
