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
