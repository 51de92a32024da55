package main

import (
	"math"
	"testing"
	"unicode/utf8"

	"github.com/eke-bo/eke/study"
)

func TestAmount(t *testing.T) {
	euros, wall := study.Cost{Unit: "euros", Source: study.Reported}, study.Cost{Unit: "seconds", Source: study.Walltime}
	for _, c := range []struct {
		x    float64
		cost study.Cost
		want string
	}{
		{12.5, euros, "12.5 euros"},
		{0, euros, "0 euros"},
		{1234567.8, euros, "1234568 euros"},
		{1.0 / 3, euros, "0.33333 euros"},
		{1e-7, euros, "1e-07 euros"},
		{1e20, euros, "1e+20 euros"},
		{3, study.Cost{Unit: "$", Source: study.Reported}, "$3"},
		{0, wall, "0s"},
		{0.0123, wall, "12.3ms"},
		{3.14159, wall, "3.14s"},
		{59.96, wall, "1m"},
		{150, wall, "2m30s"},
		{7200, wall, "2h"},
		{1e12, wall, "1000000000000s"},
		{math.Inf(1), wall, "+Infs"},
	} {
		if got := amount(c.x, c.cost); got != c.want {
			t.Errorf("%v: %q, want %q", c.x, got, c.want)
		}
	}
}

func TestGaugeIsAlwaysAsWide(t *testing.T) {
	for _, l := range []study.Ledger{{}, {Total: 10}, {Total: 10, Spent: 10}, {Total: 10, Spent: 30}, {Total: 10, Spent: 3.33, Reserved: 6.67},
		{Total: 10, Spent: 30, Reserved: 5}, {Total: math.NaN()}} {
		if n := utf8.RuneCountInString(gauge(l, 30)); n != 30 {
			t.Errorf("%+v: %d letters", l, n)
		}
	}
}
