package view

import (
	"math"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/eke-bo/eke/study"
)

func TestAmount(t *testing.T) {
	hours, time, dollars := paidInHours(), paidInTime(), paidInHours()
	dollars.Cost.Unit = "$"
	for _, c := range []struct {
		s    *study.Study
		x    float64
		want string
	}{
		{hours, 0, "0 core-hours"}, {hours, 3.14159, "3.14 core-hours"}, {hours, 12345.6, "12346 core-hours"},
		{hours, 1e300, "1e300 core-hours"}, {hours, 2.5e-7, "2.5e-7 core-hours"}, {hours, 9.999, "10 core-hours"},
		{dollars, 12.5, "$12.5"}, {dollars, math.NaN(), "$–"},
		{time, 0, "0s"}, {time, 0.00042, "0.42ms"}, {time, 0.3501, "350ms"}, {time, 3.21, "3.2s"}, {time, 9.97, "10s"},
		{time, 59.7, "1m"}, {time, 150, "2m30s"}, {time, 3599.9, "1h"}, {time, 5400, "1h30m"}, {time, 90000, "25h"},
		{time, 200000, "2d8h"}, {time, 1e300, "1e300s"}, {time, -150, "-2m30s"}, {time, math.Inf(1), "–s"},
	} {
		if got := Amount(c.s, c.x); got != c.want {
			t.Errorf("%v: %q, want %q", c.x, got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.1234567: "0.1235", -1.5: "-1.5", 123456.7: "123457", 1e6: "1e6", 1.23456e-9: "1.235e-9", -1e300: "-1e300", 0.00012: "0.00012",
	} {
		if got := number(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"\n first\tline \nsecond":       "first line",
		"\x1b[31mred\x1b[0m \x1b]0;t\a": "red",
		"bell\a, \xff and \u202ebidi":   "bell, \ufffd and bidi",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestGauge(t *testing.T) {
	for _, c := range []struct {
		l    study.Ledger
		want string
	}{
		{study.Ledger{Total: 10}, "░░░░░░░░░░   0 %"},
		{study.Ledger{Total: 10, Spent: 0.01}, "█░░░░░░░░░   0 %"},
		{study.Ledger{Total: 10, Spent: 4, Reserved: 2}, "████▓▓░░░░  40 %"},
		{study.Ledger{Total: 10, Spent: 9.99}, "█████████░ 100 %"},
		{study.Ledger{Total: 10, Spent: 10}, "██████████ 100 %"},
		{study.Ledger{Total: 10, Spent: 12.5}, "████████▞▞ 125 %"},
		{study.Ledger{}, "░░░░░░░░░░   0 %"},
		{study.Ledger{Total: 1e-300, Spent: 1e300}, "▞▞▞▞▞▞▞▞▞▞ 999 %"},
	} {
		if got := Gauge(c.l, 16); got != c.want {
			t.Errorf("%+v: %q, want %q", c.l, got, c.want)
		}
		for width := range 12 {
			if got := ansi.StringWidth(Gauge(c.l, width)); got > width {
				t.Errorf("%+v is %d columns wide, want %d", c.l, got, width)
			}
		}
	}
}
