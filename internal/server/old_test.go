package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/server"
)

// exchange is a request of a worker of version 5527255, and the answer of a server of that version.
type exchange struct {
	Method, Path, Key string
	Request           json.RawMessage
	Status            int
	Answer            any
}

// longLease does not end on a busy machine. The leases of the server of that version took a second.
const longLease = time.Hour

// Workers of the version before go on to work with this server: it takes what they send, and answers with all that they read.
// Fields may be added, but none may change.
func TestOldWorker(t *testing.T) {
	raw, err := os.ReadFile("testdata/old-worker.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded []exchange
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	g := serve(t, func(c *server.Config) { c.Lease = longLease })
	verbs := map[string]int{}
	for _, e := range recorded {
		var body any
		if len(e.Request) > 0 {
			body = string(e.Request)
			if file := ""; json.Unmarshal(e.Request, &file) == nil { // a study file
				body = file
			}
		}
		var headers []string
		if e.Key != "" {
			headers = []string{"Idempotency-Key", e.Key}
		}
		var got any
		answer := g.call(e.Method, e.Path, body, headers...)
		if strings.HasSuffix(e.Path, "/ask") && e.Status == http.StatusConflict && answer.status == http.StatusOK {
			continue // whether anything is worth trying is a decision of today's models
		}
		answer.fine(e.Status, &got)
		if at := missing(e.Answer, got, ""); at != "" {
			t.Errorf("%s %s: %s\nwas %v\nnow %v", e.Method, e.Path, at, e.Answer, got)
		}
		verbs[e.Path[len(e.Path)-4:]]++
	}
	if verbs["/ask"] < 6 || verbs["beat"] < 3 || verbs["tell"] < 4 || verbs["fail"] < 2 {
		t.Errorf("the record has %v", verbs)
	}
}

// volatile are the fields that differ from one time to the next, texts for people, and forecasts and what is reserved by them, which are those
// of today's models.
var volatile = []string{"at", "buys", "changed", "created", "asked", "started", "finished", "thinking", "until", "detail", "expected", "left", "limit", "reserved", "why"}

// missing compares what was answered with what is answered now, and says what is not there any more, or is different.
func missing(was, is any, at string) string {
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok {
			return at + " is no object"
		}
		for name, value := range was {
			now, ok := is[name]
			switch {
			case !ok:
				return at + "." + name + " is missing"
			case name == "value" && now == nil && value == 0.0 && is["state"] != "done": // null is read as no value, as 0 was
			case name == "code" && value == "not_worth" && now == "budget_spent": // a worker of that version ends at either
			case name == "lease_seconds" && value == 1.0 && now == longLease.Seconds():
			case slices.Contains(volatile, name):
				if fmt.Sprintf("%T", now) != fmt.Sprintf("%T", value) {
					return at + "." + name + " is of another type"
				}
			default:
				if wrong := missing(value, now, at+"."+name); wrong != "" {
					return wrong
				}
			}
		}
		return ""
	case []any:
		is, ok := is.([]any)
		if !ok || len(is) != len(was) {
			return at + " is another list"
		}
		for i := range was {
			if wrong := missing(was[i], is[i], fmt.Sprintf("%s[%d]", at, i)); wrong != "" {
				return wrong
			}
		}
		return ""
	}
	if was != is {
		return fmt.Sprintf("%s is %v, and was %v", at, is, was)
	}
	return ""
}
