package recorded

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Exchange is a request and its answer; see testdata/e491636/record.py.
type Exchange struct {
	Method, Path string
	Headers      map[string]string // of the request, as far as they matter
	Request      json.RawMessage   // JSON, or a text as a JSON string
	Status       int
	Answered     map[string]string // headers of the answer
	Answer       json.RawMessage
}

// Read returns the exchanges of a file, in their order.
func Read(t testing.TB, file string) (list []Exchange) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		var e Exchange
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v in %s", file, err, line)
		}
		list = append(list, e)
	}
	return list
}

// Key is the request's idempotency key.
func (e Exchange) Key() string { return e.Headers["Idempotency-Key"] }

// Body is what was sent.
func (e Exchange) Body() []byte { return plain(e.Request) }

// Said is what was answered.
func (e Exchange) Said() []byte { return plain(e.Answer) }

// plain is a body that was recorded.
func plain(raw json.RawMessage) []byte {
	if text := ""; json.Unmarshal(raw, &text) == nil { // null, too
		return []byte(text)
	}
	return raw
}

// Ends says whether the request ends a trial.
func (e Exchange) Ends() bool {
	return strings.Contains(e.Path, "/trials/") && (strings.HasSuffix(e.Path, "/tell") || strings.HasSuffix(e.Path, "/fail"))
}
