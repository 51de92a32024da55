package report

import (
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// part is a stretch of the budget.
type part struct {
	say.Part
	Amount string
}

func budgetParts(s *study.Study, r *study.Record) (list []part) {
	for _, p := range say.Parts(r.Ledger, r.Trials) {
		list = append(list, part{p, say.Amount(s.Cost, p.Money)})
	}
	return list
}

// gauge draws the parts to scale, side by side.
func gauge(parts []part) *canvas {
	const width, height = 900, 22
	sum := 0.0
	for _, p := range parts {
		sum += p.Money
	}
	c := newCanvas(width, height, "gauge", "how much of the budget is spent")
	x := 0.0
	for _, p := range parts {
		if w := p.Money / sum * width; sum > 0 && w > 0 {
			c.rect(p.Kind, x, 0, w, height, p.Name+": "+p.Amount)
			x += w
		}
	}
	return c
}
