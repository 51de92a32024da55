package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
)

// kiln is a study of reported costs whose trials are quickly thought of.
const kiln = `name: kiln
objective: {name: strength, goal: maximize}
cost: {source: reported, unit: euros}
budget: {total: 100, per_trial: 5}
parameters:
  x: {type: float, min: 0, max: 1}
  n: {type: int, min: 1, max: 50}
  glaze: {type: choice, values: [ash, tin]}
policy: {name: random}
`

// timed is one whose cost is wall time.
const timed = `name: timed
objective: {goal: minimize}
cost: {source: walltime}
budget: {total: 40s, per_trial: 20s}
parameters:
  x: {type: float, min: 0, max: 1}
policy: {name: random}
`

// given is a server with a store, to be talked to.
type given struct {
	t      testing.TB
	store  store.Store
	server *server.Server
	url    string
	token  string
	log    *lockedBuffer
	client *http.Client
}

// serve starts a server for a test.
func serve(t testing.TB, change ...func(*server.Config)) *given {
	t.Helper()
	g := start(t, usual(), change...)
	h := httptest.NewServer(g.server)
	g.url, g.client = h.URL, http.DefaultClient
	t.Cleanup(func() {
		g.server.Close()
		h.Close()
	})
	return g
}

// start makes a server, on a store of that kind unless the test has one. Nobody can talk to it yet.
func start(t testing.TB, kind string, change ...func(*server.Config)) *given {
	t.Helper()
	g := &given{t: t, log: &lockedBuffer{}}
	c := server.Config{Rate: 1e6, Log: slog.New(slog.NewTextHandler(g.log, nil))}
	for _, f := range change {
		f(&c)
	}
	if c.Store == nil {
		c.Store = openStore(t, kind)
	}
	g.store, g.server = c.Store, server.New(c)
	return g
}

// lockedBuffer can be read while it is written to.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// answered is what came back.
type answered struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   []byte
}

// call sends a request. A body that is no text is sent as JSON; headers are in pairs.
func (g *given) call(method, path string, body any, headers ...string) answered {
	g.t.Helper()
	var in io.Reader
	kind := ""
	switch b := body.(type) {
	case nil:
	case string:
		in, kind = strings.NewReader(b), "application/yaml"
		if b := strings.TrimSpace(b); b != "" && strings.ContainsAny(b[:1], "{[") {
			kind = "application/json"
		}
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			g.t.Fatal(err)
		}
		in, kind = bytes.NewReader(raw), "application/json"
	}
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.url+path, in)
	if err != nil {
		g.t.Fatal(err)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if g.token != "" {
		r.Header.Set("Authorization", "Bearer "+g.token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := g.client.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return answered{g.t, method + " " + path, resp.StatusCode, resp.Header, raw}
}

func (g *given) get(path string, headers ...string) answered {
	g.t.Helper()
	return g.call(http.MethodGet, "/api/v1"+path, nil, headers...)
}

func (g *given) post(path string, body any, headers ...string) answered {
	g.t.Helper()
	return g.call(http.MethodPost, "/api/v1"+path, body, headers...)
}

// create creates a study from its file.
func (g *given) create(file string) {
	g.t.Helper()
	g.post("/studies", file).fine(http.StatusCreated, nil)
}

// fine expects a status, and reads the body.
func (a answered) fine(status int, into any) {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: %d, want %d: %s", a.what, a.status, status, a.body)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		a.t.Fatalf("%s: %v: %s", a.what, err, a.body)
	}
}

// refused expects a problem, with that field if there is one.
func (a answered) refused(status int, code fault.Code, field string) api.Problem {
	a.t.Helper()
	var p api.Problem
	if err := json.Unmarshal(a.body, &p); err != nil || a.header.Get("Content-Type") != "application/problem+json" {
		a.t.Fatalf("%s: %d, no problem document (%s): %s", a.what, a.status, a.header.Get("Content-Type"), a.body)
	}
	if a.status != status || p.Status != status || p.Code != code || p.Detail == "" || p.Title == "" {
		a.t.Errorf("%s: %d, want %d %s: %s", a.what, a.status, status, code, a.body)
	}
	for _, f := range p.Errors {
		if f.Location == field {
			return p
		}
	}
	if field != "" {
		a.t.Errorf("%s: the problem does not name %s: %s", a.what, field, a.body)
	}
	return p
}
