package server

import (
	"bytes"
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// metrics counts what happens in one server.
type metrics struct {
	requests, latencies, asks, tells, open, abandoned, thinking, streams *family

	mu      sync.Mutex
	studies map[string]bool
}

// mostLabelled is how many studies have metrics of their own. The others share the label "other".
const mostLabelled = 100

func newMetrics() *metrics {
	of := func(kind, name, help string, labels ...string) *family {
		return &family{name: "eke_" + name, kind: kind, help: help, labels: labels}
	}
	m := &metrics{
		requests:  of(counter, "http_requests_total", "Requests answered.", "route", "status"),
		latencies: of(histogram, "http_request_seconds", "Time to answer a request.", "route"),
		asks:      of(counter, "asks_total", "Asks, by outcome.", "outcome", "study"),
		tells:     of(counter, "tells_total", "Trials ended over HTTP, by state.", "state", "study"),
		open:      of(gauge, "open_trials", "Trials under way.", "study"),
		abandoned: of(counter, "abandoned_total", "Leases ended because the worker fell silent.", "study"),
		thinking:  of(histogram, "thinking_seconds", "Time to choose a trial.", "study"),
		streams:   of(gauge, "streams", "Clients that listen for events."),
		studies:   map[string]bool{},
	}
	m.latencies.bounds, m.thinking.bounds = doubling(0.001, 15), doubling(0.001, 16)
	m.streams.set(0)
	return m
}

func (m *metrics) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var text bytes.Buffer
		for _, f := range append(processMetrics(), m.abandoned, m.asks, m.latencies, m.requests, m.open, m.streams, m.tells, m.thinking) {
			f.write(&text)
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(text.Bytes()) // whoever asked may be gone
	})
}

// label bounds the number of labels, however many studies there are.
func (m *metrics) label(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.studies[name] || len(m.studies) < mostLabelled {
		m.studies[name] = true
		return name
	}
	return "other"
}

func (m *metrics) request(r *http.Request, status int, took time.Duration) {
	route := cmp.Or(r.Pattern, "none") // and not the path, which may be anything
	m.requests.add(1, route, strconv.Itoa(status))
	if !strings.HasSuffix(route, "/events") { // these last as long as somebody listens
		m.latencies.observe(took.Seconds(), route)
	}
}

func (m *metrics) asked(name string, t study.Trial, code fault.Code) {
	label := m.label(name)
	m.asks.add(1, string(cmp.Or(code, "trial")), label)
	if code == "" {
		m.thinking.observe(t.Thinking, label)
	}
}

func (m *metrics) told(name string, state study.State) {
	m.tells.add(1, string(state), m.label(name))
}

func (m *metrics) silent(name string) { m.abandoned.add(1, m.label(name)) }

func (m *metrics) openTrials(name string, n int) {
	if label := m.label(name); label != "other" {
		m.open.set(float64(n), label)
	}
}
