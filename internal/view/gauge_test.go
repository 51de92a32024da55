package view

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/eke-bo/eke/study"
)

func TestGauge(t *testing.T) {
	for _, c := range []struct {
		l    study.Ledger
		want string
	}{
		{study.Ledger{Total: 10}, "░░░░░░░░░░    0%"},
		{study.Ledger{Total: 10, Spent: 0.01}, "█░░░░░░░░░   <1%"},
		{study.Ledger{Total: 10, Spent: 4, Reserved: 2}, "████▓▓░░░░   40%"},
		{study.Ledger{Total: 10, Spent: 9.99}, "█████████░  >99%"},
		{study.Ledger{Total: 10, Spent: 10}, "██████████  100%"},
		{study.Ledger{Total: 10, Spent: 12.5}, "████████▞▞  125%"},
		{study.Ledger{}, "░░░░░░░░░░    0%"},
		{study.Ledger{Total: 1e-300, Spent: 1e300}, "▞▞▞▞▞▞▞▞▞▞ >999%"},
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
