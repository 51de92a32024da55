package server

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// metrics counts what happens, in a registry of its own: one program may have several servers.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	latencies *prometheus.HistogramVec
	asks      *prometheus.CounterVec
	tells     *prometheus.CounterVec
	open      *prometheus.GaugeVec
	abandoned *prometheus.CounterVec
	thinking  *prometheus.HistogramVec
	streams   prometheus.Gauge

	mu      sync.Mutex
	studies map[string]bool
}

// mostLabelled is how many studies have metrics of their own. The others share the label "other".
const mostLabelled = 100

func newMetrics() *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "eke", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "eke", Name: name, Help: help, Buckets: buckets}, labels)
	}
	m := &metrics{
		registry:  prometheus.NewRegistry(),
		requests:  counter("http_requests_total", "Requests answered.", "route", "status"),
		latencies: histogram("http_request_seconds", "Time to answer a request.", prometheus.ExponentialBuckets(0.001, 2, 15), "route"),
		asks:      counter("asks_total", "Asks, by outcome.", "study", "outcome"),
		tells:     counter("tells_total", "Trials ended over HTTP, by state.", "study", "state"),
		open:      prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "eke", Name: "open_trials", Help: "Trials under way."}, []string{"study"}),
		abandoned: counter("abandoned_total", "Leases ended because the worker fell silent.", "study"),
		thinking:  histogram("thinking_seconds", "Time to choose a trial.", prometheus.ExponentialBuckets(0.001, 2, 16), "study"),
		streams:   prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "eke", Name: "streams", Help: "Clients that listen for events."}),
		studies:   map[string]bool{},
	}
	m.registry.MustRegister(m.requests, m.latencies, m.asks, m.tells, m.open, m.abandoned, m.thinking, m.streams,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
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
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	if !strings.HasSuffix(route, "/events") { // these last as long as somebody listens
		m.latencies.WithLabelValues(route).Observe(took.Seconds())
	}
}

func (m *metrics) asked(name string, t study.Trial, code fault.Code) {
	label := m.label(name)
	m.asks.WithLabelValues(label, string(cmp.Or(code, "trial"))).Inc()
	if code == "" {
		m.thinking.WithLabelValues(label).Observe(t.Thinking)
	}
}

func (m *metrics) told(name string, state study.State) {
	m.tells.WithLabelValues(m.label(name), string(state)).Inc()
}

func (m *metrics) silent(name string) { m.abandoned.WithLabelValues(m.label(name)).Inc() }

func (m *metrics) openTrials(name string, n int) {
	if label := m.label(name); label != "other" {
		m.open.WithLabelValues(label).Set(float64(n))
	}
}
