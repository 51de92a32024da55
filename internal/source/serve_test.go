package source_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// site is a server that can be shut and opened again at the same address, as a restart does.
type site struct {
	t       *testing.T
	store   store.Store
	lease   time.Duration
	address string
	gate    *gate
	server  *server.Server
	http    *http.Server
	wrap    []func(http.Handler) http.Handler
}

func newSite(t *testing.T, lease time.Duration, wrap ...func(http.Handler) http.Handler) *site {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "eke.db"))
	if err != nil {
		t.Fatal(err)
	}
	h := &site{t: t, store: st, lease: lease, gate: newGate(t), wrap: wrap}
	h.address = h.gate.port.Addr().String()
	h.open()
	t.Cleanup(func() {
		h.shut()
		st.Close()
	})
	return h
}

func (h *site) open() {
	h.server = server.New(server.Config{Store: h.store, Lease: h.lease, Rate: 1e6})
	var handler http.Handler = h.server
	for _, wrap := range h.wrap {
		handler = wrap(handler)
	}
	h.http = &http.Server{Handler: handler}
	go h.http.Serve(h.gate.open())
}

// shut cuts all connections off.
func (h *site) shut() {
	if h.http != nil {
		h.http.Close()
		h.server.Close()
		h.http = nil
	}
}

// create creates a study whose command is a shell script; the braces of placeholders are doubled.
func (h *site) create(head, script string) {
	h.t.Helper()
	text := head + fmt.Sprintf("\ncommand: [sh, -c, %q]\n", strings.NewReplacer("{", "{{", "}", "}}").Replace(script))
	r, err := http.Post("http://"+h.address+"/api/v1/studies", "application/yaml", strings.NewReader(text))
	if err != nil {
		h.t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusCreated {
		raw := make([]byte, 2000)
		n, _ := r.Body.Read(raw)
		h.t.Fatalf("%s: %s", r.Status, raw[:n])
	}
}

func (h *site) record(name string) *study.Record {
	h.t.Helper()
	return h.recordAt(name, math.MaxInt64)
}

// recordAt is the study as it stood after so many events.
func (h *site) recordAt(name string, version int64) *study.Record {
	h.t.Helper()
	head, events, err := h.store.Read(context.Background(), name, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	r := study.NewRecord(head.Total, head.Measured)
	for _, e := range events[:min(version, int64(len(events)))] {
		if err := r.Apply(e); err != nil {
			h.t.Fatal(err)
		}
	}
	return r
}

// upToDate waits until a source shows the study as it stands. On a busy machine the server may not answer in time; then the source shows
// it as it last stood, and asks again some seconds later.
func (h *site) upToDate(s runner.Source, name string) *study.Record {
	h.t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		got, err := s.Record(h.t.Context())
		if err == nil && got.Version == h.record(name).Version {
			return got
		}
		if time.Now().After(end) {
			h.t.Fatalf("the record is not the server's: %+v, %v", got, err)
		}
	}
}

// heard is what a worker told.
type heard struct {
	mu   sync.Mutex
	list []runner.News
	on   func(runner.News)
}

func (h *heard) tell(n runner.News) {
	h.mu.Lock()
	h.list = append(h.list, n)
	h.mu.Unlock()
	if h.on != nil {
		h.on(n)
	}
}

func (h *heard) kinds(kind runner.Kind) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, news := range h.list {
		if news.Kind == kind {
			n++
		}
	}
	return n
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b strings.Builder
	for _, n := range h.list {
		fmt.Fprintf(&b, "%s %s %s", n.At.Format("05.000"), n.Kind, n.Text)
		if n.Trial != nil {
			fmt.Fprintf(&b, " [%d %s %s]", n.Trial.Number, n.Trial.State, n.Trial.Note)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// config is a worker's for this site.
func (h *site) config(name string, to *heard) runner.Config {
	h.t.Helper()
	c, err := api.NewClient(api.Config{URL: "http://" + h.address})
	if err != nil {
		h.t.Fatal(err)
	}
	return runner.Config{
		Source: &source.Server{Client: c, Name: name}, Engine: &local.Engine{}, Dir: h.t.TempDir(), WorkDir: h.t.TempDir(), Parallel: 1, Tell: to.tell,
	}
}

// at is the kiln on another server, or spoken to otherwise.
func at(c *api.Client, err error) (runner.Source, error) {
	return &source.Server{Client: c, Name: "kiln"}, err
}

// unsettled lists what is left in the journals.
func unsettled(t *testing.T, c runner.Config) []string {
	t.Helper()
	var all []string
	for _, folder := range []string{"journal", "refused"} {
		list, err := filepath.Glob(filepath.Join(c.Dir, "run-*", folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, list...)
	}
	return all
}

const reported = `name: kiln
objective: {name: strength, goal: maximize}
cost: {source: reported, unit: euros}
budget: {total: 10, per_trial: 2}
parameters:
  x: {type: float, min: 0, max: 1}
policy: {name: random}`

const timed = `name: timed
objective: {goal: minimize}
cost: {source: walltime}
budget: {total: 4s, per_trial: 3s}
parameters:
  x: {type: float, min: 0, max: 1}
policy: {name: random}`
