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

// xLabels draws the money axis: ticks, and the labels below them, of which the last one names the unit.
func (p *chart) xLabels(s *study.Study, columns, gutter int) (ruler, below string) {
	line := []rune(strings.Repeat("─", columns))
	start := gutter + 2
	free := newLine(start + columns)
	for i, tick := range slices.Backward(p.x.ticks) {
		at := int(math.Round(p.x.at(tick.Value) * float64(columns-1)))
		line[at] = '┬'
		text := tick.Label
		half := ansi.StringWidth(text) / 2
		if i == len(p.x.ticks)-1 {
			text = say.Amount(s.Cost, tick.Value)
		}
		free.put(start+at-half, text)
	}
	return string(line), free.String()
}

// freeLine is a line that texts are put on where they do not touch others.
type freeLine struct {
	width int
	texts []placed
}

type placed struct {
	at, width int
	text      string
}

func newLine(width int) *freeLine { return &freeLine{width: width} }

// put places a text, moved to the left if it would pass the end, unless there is no room for it.
func (l *freeLine) put(at int, text string) {
	p := placed{at, ansi.StringWidth(text), text}
	if p.at = min(p.at, l.width-p.width); p.at < 0 {
		return
	}
	for _, other := range l.texts {
		if p.at < other.at+other.width+2 && other.at < p.at+p.width+2 {
			return
		}
	}
	l.texts = append([]placed{p}, l.texts...) // they come from the right
}

func (l *freeLine) String() string {
	var b strings.Builder
	end := 0
	for _, p := range l.texts {
		b.WriteString(blanks(p.at-end) + p.text)
		end = p.at + p.width
	}
	return b.String()
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
