package broker_test

import (
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

func TestEstimate(t *testing.T) {
	open := study.Trial{Number: 1, State: study.Running, Reserved: 5}
	done := study.Trial{Number: 2, State: study.Done, Charged: 6, Wall: 60}
	for _, c := range []struct {
		name     string
		measured bool
		trials   []study.Trial
		wall     time.Duration
		want     float64
		says     string
	}{
		{"wall time", true, []study.Trial{open}, 3 * time.Second, 3, ""},
		{"wall time, at most what was reserved", true, []study.Trial{open}, 8 * time.Second, 5, ""},
		{"a false start", false, []study.Trial{open}, 3 * time.Second, 0, "less than a minute"},
		{"long, and nothing known", false, []study.Trial{open}, time.Hour, 5, "reserved for it"},
		{"by the rate", false, []study.Trial{open, done}, 20 * time.Second, 2, "estimated"},
		{"by the rate, at most what was reserved", false, []study.Trial{open, done}, time.Hour, 5, "estimated"},
	} {
		r := &study.Record{Measured: c.measured, Trials: c.trials}
		got, words := broker.Estimate(r, 1, c.wall)
		if got != c.want || !strings.Contains(words, c.says) || (c.says == "") != (words == "") {
			t.Errorf("%s: %v, %q", c.name, got, words)
		}
	}
}
