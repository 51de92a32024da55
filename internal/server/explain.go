package server

import (
	"cmp"
	"errors"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
)

// soon is how long a client should wait before it repeats a request that may succeed later, in seconds.
const soon = "5"

// hints says what a client can do where that depends on who asks.
var hints = map[fault.Code]string{
	fault.BudgetSpent:   "add money to the budget to go on",
	fault.BudgetPending: "ask again when a trial has ended",
	fault.Exists:        "choose another name, or use that study",
}

// hidden has the answers to errors that may name files or hosts of this machine, which are nobody's business: the log has them.
var hidden = map[fault.Code]struct{ detail, hint string }{
	fault.StoreBusy:   {"the store is busy", "try again"},
	fault.StoreFull:   {"the store has no room left, and kept nothing of this request", "make room on the server's disk"},
	fault.StoreAway:   {"the server cannot reach its database", "try again"},
	fault.StoreBroken: {"the store cannot be used", "see the server's log"},
	fault.StoreDenied: {"the store cannot be used", "see the server's log"},
	fault.Interrupted: {"the request was cancelled", ""},
	fault.Late:        {"the request took too long", "try again"},
	fault.CannotRun:   {"something went wrong", "see the server's log"},
	fault.Internal:    {"something went wrong", "see the server's log"},
}

// explain turns an error into the problem that a client sees.
func (s *Server) explain(err error) *api.Problem {
	if known, ok := errors.AsType[*api.Problem](err); ok {
		return known
	}
	code := fault.CodeOf(err)
	if errors.Is(err, broker.ErrReshaped) { // the next request finds the new parameters
		return api.NewProblem(fault.Unavailable, "try again", "%v", broker.ErrReshaped).WithHeader("Retry-After", soon)
	}
	if code == fault.BadStudy {
		return mistaken("body", err)
	}
	p := api.NewProblem(code, cmp.Or(hints[code], fault.HintOf(err)), "%v", err)
	if h, isHidden := hidden[code]; isHidden {
		s.logFault(code, err)
		p.Detail, p.Hint = h.detail, h.hint
	}
	if code.Retryable() {
		p = p.WithHeader("Retry-After", soon)
	}
	return p
}

// logFault notes what is not the client's fault.
func (s *Server) logFault(code fault.Code, err error) {
	switch {
	case code == fault.Interrupted:
	case code.Retryable():
		s.log.Warn("unavailable", "error", err)
	default:
		s.log.Error("unexpected", "error", err)
	}
}

// mistaken is the problem of a definition with mistakes, each with its place and its hint.
func mistaken(location string, err error) *api.Problem {
	p := api.NewProblem(fault.BadStudy, "", "the study's definition has mistakes")
	for _, d := range fault.Details(err) {
		f := &api.FieldError{Location: location, Message: d.Problem, Line: d.Line, Column: d.Column, Hint: d.Hint}
		if d.Field != "" {
			f.Location += "." + d.Field
		}
		p.Errors = append(p.Errors, f)
	}
	if len(p.Errors) > 0 {
		p.Detail += ": " + p.Errors[0].Error()
	}
	return p
}

// misplaced is the problem of a value that does not suit the study's parameters.
func misplaced(location string, err error) *api.Problem {
	d := fault.Details(err)[0]
	p := api.Invalid(location, "%s", d.Message)
	p.Errors[0].Hint = d.Hint
	return p
}
