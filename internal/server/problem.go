package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Code names what went wrong, for programs.
type Code string

const (
	BadRequest      Code = "bad_request"
	Unauthenticated Code = "unauthenticated"
	Forbidden       Code = "forbidden"
	NotFound        Code = "not_found"
	Exists          Code = "exists"
	Conflict        Code = "conflict"
	BudgetSpent     Code = "budget_spent"
	BudgetPending   Code = "budget_pending"
	NotWorth        Code = "not_worth"
	Exhausted       Code = "exhausted"
	Closed          Code = "closed"
	TooLarge        Code = "too_large"
	TooMany         Code = "too_many"
	Unavailable     Code = "unavailable"
)

// Problem is the body of every answer that is an error (RFC 9457).
type Problem struct {
	Title  string   `json:"title"`
	Status int      `json:"status"`
	Detail string   `json:"detail" doc:"What went wrong, and what to do about it"`
	Code   Code     `json:"code" doc:"The same for programs" enum:"bad_request,unauthenticated,forbidden,not_found,exists,conflict,budget_spent,budget_pending,not_worth,exhausted,closed,too_large,too_many,unavailable"`
	Errors []*Fault `json:"errors,omitempty" doc:"What exactly is wrong with the request"`

	headers http.Header
}

// Fault is one thing that is wrong with a request.
type Fault struct {
	Location string `json:"location,omitempty" doc:"Such as body.value, or body.parameters.lr.min of a study's definition"`
	Message  string `json:"message"`
	Value    any    `json:"value,omitempty" doc:"What was given there, if it is short"`
	Line     int    `json:"line,omitempty" doc:"Of a definition in YAML, from 1"`
	Column   int    `json:"column,omitempty"`
	Mend     string `json:"mend,omitempty" doc:"What to do about it"`
}

func (f *Fault) Error() string { return f.Location + ": " + f.Message }

func (p *Problem) Error() string { return p.Detail }

// GetStatus, ContentType and GetHeaders are what huma asks an error for.
func (p *Problem) GetStatus() int { return p.Status }

func (p *Problem) ContentType(string) string { return "application/problem+json" }

func (p *Problem) GetHeaders() http.Header { return p.headers }

// with adds a header to the answer.
func (p *Problem) with(name, value string) *Problem {
	if p.headers == nil {
		p.headers = http.Header{}
	}
	p.headers.Set(name, value)
	return p
}

func problem(status int, code Code, format string, args ...any) *Problem {
	return &Problem{Title: http.StatusText(status), Status: status, Code: code, Detail: fmt.Sprintf(format, args...)}
}

// invalid is a problem with one field of the request.
func invalid(location, format string, args ...any) *Problem {
	message := fmt.Sprintf(format, args...)
	p := problem(http.StatusUnprocessableEntity, BadRequest, "%s: %s", location, message)
	p.Errors = []*Fault{{Location: location, Message: message}}
	return p
}

// codeOf is the code of a problem that huma found by itself.
func codeOf(status int) Code {
	switch status {
	case http.StatusUnauthorized:
		return Unauthenticated
	case http.StatusForbidden:
		return Forbidden
	case http.StatusNotFound:
		return NotFound
	case http.StatusConflict:
		return Conflict
	case http.StatusRequestEntityTooLarge:
		return TooLarge
	case http.StatusTooManyRequests:
		return TooMany
	}
	if status >= 500 {
		return Unavailable
	}
	return BadRequest
}

// huma makes its own errors by this variable, for all of a program.
func init() {
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		p := problem(status, codeOf(status), "%s", message)
		for _, err := range errs {
			var detailed huma.ErrorDetailer
			switch {
			case err == nil:
			case errors.As(err, &detailed):
				d := detailed.ErrorDetail()
				p.Errors = append(p.Errors, &Fault{Location: d.Location, Message: inWords(d.Message), Value: short(d.Value)})
			default:
				p.Errors = append(p.Errors, &Fault{Location: "body", Message: "it cannot be read as JSON"})
			}
		}
		if len(p.Errors) > 0 {
			p.Detail = message + ": " + p.Errors[0].Error()
		}
		return p
	}
}

// inWords is a message without the names of our types, which encoding/json likes to tell.
func inWords(message string) string {
	if strings.Contains(message, "Go value") || strings.Contains(message, "Go struct") {
		return "this number or value cannot be used here"
	}
	return message
}

// short is a value worth sending back: a request of a megabyte is not.
func short(v any) any {
	const most = 200
	if raw, err := json.Marshal(v); err != nil || len(raw) > most {
		return nil
	}
	return v
}

// write answers with the problem where huma is not at work.
func (p *Problem) write(w http.ResponseWriter) {
	for name, values := range p.headers {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // whoever asked may be gone
}
