package report

import (
	"html/template"
	"math"

	"github.com/eke-bo/eke/study"
)

// part is a stretch of the budget.
type part struct {
	Class, Name, Amount string
	money               float64
}

// budgetParts splits all money that was there or was spent.
func budgetParts(s *study.Study, r *study.Record) []part {
	useful, lost := 0.0, 0.0
	for _, t := range r.Trials {
		switch {
		case t.State == study.Done && !t.Beyond:
			useful += t.Charged
		case t.State.Ended():
			lost += t.Charged
		}
	}
	var list []part
	add := func(class, name string, money float64, always bool) {
		if money < 1e-9*r.Ledger.Total {
			money = 0 // the rounding of many sums
		}
		if money > 0 || always {
			list = append(list, part{class, name, amount(s.Cost, money), money})
		}
	}
	within := math.Max(lost-r.Ledger.Overrun(), 0)
	add("spent", "spent on values", useful, true)
	add("lost", "spent without one", within, false)
	add("reserved", "reserved", r.Ledger.Reserved, false)
	add("left", "left", r.Ledger.Left(), true)
	add("overrun", "beyond the budget", r.Ledger.Overrun(), false)
	return list
}

// gauge draws the parts to scale, side by side.
func gauge(parts []part) template.HTML {
	const width, height = 900, 22
	sum := 0.0
	for _, p := range parts {
		sum += p.money
	}
	c := newCanvas(width, height)
	x := 0.0
	for _, p := range parts {
		if w := p.money / sum * width; sum > 0 && w > 0 {
			c.rect(p.Class, x, 0, w, height, p.Name+": "+p.Amount)
			x += w
		}
	}
	return c.svg("gauge", "how much of the budget is spent")
}
