package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// mostLines is how many trials are drawn; of more, the best half and evenly many of the others.
const mostLines = 600

// shades is the number of colours from the worst trials to the best.
const shades = 7

// upright is one axis of the parallel coordinates.
type upright struct {
	name  string
	place func(study.Trial) (y float64, ok bool)
	marks []tick
	maybe bool // not every trial has it
}

// parallelChart draws every trial as a line through all its parameters, its cost and its value.
func parallelChart(s *study.Study, trials []study.Trial, best advisor.Best) *canvas {
	const top, bottom, absent = 34, 300, 326 // absent is where parameters are that do not exist
	ups := uprights(s, trials, top, bottom)
	width, gap := 900.0, 0.0
	const left, right = 70, 90
	if len(ups) > 1 {
		width = max(width, left+right+110*float64(len(ups)-1))
		gap = (width - left - right) / float64(len(ups)-1)
	}
	height := bottom + 14.0
	if slices.ContainsFunc(ups, func(u upright) bool { return u.maybe }) {
		height = absent + 24
	}
	c := newCanvas(width, height, "chart wide", "every trial as a line through its parameters, cost and value")
	order := drawingOrder(trials, s.Objective.Goal)
	for rank, t := range order {
		class := "q0"
		switch {
		case best.Has(t):
			class = "qbest"
		case len(order) > 1:
			class = fmt.Sprintf("q%d", rank*shades/len(order))
		}
		var points []float64
		for i, u := range ups {
			y, ok := u.place(t)
			if !ok {
				y = absent
			}
			points = append(points, left+gap*float64(i), y)
		}
		c.path("ray "+class, points, false, fmt.Sprintf("trial %d: %s %s for %s", t.Number, s.Objective.Name, say.Number(t.Value), say.Amount(s.Cost, t.Charged)))
	}
	for i, u := range ups {
		x := left + gap*float64(i)
		c.open("pillar")
		c.line("base", x, top, x, bottom)
		c.text("name mid", x, top-14, u.name, int(max(gap, 110)/7))
		for _, m := range u.marks {
			c.line("base", x-4, m.at, x, m.at)
			c.text("end halo", x-7, m.at+3.5, m.label, 11)
		}
		if u.maybe {
			c.text("faint mid halo", x, absent+16, "not used", 12)
		}
		c.close()
	}
	if len(order) > crowd {
		c.class += " crowd"
	}
	return c
}

func uprights(s *study.Study, trials []study.Trial, top, bottom float64) (list []upright) {
	for _, p := range s.Parameters {
		if p.Kind == space.KindFixed {
			continue
		}
		scale := newParamScale(p, bottom, top)
		list = append(list, upright{p.Name, func(t study.Trial) (float64, bool) { return scale.place(t.Setting[p.Name]) }, scale.marks(5), len(p.When) > 0})
	}
	var costs, values []float64
	for _, t := range trials {
		costs, values = append(costs, t.Charged), append(values, t.Value)
	}
	cost := newScale(costs, wide(costs), 0).between(bottom, top)
	cost.clock = s.Measured()
	best, worst := say.Shown(values, s.Objective.Goal)
	value := newScale([]float64{best, worst}, false, 0).between(bottom, top)
	return append(list,
		upright{"cost", func(t study.Trial) (float64, bool) { return cost.at(t.Charged), true }, cost.ticks(5), false},
		upright{s.Objective.Name, func(t study.Trial) (float64, bool) { return value.at(t.Value), true }, value.ticks(5), false})
}

// counting returns the trials whose values count.
func counting(r *study.Record) []study.Trial {
	return slices.DeleteFunc(slices.Clone(r.Trials), func(t study.Trial) bool { return !t.Counts() })
}

// drawingOrder puts the best last, on top, and leaves out some where there are too many.
func drawingOrder(trials []study.Trial, goal study.Goal) []study.Trial {
	list := slices.Clone(trials)
	slices.SortStableFunc(list, func(a, b study.Trial) int {
		if goal == study.Minimize {
			return cmp.Compare(b.Value, a.Value)
		}
		return cmp.Compare(a.Value, b.Value)
	})
	if len(list) <= mostLines {
		return list
	}
	split := len(list) - mostLines/2
	return append(evenly(list[:split], mostLines/2), list[split:]...)
}
