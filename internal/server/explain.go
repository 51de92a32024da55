package server

import (
	"context"
	"errors"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// soon is how long a client should wait before it repeats a request that may succeed later, in seconds.
const soon = "5"

// answers has the hints of some codes, which depend on who asks; and the whole text for codes whose errors may name files or hosts
// of this machine, which are nobody's business.
var answers = map[fault.Code]struct{ detail, hint string }{
	fault.NotFound:      {"there is no study of that name", ""},
	fault.Exists:        {"there is a study of that name already", "choose another name, or use that study"},
	fault.BudgetSpent:   {"", "add money to the budget to go on"},
	fault.BudgetPending: {"the rest of the budget is reserved by trials under way", "ask again when one has ended"},
	fault.StoreBusy:     {"the store is busy", "try again"},
	fault.StoreFull:     {"the store has no room left, and kept nothing of this request", "make room on the server's disk"},
	fault.StoreAway:     {"the server cannot reach its database", "try again"},
	fault.StoreBroken:   {"the store cannot be used", "see the server's log"},
	fault.StoreDenied:   {"the store cannot be used", "see the server's log"},
	fault.Interrupted:   {"the request was cancelled", ""},
	fault.Late:          {"the request took too long", "try again"},
	fault.CannotRun:     {"something went wrong", "see the server's log"},
	fault.Internal:      {"something went wrong", "see the server's log"},
}

// explain turns an error into the problem that a client sees.
func (s *Server) explain(err error) *api.Problem {
	var known *api.Problem
	if errors.As(err, &known) {
		return known
	}
	var mistakes study.Errors
	if errors.As(err, &mistakes) {
		return mistaken(mistakes)
	}
	code := codeOf(err)
	s.logFault(code, err)
	a := answers[code]
	if a.detail == "" {
		a.detail = bare(err)
	}
	if a.hint == "" {
		a.hint = fault.HintOf(err)
	}
	p := api.NewProblem(code, a.hint, "%s", a.detail)
	if code.Retryable() {
		p.WithHeader("Retry-After", soon)
	}
	return p
}

// logFault notes what is not the client's doing.
func (s *Server) logFault(code fault.Code, err error) {
	switch {
	case code.Status() < 500 || code == fault.Interrupted:
	case code.Retryable():
		s.log.Warn("unavailable", "error", err)
	default:
		s.log.Error("unexpected", "error", err)
	}
}

func codeOf(err error) fault.Code {
	if code := fault.CodeOf(err); code != fault.Internal {
		return code
	}
	for _, k := range []struct {
		err  error
		code fault.Code
	}{
		{store.ErrNotFound, fault.NotFound}, {store.ErrExists, fault.Exists}, {advisor.ErrBudgetSpent, fault.BudgetSpent},
		{advisor.ErrBudgetPending, fault.BudgetPending}, {study.ErrUnaffordable, fault.BudgetPending}, {advisor.ErrNotWorth, fault.NotWorth},
		{advisor.ErrExhausted, fault.Exhausted}, {insight.ErrNotEnough, fault.Conflict}, {study.ErrClosed, fault.Closed},
		{store.ErrConflict, fault.StoreBusy}, {store.ErrBusy, fault.StoreBusy}, {store.ErrAway, fault.StoreAway}, {store.ErrFull, fault.StoreFull},
		{store.ErrDamaged, fault.StoreBroken}, {store.ErrNewer, fault.StoreBroken}, {store.ErrReadOnly, fault.StoreDenied}, {store.ErrGone, fault.StoreBroken},
		{store.ErrForeign, fault.StoreBroken}, {store.ErrClosed, fault.StoreBroken}, {store.ErrDenied, fault.StoreDenied},
		{context.Canceled, fault.Interrupted},
	} {
		if errors.Is(err, k.err) {
			return k.code
		}
	}
	return fault.Internal
}

// mistaken is the problem of a definition with mistakes, each with its place and its hint.
func mistaken(list study.Errors) *api.Problem {
	p := api.NewProblem(fault.BadStudy, "", "the study's definition has mistakes")
	for _, e := range list {
		f := &api.FieldError{Location: "body", Message: e.Problem, Line: e.Line, Column: e.Column, Hint: e.Hint}
		if e.Field != "" {
			f.Location += "." + e.Field
		}
		p.Errors = append(p.Errors, f)
	}
	if len(p.Errors) > 0 {
		p.Detail += ": " + p.Errors[0].Error()
	}
	return p
}

// misplaced is the problem of a setting that does not suit the study's parameters.
func misplaced(location string, err error) *api.Problem {
	var list space.Errors
	var one *space.Error
	switch {
	case errors.As(err, &list) && len(list) > 0:
		one = list[0]
	case !errors.As(err, &one):
		return api.Invalid(location, "%s", bare(err))
	}
	p := api.Invalid(location, "%s: %s", one.Param, one.Problem)
	p.Errors[0].Hint = one.Hint
	return p
}

// bare is an error's text without the names of packages.
func bare(err error) string {
	text := err.Error()
	for _, name := range []string{"broker", "store", "study", "space", "policy", "advisor", "insight", "eke"} {
		text = strings.TrimPrefix(text, name+": ")
	}
	return text
}
