package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

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

// huma makes its own errors by this variable, for all of a program.
func init() {
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		p := api.NewProblem(api.CodeOfStatus(status), "", "%s", message).WithStatus(status)
		for _, err := range errs {
			if err == nil {
				continue
			}
			if len(p.Errors) == mostErrors {
				break
			}
			f := &api.FieldError{Location: "body", Message: "this is not JSON"}
			if detailed := huma.ErrorDetailer(nil); errors.As(err, &detailed) {
				d := detailed.ErrorDetail()
				f = &api.FieldError{Location: d.Location, Message: inWords(d.Message), Value: short(d.Value)}
			}
			p.Errors = append(p.Errors, f)
		}
		if len(p.Errors) > 0 {
			p.Detail = message + ": " + p.Errors[0].Error()
		}
		return p
	}
}

// mostErrors is how many mistakes of a request are named.
const mostErrors = 50

// inWords is a message without the names of our types, which encoding/json mentions.
func inWords(message string) string {
	if strings.Contains(message, "Go value") || strings.Contains(message, "Go struct") {
		return "this value cannot be used here"
	}
	return message
}

// short is a value worth sending back. One of a megabyte is not.
func short(v any) any {
	const most = 200
	if text, ok := v.(string); ok && len(text) > most {
		return nil
	}
	if raw, err := json.Marshal(v); err != nil || len(raw) > most {
		return nil
	}
	return v
}

// write answers with a problem where huma does not.
func write(w http.ResponseWriter, p *api.Problem) {
	for name, values := range p.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}

// inBody turns an error about a setting or a name into a problem at a place of the body.
func inBody(location string, err error) error {
	if fault.CodeOf(err) != fault.BadRequest || err == nil {
		return err
	}
	return misplaced(location, err)
}
