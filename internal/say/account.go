package say

import (
	"math"
	"strings"

	"github.com/eke-bo/eke/study"
)

// Part is a stretch of the budget.
type Part struct {
	Kind  string // spent, lost, reserved, left, overrun
	Name  string
	Money float64
}

// Parts splits all money that was there or was spent. Given the trials, money spent on those that count, and on looks, stands apart
// from the rest.
func Parts(l study.Ledger, trials []study.Trial) []Part {
	over := l.Overrun()
	useful, lost, spent := l.Spent-over, 0.0, "spent"
	if trials != nil {
		useful, spent = 0, "spent on results"
		for _, t := range trials {
			switch {
			case t.Counts() || t.Look && t.State == study.Done && t.IsEvidence():
				useful += t.Charged
			case t.State.Ended():
				lost += t.Charged
			}
		}
	}
	var list []Part
	add := func(kind, name string, money float64, always bool) {
		if money = whole(l, money); money > 0 || always {
			list = append(list, Part{kind, name, money})
		}
	}
	add("spent", spent, useful, true)
	add("lost", "spent without a result", math.Max(lost-over, 0), false)
	add("reserved", "reserved", l.Reserved, false)
	add("left", "left", l.Left(), over == 0)
	add("overrun", "over budget", over, false)
	return list
}

// Account writes the ledger on one line: "3 spent, 2 reserved, 5 left of 10 core-hours". Each part passes through paint,
// if there is one.
func Account(c study.Cost, l study.Ledger, paint func(kind, text string) string) string {
	var words []string
	for _, p := range Parts(l, nil) {
		if p.Kind == "spent" {
			p.Money = l.Spent // with what is over budget
		}
		text := Bare(c, p.Money) + " " + p.Name
		if paint != nil {
			text = paint(p.Kind, text)
		}
		words = append(words, text)
	}
	return strings.Join(words, ", ") + " of " + Amount(c, l.Total)
}

// Left writes what is left of a budget.
func Left(c study.Cost, l study.Ledger) string { return Amount(c, whole(l, l.Left())) }

// whole drops what the rounding of many sums leaves of a budget.
func whole(l study.Ledger, money float64) float64 {
	if money < 1e-9*l.Total {
		return 0
	}
	return money
}
