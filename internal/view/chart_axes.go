package view

import (
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// yLabels has a text for each row that has a tick.
func (p *chart) yLabels(rows int) []string {
	labels := make([]string, rows)
	for _, tick := range p.y.ticks {
		labels[int(math.Round((1-p.y.at(tick.Value))*float64(rows-1)))] = tick.Label
	}
	return labels
}

// xLabels draws the money axis: ticks, and the labels below them, of which the last one names the unit. A label that would touch the
// one to its right is left out.
func (p *chart) xLabels(s *study.Study, columns, gutter int) (ruler, below string) {
	line := []rune(strings.Repeat("─", columns))
	start := gutter + 2
	end, free := start+columns, start+columns // the first label may reach the end, others stay two blanks away from the next
	for i, tick := range slices.Backward(p.x.ticks) {
		at := int(math.Round(p.x.at(tick.Value) * float64(columns-1)))
		line[at] = '┬'
		text, left := tick.Label, start+at-ansi.StringWidth(tick.Label)/2
		if i == len(p.x.ticks)-1 {
			text = say.Amount(s.Cost, tick.Value)
		}
		width := ansi.StringWidth(text)
		if left = min(left, end-width); left >= 0 && left+width <= free {
			below = text + blanks(free+2-left-width) + below
			free = left - 2
		}
	}
	return string(line), blanks(free+2) + strings.TrimRight(below, " ")
}

// axis places numbers on a line from 0 to 1, and knows which of them to write beside it.
type axis struct {
	say.Range
	ticks []say.Tick
}

// at is the place of v, from 0 to 1. Halves are subtracted because the difference of two floats may not be one.
func (a axis) at(v float64) float64 {
	place := (v/2 - a.Lo/2) / (a.Hi/2 - a.Lo/2)
	if a.Log {
		place = (math.Log10(v) - math.Log10(a.Lo)) / (math.Log10(a.Hi) - math.Log10(a.Lo))
	}
	if math.IsNaN(place) {
		return 0
	}
	return math.Min(math.Max(place, 0), 1)
}

// valueAxis has about n ticks. It begins and ends at one where one is near.
func valueAxis(lo, hi float64, n int) axis {
	if hi-lo <= math.Abs(hi)*1e-9 { // as good as equal
		gap := math.Max(math.Abs(hi)*0.1, math.SmallestNonzeroFloat64*1e3)
		if hi == 0 {
			gap = 1
		}
		lo, hi = lo-gap, hi+gap
	}
	all := say.Range{Lo: finite(lo), Hi: finite(hi)}
	step := finite(all.Step(max(n, 2)))
	low, high := finite(math.Floor(all.Lo/step+1e-9)*step), finite(math.Ceil(all.Hi/step-1e-9)*step)
	r := all
	if r.Lo-low < step/2 {
		r.Lo = low
	}
	if high-r.Hi < step/2 {
		r.Hi = high
	}
	if len(r.Multiples(step)) < 2 {
		r.Lo, r.Hi = low, high
	}
	if !(r.Lo < r.Hi) { // the step was too small to be a number
		r = all
	}
	return axis{r, r.Multiples(step)}
}

func newAxis(r say.Range, n int) axis { return axis{r, r.Ticks(n)} }

func finite(x float64) float64 { return math.Min(math.Max(x, -math.MaxFloat64), math.MaxFloat64) }
