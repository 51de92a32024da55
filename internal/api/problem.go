package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

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

// Response is the cause of the error that a client returns for a refusal: what the answer said besides the problem.
type Response struct {
	Status     int
	RetryAfter time.Duration // 0: the server did not say
}

func (r *Response) Error() string { return fmt.Sprintf("the server answered %d", r.Status) }

// Wait is how long the server asked to wait before the next attempt; 0: it did not say.
func (r *Response) Wait() time.Duration { return r.RetryAfter }

// maxRetryAfter bounds the wait that a server may ask for.
const maxRetryAfter = 5 * time.Minute

// refusal is the error of an answer that is one.
//
// What answers without a problem of ours is a proxy whose server is being restarted, if the status is one that passes;
// otherwise it is no eke server. A bug of the server's is Internal, whatever the code.
func (c *Client) refusal(resp *http.Response, raw []byte) error {
	cause := &Response{Status: resp.StatusCode}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		cause.RetryAfter = min(time.Duration(min(seconds, 1e6))*time.Second, maxRetryAfter)
	}
	var p struct {
		Code   fault.Code `json:"code"`
		Detail string     `json:"detail"`
		Hint   string     `json:"hint"`
		Mend   string     `json:"mend"` // the hint of a server of version 0.1.0
	}
	if err := json.Unmarshal(raw, &p); err == nil && p.Code != "" {
		if resp.StatusCode == http.StatusInternalServerError {
			p.Code = fault.Internal
		} else if p.Code.Status() == 0 { // a newer server's
			p.Code = cmp.Or(codeOfExit[resp.Header.Get(exitHeader)], CodeOfStatus(resp.StatusCode))
		}
		return fault.Wrap(cause, p.Code, cmp.Or(p.Hint, p.Mend), "%s", p.Detail)
	}
	if code := CodeOfStatus(resp.StatusCode); code.Retryable() {
		return fault.Wrap(cause, code, "", "the server cannot be reached: something in between answered %s", resp.Status)
	}
	why := "it answered " + resp.Status
	if to := resp.Header.Get("Location"); to != "" {
		why += " and redirects to " + to
	}
	return fault.Wrap(cause, fault.NotServer, "check the address", "%s is not an eke server: %s", c.base, why)
}

// CodeOfStatus is the code of an answer that has only a status.
func CodeOfStatus(status int) fault.Code {
	switch code, known := codeOfStatus[status]; {
	case known:
		return code
	case status >= 500:
		return fault.Unavailable
	}
	return fault.BadRequest
}

var codeOfStatus = map[int]fault.Code{
	http.StatusUnauthorized:          fault.Unauthenticated,
	http.StatusForbidden:             fault.Forbidden,
	http.StatusNotFound:              fault.NotFound,
	http.StatusConflict:              fault.Conflict,
	http.StatusRequestEntityTooLarge: fault.TooLarge,
	http.StatusTooManyRequests:       fault.TooMany,
	http.StatusRequestTimeout:        fault.Unavailable,
}
