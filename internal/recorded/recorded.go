// Package recorded is for tests: it reads what clients and servers of an earlier version said to each other, and answers as that server did.
package recorded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Server answers as a server did that was recorded. What changes something is answered as it was the first time, the second time, and so
// on; a repetition is answered alike. What is read is as it was when the last change of the record had been made.
type Server struct {
	Exchanges []Exchange

	mu       sync.Mutex
	now      int            // up to this exchange everything has happened
	used     []bool         // exchanges that have happened
	again    map[string]int // the exchange that answered a request with a key
	requests []Exchange     // what was asked, without the answers
	unknown  []string       // requests that were never recorded
}

// Requests returns what was asked for with a method other than GET, and the requests that the record has no answer to.
func (s *Server) Requests() (list []Exchange, unknown []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests), slices.Clone(s.unknown)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used == nil {
		s.used, s.again = make([]bool, len(s.Exchanges)), map[string]int{}
	}
	path := r.URL.RequestURI()
	var at int
	if r.Method == http.MethodGet {
		if strings.HasSuffix(r.URL.Path, "/log") {
			s.log(w, r)
			return
		}
		at = s.read(path)
	} else {
		key := r.Header.Get("Idempotency-Key")
		s.requests = append(s.requests, Exchange{Method: r.Method, Path: path, Headers: map[string]string{"Idempotency-Key": key}, Request: asJSON(body)})
		at = s.change(r.Method, path, key)
	}
	if at < 0 {
		s.unknown = append(s.unknown, r.Method+" "+path)
		http.Error(w, "the record does not have "+r.Method+" "+path, http.StatusTeapot)
		return
	}
	e := s.Exchanges[at]
	for name, value := range e.Answered {
		w.Header().Set(name, value)
	}
	w.WriteHeader(e.Status)
	_, _ = w.Write(e.Said()) // whoever has gone does not read it
}

// change finds the answer to a request that changes something; -1 if there is none.
func (s *Server) change(method, path, key string) int {
	if at, ok := s.again[path+" "+key]; ok && key != "" {
		return at
	}
	const beat = "/heartbeat" // on a slower machine, more trials need some, and they are all answered alike
	last := slices.IndexFunc(s.Exchanges, func(e Exchange) bool { return strings.HasSuffix(path, beat) && strings.HasSuffix(e.Path, beat) })
	for i, e := range s.Exchanges {
		if e.Method != method || e.Path != path {
			continue
		}
		if last = i; !s.used[i] {
			break
		}
	}
	if last >= 0 {
		s.used[last] = true
		if s.Exchanges[last].Path == path {
			s.now = max(s.now, last)
		}
		s.again[path+" "+key] = last
	}
	return last
}

// read finds the latest answer to a read; -1 if there is none.
func (s *Server) read(path string) int {
	found := -1
	for i, e := range s.Exchanges {
		if e.Method == http.MethodGet && e.Path == path && (found < 0 || i < s.next()) {
			found = i
		}
	}
	return found
}

// log answers with the events that have happened after one.
func (s *Server) log(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	events := []json.RawMessage{}
	for _, e := range s.Exchanges[:s.next()] {
		if e.Method != http.MethodGet || !strings.HasPrefix(e.Path, r.URL.Path+"?") {
			continue
		}
		var log struct{ Events []json.RawMessage }
		if err := json.Unmarshal(e.Answer, &log); err != nil {
			http.Error(w, err.Error(), http.StatusTeapot)
			return
		}
		for _, event := range log.Events {
			var head struct{ Seq int64 }
			if json.Unmarshal(event, &head) == nil && head.Seq == after+1 {
				events, after = append(events, event), head.Seq
			}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"events": events})
}

// next is the first change that has not happened yet.
func (s *Server) next() int {
	for i := s.now + 1; i < len(s.Exchanges); i++ {
		if s.Exchanges[i].Method != http.MethodGet {
			return i
		}
	}
	return len(s.Exchanges)
}

// asJSON is a body as Exchange keeps it.
func asJSON(body []byte) json.RawMessage {
	if json.Valid(body) {
		return body
	}
	return json.RawMessage(fmt.Sprintf("%q", body))
}

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
