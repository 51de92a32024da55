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

// sparkline is a course in one row: the best value so far, over the money spent.
func sparkline(c course, goal study.Goal, width int) string {
	if math.IsNaN(c.best(c.used)) || width < 1 {
		return ""
	}
	bars := []rune("▁▂▃▄▅▆▇█")
	y := c.valueAxis(goal, 2)
	var b strings.Builder
	for i := range width {
		spent := c.end * (float64(i+1) / float64(width))
		value := c.best(spent)
		switch {
		case math.IsNaN(value):
			b.WriteRune(' ')
		case spent-c.end/float64(width) > c.used:
			b.WriteRune('·') // still to be spent
		default:
			b.WriteRune(bars[int(math.Round(y.at(value)*float64(len(bars)-1)))])
		}
	}
	return b.String()
}
