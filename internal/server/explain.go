package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// soon is how long who met reserved money, or a full house, should wait, in seconds.
const soon = "5"

// meanings says of the errors that the packages below name what they come to over HTTP. Their own texts may name files of
// this machine, so only those marked are passed on.
var meanings = []struct {
	err    error
	status int
	code   Code
	detail string // empty: what the error says
}{
	{store.ErrNotFound, http.StatusNotFound, NotFound, "there is no study of that name"},
	{store.ErrExists, http.StatusConflict, Exists, "there is a study of that name already; choose another name, or go on with that one"},
	{advisor.ErrBudgetSpent, http.StatusConflict, BudgetSpent, "the budget is spent; add to it to go on"},
	{advisor.ErrBudgetPending, http.StatusConflict, BudgetPending, "what is left is reserved by trials under way; ask again when one has ended"},
	{study.ErrUnaffordable, http.StatusConflict, BudgetPending, "what is left is reserved by trials under way; ask again when one has ended"},
	{advisor.ErrNotWorth, http.StatusConflict, NotWorth, ""},
	{advisor.ErrExhausted, http.StatusConflict, Exhausted, "every setting has been tried"},
	{insight.ErrNotEnough, http.StatusConflict, Conflict, "there are not enough trials yet to learn from"},
	{study.ErrClosed, http.StatusConflict, Closed, "the study was ended"},
	{context.Canceled, http.StatusServiceUnavailable, Unavailable, "the request was given up"},
	{context.DeadlineExceeded, http.StatusServiceUnavailable, Unavailable, "it took too long; try again"},
	{store.ErrConflict, http.StatusServiceUnavailable, Unavailable, "too many change this study at once; try again"},
	{store.ErrBusy, http.StatusServiceUnavailable, Unavailable, "the store is busy; try again"},
	{store.ErrAway, http.StatusServiceUnavailable, Unavailable, "the server cannot reach its database; try again"},
	{store.ErrFull, http.StatusServiceUnavailable, Unavailable, "the store has no room left; nothing of this was kept"},
}

// explain turns any error into a problem. What nobody foresaw is logged, and not told.
func (s *Server) explain(err error) *Problem {
	var known *Problem
	if errors.As(err, &known) {
		return known
	}
	var inFile study.Errors
	if errors.As(err, &inFile) {
		return faulty(inFile)
	}
	for _, m := range meanings {
		if !errors.Is(err, m.err) {
			continue
		}
		p := problem(m.status, m.code, "%s", m.detail)
		if m.detail == "" {
			p.Detail = bare(err)
		}
		if m.code == BudgetPending || m.code == Unavailable {
			p.with("Retry-After", soon)
		}
		if m.status >= 500 && !errors.Is(err, context.Canceled) {
			s.log.Warn("unavailable", "error", err)
		}
		return p
	}
	s.log.Error("unexpected", "error", err)
	for _, trouble := range []error{store.ErrDamaged, store.ErrNewer, store.ErrReadOnly, store.ErrGone, store.ErrForeign, store.ErrClosed, store.ErrDenied} {
		if errors.Is(err, trouble) {
			return problem(http.StatusServiceUnavailable, Unavailable, "the store cannot be used; the server's log says why")
		}
	}
	return problem(http.StatusInternalServerError, Unavailable, "something went wrong; the server's log says what")
}

// faulty is a definition with mistakes, each with its place and its mend.
func faulty(list study.Errors) *Problem {
	p := problem(http.StatusUnprocessableEntity, BadRequest, "the study's definition has mistakes")
	for _, e := range list {
		f := &Fault{Location: "body", Message: e.Problem, Line: e.Line, Column: e.Column, Mend: e.Mend}
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

// misplaced is a setting that does not suit the study's parameters.
func misplaced(location string, err error) *Problem {
	var list space.Errors
	var one *space.Error
	switch {
	case errors.As(err, &list) && len(list) > 0:
		one = list[0]
	case !errors.As(err, &one):
		return invalid(location, "%s", bare(err))
	}
	p := invalid(location, "%s: %s", one.Param, one.Problem)
	p.Errors[0].Mend = one.Mend
	return p
}

// bare is an error's text without the names of packages.
func bare(err error) string {
	text := err.Error()
	for _, name := range []string{"desk", "store", "study", "space", "policy", "eke"} {
		text = strings.TrimPrefix(text, name+": ")
	}
	return text
}
