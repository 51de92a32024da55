package recorded

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// The server tells what was asked that nobody had asked before, and shows nothing that has not happened yet.
func TestServer(t *testing.T) {
	event := func(seq string) json.RawMessage { return json.RawMessage(`{"events": [{"seq": ` + seq + `}]}`) }
	s := &Server{Exchanges: []Exchange{
		{Method: "POST", Path: "/s/ask", Status: 200, Answer: json.RawMessage(`1`)},
		{Method: "GET", Path: "/s/log?after=0&limit=9", Status: 200, Answer: event("1")},
		{Method: "GET", Path: "/s", Status: 200, Answer: json.RawMessage(`"first"`)},
		{Method: "POST", Path: "/s/trials/1/heartbeat", Status: 200, Answer: json.RawMessage(`"alive"`)},
		{Method: "POST", Path: "/s/ask", Status: 409, Answer: json.RawMessage(`2`)},
		{Method: "GET", Path: "/s/log?after=1&limit=9", Status: 200, Answer: event("2")},
		{Method: "GET", Path: "/s", Status: 200, Answer: json.RawMessage(`"second"`)},
	}}
	for i, c := range []struct{ method, path, key, want string }{
		{"POST", "/s/ask", "a", "1"}, {"POST", "/s/ask", "a", "1"}, {"GET", "/s", "", "first"}, {"GET", "/s/log?after=0&limit=7", "", `{"events":[{"seq":1}]}`},
		{"POST", "/s/trials/2/heartbeat", "", "alive"}, {"GET", "/s", "", "first"},
		{"POST", "/s/ask", "b", "2"}, {"POST", "/s/ask", "c", "2"}, {"GET", "/s", "", "second"}, {"GET", "/s/log?after=0", "", `{"events":[{"seq":1},{"seq":2}]}`},
		{"POST", "/s/tell", "", "the record does not have POST /s/tell"}, {"GET", "/t", "", "the record does not have GET /t"},
	} {
		r, w := httptest.NewRequest(c.method, c.path, strings.NewReader("{}")), httptest.NewRecorder()
		r.Header.Set("Idempotency-Key", c.key)
		s.ServeHTTP(w, r)
		if got := strings.TrimSpace(w.Body.String()); got != c.want {
			t.Errorf("%d: %s %s is answered %s, not %s", i, c.method, c.path, got, c.want)
		}
	}
	list, unknown := s.Requests()
	if len(list) != 6 || list[3].Key() != "b" || string(list[3].Body()) != "{}" || !slices.Equal(unknown, []string{"POST /s/tell", "GET /t"}) {
		t.Errorf("%+v, %q", list, unknown)
	}
	if (Exchange{Method: http.MethodPost, Path: "/s/trials/1/cost"}).Ends() || !(Exchange{Path: "/s/trials/1/fail"}).Ends() {
		t.Error("which requests end a trial")
	}
}
