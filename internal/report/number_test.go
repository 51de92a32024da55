package report

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/study"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {-1.5, "-1.5"}, {0.1 + 0.2, "0.3"}, {0.001234567, "0.001235"}, {0.00012, "1.2e-4"},
		{123456.7, "123,457"}, {1234.5, "1234"}, {99999.9, "100,000"}, {1.5e7, "1.5e7"}, {-2e-9, "-2e-9"}, {1e300, "1e300"},
		{math.NaN(), "–"}, {math.Inf(-1), "–"},
	} {
		if got := number(c.v); got != c.want {
			t.Errorf("%v: %q, want %q", c.v, got, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0 s"}, {0.0042, "4.2 ms"}, {12.34, "12.3 s"}, {59.99, "60 s"}, {61, "1 min 1 s"}, {120, "2 min"}, {3599.8, "60 min"}, {3600, "1 h"},
		{5400, "1 h 30 min"}, {172800, "2 d"}, {180000, "2 d 2 h"}, {math.NaN(), "–"}, {math.Inf(1), "–"},
	} {
		if got := duration(c.v); got != c.want {
			t.Errorf("%v s: %q, want %q", c.v, got, c.want)
		}
	}
	if got := amount(study.Cost{Unit: "seconds", Source: study.Walltime}, 90); got != "1 min 30 s" {
		t.Error(got)
	}
	if got := amount(study.Cost{Unit: "$"}, 90); got != "90 $" {
		t.Error(got)
	}
}
