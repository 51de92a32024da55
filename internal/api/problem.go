package api

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/eke-bo/eke/internal/fault"
)

// Problem is the body of every answer that is an error (RFC 9457).
type Problem struct {
	Title  string        `json:"title"`
	Status int           `json:"status" doc:"The HTTP status."`
	Code   fault.Code    `json:"code" doc:"What went wrong, for programs."`
	Detail string        `json:"detail" doc:"What went wrong, for people."`
	Hint   string        `json:"hint,omitempty" doc:"What to do about it."`
	Errors []*FieldError `json:"errors,omitempty" doc:"What is wrong with each field of the request."`

	Header http.Header `json:"-"` // headers of the answer
}

// FieldError is one thing that is wrong with a request.
type FieldError struct {
	Location string `json:"location,omitempty" doc:"The field, such as body.value, or body.parameters.lr.min in a study's definition."`
	Message  string `json:"message" doc:"What is wrong with it."`
	Value    any    `json:"value,omitempty" doc:"What the request has there, if it is short."`
	Line     int    `json:"line,omitempty" doc:"The line of a definition in YAML, from 1."`
	Column   int    `json:"column,omitempty" doc:"The column of a definition in YAML, from 1."`
	Hint     string `json:"hint,omitempty" doc:"What to do about it."`
}

// Codes are the codes that a server sends. A program may depend on them: there may be more one day, but none changes.
var Codes = []fault.Code{
	fault.BadRequest, fault.Unauthenticated, fault.Forbidden, fault.NotFound, fault.Exists, fault.Conflict, fault.UnknownLease, fault.BudgetSpent, fault.BudgetPending,
	fault.NotWorth, fault.Exhausted, fault.Closed, fault.TooLarge, fault.TooMany, fault.Unavailable, fault.Paused,
}

// codeOnWire is the code that stands for a code on the wire. Clients need not know why a store fails, and the oldest
// ones know only the codes above.
func codeOnWire(code fault.Code) fault.Code {
	switch code {
	case fault.BadStudy:
		return fault.BadRequest
	case fault.Deadline:
		return fault.Closed
	case fault.StoreBusy, fault.StoreFull, fault.StoreAway, fault.StoreBroken, fault.StoreDenied, fault.Interrupted, fault.Late,
		fault.CannotRun, fault.NotServer, fault.Internal:
		return fault.Unavailable
	}
	return code
}

// NewProblem returns a problem with the status of its code.
func NewProblem(code fault.Code, hint, format string, args ...any) *Problem {
	p := &Problem{
		Title: http.StatusText(code.Status()), Status: code.Status(), Code: codeOnWire(code), Detail: fmt.Sprintf(format, args...), Hint: hint,
	}
	return p.WithHeader(exitHeader, strconv.Itoa(p.Code.Exit()))
}

// exitHeader says which exit code a problem means. A program that does not know the code, since it is older, still ends with the right one.
const exitHeader = "Eke-Exit"

// codeOfExit is the code that stands for one that is not known.
var codeOfExit = map[string]fault.Code{
	strconv.Itoa(fault.ExitUsage): fault.BadRequest, strconv.Itoa(fault.ExitOver): fault.Closed,
	strconv.Itoa(fault.ExitPending): fault.BudgetPending, strconv.Itoa(fault.ExitNotFound): fault.NotFound,
}

// WithStatus sets a status other than that of the code.
func (p *Problem) WithStatus(status int) *Problem {
	p.Status, p.Title = status, http.StatusText(status)
	return p
}

// WithHeader sets a header of the answer.
func (p *Problem) WithHeader(name, value string) *Problem {
	if p.Header == nil {
		p.Header = http.Header{}
	}
	p.Header.Set(name, value)
	return p
}

// Invalid returns a problem with one field of a request.
func Invalid(location, format string, args ...any) *Problem {
	message := fmt.Sprintf(format, args...)
	p := NewProblem(fault.BadRequest, "", "%s: %s", location, message)
	p.Errors = []*FieldError{{Location: location, Message: message}}
	return p
}

func (p *Problem) Error() string { return p.Detail }

// GetStatus, GetHeaders and ContentType are what the server's framework asks an error for.
func (p *Problem) GetStatus() int            { return p.Status }
func (p *Problem) GetHeaders() http.Header   { return p.Header }
func (p *Problem) ContentType(string) string { return "application/problem+json" }

func (f *FieldError) Error() string { return f.Location + ": " + f.Message }
