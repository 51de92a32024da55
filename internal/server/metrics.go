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
	studies map[string]time.Time // those that have metrics of their own, and when each was created
}

// mostLabelled is how many studies have metrics of their own. The others share a label.
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
		studies:   map[string]time.Time{},
	}
	m.latencies.bounds, m.thinking.bounds = doubling(0.001, 15), doubling(0.001, 16)
	m.streams.set(0)
	return m
}

// getMetrics shows all metrics to whoever sees all studies, and to others those of the studies that they see: how busy the server is tells
// what the rest is doing.
func (s *Server) getMetrics(w http.ResponseWriter, r *http.Request) {
	var text bytes.Buffer
	m := s.metrics
	if seesAll(r.Context()) {
		for _, f := range append(processMetrics(), m.abandoned, m.asks, m.latencies, m.requests, m.open, m.streams, m.tells, m.thinking) {
			f.write(&text)
		}
	} else {
		cards, err := s.look(r.Context())
		if err != nil {
			write(w, s.explain(err))
			return
		}
		shown := m.of(cards)
		for _, f := range m.perStudy() {
			f.writeOf(&text, shown)
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(text.Bytes()) // whoever asked may be gone
}

// perStudy are the metrics whose last label is the study.
func (m *metrics) perStudy() []*family {
	return []*family{m.abandoned, m.asks, m.open, m.tells, m.thinking}
}

// of returns which of some studies have metrics of their own. Those of an earlier study of the same name are not theirs.
func (m *metrics) of(cards []*card) map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	labels := map[string]bool{}
	for _, c := range cards {
		if created, ok := m.studies[c.head.Name]; ok && created.Equal(c.head.Created) {
			labels[c.head.Name] = true
		}
	}
	return labels
}

// shared is the label of the studies that have no metrics of their own. A study of that name is always among them.
const shared = "other"

// label bounds the number of labels, however many studies there are. A study whose name another one had begins anew.
func (m *metrics) label(o *openStudy) string {
	name := o.broker.Study().Name
	m.mu.Lock()
	defer m.mu.Unlock()
	created, known := m.studies[name]
	if name == shared || !known && len(m.studies) >= mostLabelled {
		return shared
	}
	if known && !created.Equal(o.created) {
		for _, f := range m.perStudy() {
			f.forget(name)
		}
	}
	m.studies[name] = o.created
	return name
}

func (m *metrics) request(r *http.Request, status int, took time.Duration) {
	route := cmp.Or(r.Pattern, "none") // and not the path, which may be anything
	m.requests.add(1, route, strconv.Itoa(status))
	if !strings.HasSuffix(route, "/events") { // these last as long as somebody listens
		m.latencies.observe(took.Seconds(), route)
	}
}

func (m *metrics) asked(o *openStudy, t study.Trial, code fault.Code) {
	label := m.label(o)
	m.asks.add(1, string(cmp.Or(code, "trial")), label)
	if code == "" {
		m.thinking.observe(t.Thinking, label)
	}
}

func (m *metrics) told(o *openStudy, state study.State) {
	m.tells.add(1, string(state), m.label(o))
}

func (m *metrics) silent(o *openStudy) { m.abandoned.add(1, m.label(o)) }

func (m *metrics) openTrials(o *openStudy, n int) {
	if label := m.label(o); label != shared {
		m.open.set(float64(n), label)
	}
}
