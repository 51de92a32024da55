package server

import (
	"bytes"
	"strings"
	"testing"
)

// Metrics are written as Prometheus reads them, whatever a study is called.
func TestExposition(t *testing.T) {
	asked := &family{name: "asks_total", kind: counter, help: "Asks.", labels: []string{"outcome", "study"}}
	asked.add(1, "trial", "b")
	asked.add(2, "trial", "a\"\\\n")
	asked.add(1, "trial", "b")
	took := &family{name: "seconds", kind: histogram, help: "Time.", bounds: doubling(0.5, 2)}
	for _, x := range []float64{0.25, 0.5, 0.75, 8} {
		took.observe(x)
	}
	var got bytes.Buffer
	for _, f := range []*family{asked, took, {name: "never", kind: gauge}} {
		f.write(&got)
	}
	const want = `# HELP asks_total Asks.
# TYPE asks_total counter
asks_total{outcome="trial",study="a\"\\\n"} 2
asks_total{outcome="trial",study="b"} 2
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{le="0.5"} 2
seconds_bucket{le="1"} 3
seconds_bucket{le="+Inf"} 4
seconds_sum 9.5
seconds_count 4
`
	if got.String() != want {
		t.Errorf("%s\nwant\n%s", got.String(), want)
	}
}

func TestProcessMetrics(t *testing.T) {
	var got bytes.Buffer
	for _, f := range processMetrics() {
		f.write(&got)
	}
	for _, name := range []string{"go_goroutines", "go_memstats_heap_alloc_bytes", `go_info{version="go`} {
		if !strings.Contains(got.String(), "\n"+name) {
			t.Errorf("%s is missing in %s", name, got.String())
		}
	}
}
