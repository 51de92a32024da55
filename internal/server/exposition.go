package server

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

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
