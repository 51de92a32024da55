package server

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"os"
	"runtime"
	"slices"
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

// perStudy are the metrics whose last label is the study.
func (m *metrics) perStudy() []*family {
	return []*family{m.abandoned, m.asks, m.open, m.tells, m.thinking}
}

// processMetrics describe the program, by the names under which dashboards look for them.
func processMetrics() []*family {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	threads, _ := runtime.ThreadCreateProfile(nil)
	about := &family{name: "go_info", kind: gauge, help: "The version of Go.", labels: []string{"version"}}
	about.set(1, runtime.Version())
	one := func(kind, name, help string, value float64) *family {
		f := &family{name: name, kind: kind, help: help}
		f.set(value)
		return f
	}
	list := []*family{
		about,
		one(gauge, "go_goroutines", "Goroutines.", float64(runtime.NumGoroutine())),
		one(gauge, "go_threads", "Threads created.", float64(threads)),
		one(counter, "go_gc_cycles_total", "Garbage collections.", float64(memory.NumGC)),
		one(gauge, "go_memstats_heap_alloc_bytes", "Memory in use or not yet collected.", float64(memory.HeapAlloc)),
		one(gauge, "go_memstats_heap_inuse_bytes", "Memory in spans that are in use.", float64(memory.HeapInuse)),
		one(gauge, "go_memstats_sys_bytes", "Memory got from the system.", float64(memory.Sys)),
		one(gauge, "go_memstats_next_gc_bytes", "Memory in use at which the next collection begins.", float64(memory.NextGC)),
		one(counter, "go_memstats_alloc_bytes_total", "Memory allocated, freed or not.", float64(memory.TotalAlloc)),
	}
	return append(list, linuxMetrics(one)...)
}

// linuxMetrics are what /proc says. Other systems have none.
func linuxMetrics(one func(kind, name, help string, value float64) *family) []*family {
	const ticks = 100 // a second, on every Linux
	raw, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return nil
	}
	_, after, _ := strings.Cut(string(raw), ") ") // the program's name before it may have spaces
	fields := strings.Fields(after)
	field := func(i int) float64 { // numbered as in proc(5); the third is the first after the name
		if i-3 >= len(fields) {
			return 0
		}
		x, _ := strconv.ParseFloat(fields[i-3], 64)
		return x
	}
	list := []*family{
		one(counter, "process_cpu_seconds_total", "Processor time used.", (field(14)+field(15))/ticks),
		one(gauge, "process_virtual_memory_bytes", "Virtual memory.", field(23)),
		one(gauge, "process_resident_memory_bytes", "Resident memory.", field(24)*float64(os.Getpagesize())),
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		list = append(list, one(gauge, "process_open_fds", "Open files and connections.", float64(len(open))))
	}
	if stat, err := os.ReadFile("/proc/stat"); err == nil {
		if _, after, ok := strings.Cut(string(stat), "\nbtime "); ok {
			text, _, _ := strings.Cut(after, "\n")
			booted, _ := strconv.ParseFloat(text, 64)
			list = append(list, one(gauge, "process_start_time_seconds", "When it started, since 1970.", booted+field(22)/ticks))
		}
	}
	return list
}

// family is a metric for Prometheus: a number, or a histogram, for each combination of the values of its labels. It writes itself in
// the text format, version 0.0.4.
type family struct {
	name, kind, help string
	labels           []string
	bounds           []float64 // of the buckets of a histogram

	mu     sync.Mutex
	series map[string]*series // by their labels, as they are written
}

type series struct {
	last    string  // the value of its last label
	value   float64 // of a histogram: the sum
	count   int
	buckets []int // how many were at most as large as each bound, and larger than the one before
}

// Kinds of metrics. A counter never goes down.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
)

// doubling returns n bounds, each twice the one before.
func doubling(first float64, n int) (bounds []float64) {
	for range n {
		bounds = append(bounds, first)
		first *= 2
	}
	return bounds
}

func (f *family) add(by float64, values ...string) {
	f.change(values, func(s *series) { s.value += by })
}

func (f *family) set(to float64, values ...string) {
	f.change(values, func(s *series) { s.value = to })
}

func (f *family) observe(x float64, values ...string) {
	f.change(values, func(s *series) {
		s.value += x
		s.count++
		if i, _ := slices.BinarySearch(f.bounds, x); i < len(f.bounds) {
			s.buckets[i]++
		}
	})
}

func (f *family) change(values []string, by func(*series)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.series == nil {
		f.series = map[string]*series{}
	}
	key := f.written(values)
	s := f.series[key]
	if s == nil {
		s = &series{buckets: make([]int, len(f.bounds))}
		if len(values) > 0 {
			s.last = values[len(values)-1]
		}
		f.series[key] = s
	}
	by(s)
}

// escaped is how a label's value is written. It may be anything that a study is called.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// written is how labels are written, without the braces.
func (f *family) written(values []string) string {
	parts := make([]string, len(f.labels))
	for i, label := range f.labels {
		parts[i] = label + `="` + escaped.Replace(values[i]) + `"`
	}
	return strings.Join(parts, ",")
}

// forget drops the series whose last label has this value.
func (f *family) forget(last string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.series, func(_ string, s *series) bool { return s.last == last })
}

func (f *family) write(to *bytes.Buffer) { f.writeOf(to, nil) }

// writeOf writes the series whose last label has one of these values; nil: all of them.
func (f *family) writeOf(to *bytes.Buffer, last map[string]bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	begun := false
	for _, labels := range slices.Sorted(maps.Keys(f.series)) {
		s := f.series[labels]
		if last != nil && !last[s.last] {
			continue
		}
		if !begun {
			fmt.Fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
			begun = true
		}
		if f.kind == histogram {
			f.writeHistogram(to, labels, s)
		} else {
			line(to, f.name, labels, s.value)
		}
	}
}

func (f *family) writeHistogram(to *bytes.Buffer, labels string, s *series) {
	sum := 0
	bucket := func(bound string, count int) {
		line(to, f.name+"_bucket", strings.TrimPrefix(labels+`,le="`+bound+`"`, ","), float64(count))
	}
	for i, bound := range f.bounds {
		sum += s.buckets[i]
		bucket(number(bound), sum)
	}
	bucket("+Inf", s.count)
	line(to, f.name+"_sum", labels, s.value)
	line(to, f.name+"_count", labels, float64(s.count))
}

func line(to *bytes.Buffer, name, labels string, value float64) {
	if labels != "" {
		labels = "{" + labels + "}"
	}
	fmt.Fprintf(to, "%s%s %s\n", name, labels, number(value))
}

// number writes a number as Prometheus reads it.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
