package view

import (
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// chart is the course drawn: the best value so far as a line over the money spent, and each trial as a dot.
//
//	0.8 ┤•
//	    │╰─●╮   •
//	0.4 ┤   │•    •
//	    │   ╰────●──╮ •
//	  0 ┤           ╰★──
//	    └┬────┬────┬────┬───
//	     0   10   20   30 core-hours
type chart struct {
	course
	x, y axis
	goal study.Goal
	grid [][]cell // rows from the top
}

type cell struct {
	r     rune
	style *lipgloss.Style
}

// symbol draws a mark.
func symbol(m say.Mark) cell {
	if dot, ok := symbols[m]; ok {
		return dot
	}
	return cell{'×', &inBad}
}

var symbols = map[say.Mark]cell{say.Best: {'★', &inGood}, say.Better: {'●', &inLine}, say.Done: {'•', &noStyle}, say.Beyond: {'○', &inBad},
	say.Leading: {'★', &inGood}, say.Observed: {'•', &noStyle}}

const (
	leastPlot   = 3 // rows below which a chart says nothing
	axisRows    = 2 // the money axis and its labels
	leastGutter = 7 // columns left of the value axis, so that it stands below the labels of a frame
)

// drawChart returns a chart of the given size, axes included; nil if there is nothing to draw or no room.
func drawChart(k ink, s *study.Study, c course, width, height int) []string {
	rows := height - axisRows
	if len(say.Values(c.steps)) == 0 || rows < leastPlot {
		return nil
	}
	p := chart{course: c, goal: s.Objective.Goal, y: c.valueAxis(s.Objective.Goal, max(rows/3, 2))}
	labels := p.yLabels(rows)
	gutter := leastGutter
	for _, l := range labels {
		gutter = max(gutter, ansi.StringWidth(l))
	}
	columns := width - gutter - 2 // a blank and the axis
	if columns < 8 {
		return nil
	}
	x, ruler, below := lowerAxis(columns, gutter, func(n int) axis { return newAxis(say.Range{Hi: c.end, Clock: s.Measured()}, n) }, func(v float64) string { return say.Amount(s.Cost, v) })
	p.x = x
	p.grid = make([][]cell, rows)
	for i := range p.grid {
		p.grid[i] = slices.Repeat([]cell{{' ', &noStyle}}, columns)
	}
	p.drawLine()
	p.drawEstimate()
	p.drawDots()
	var lines []string
	for i, row := range p.grid {
		tick := "│"
		if labels[i] != "" {
			tick = "┤"
		}
		lines = append(lines, k.paint(faint, padLeft(labels[i], gutter)+" "+tick)+k.row(row))
	}
	return append(lines, k.paint(faint, blanks(gutter)+" └"+ruler), k.paint(faint, below))
}

// valueAxis is logarithmic where the values span more than two decades.
func (c course) valueAxis(goal study.Goal, ticks int) axis {
	values := say.Values(c.steps)
	if lo, hi := slices.Min(values), slices.Max(values); lo > 0 && math.Log10(hi)-math.Log10(lo) > 2 {
		return newAxis(say.Range{Lo: lo, Hi: hi, Log: true}, 3*ticks/2)
	}
	best, worst := say.Shown(values, goal)
	return valueAxis(math.Min(best, worst), math.Max(best, worst), ticks)
}

func (p *chart) row(value float64) int {
	return int(math.Round((1 - p.y.at(value)) * float64(len(p.grid)-1)))
}

func (p *chart) column(spent float64) int {
	return int(math.Round(p.x.at(spent) * float64(len(p.grid[0])-1)))
}

func (p *chart) drawLine() {
	// The best row by the end of each column, then one stroke from column to column.
	first, last := len(p.grid[0]), p.column(p.used)
	rows := make([]int, len(p.grid[0]))
	for _, b := range say.BestLine(p.steps) {
		at := p.column(b.Spent)
		first = min(first, at)
		for c := at; c <= last; c++ {
			rows[c] = p.row(b.Value)
		}
	}
	set := func(row, column int, r rune) { p.grid[row][column] = cell{r, &inLine} }
	for c := first; c <= last; c++ {
		from, to := rows[max(c-1, first)], rows[c]
		for r := min(from, to) + 1; r < max(from, to); r++ {
			set(r, c, '│')
		}
		switch {
		case from == to:
			set(to, c, '─')
		case from < to: // down the screen
			set(from, c, '╮')
			set(to, c, '╰')
		default:
			set(from, c, '╯')
			set(to, c, '╭')
		}
	}
}

// drawEstimate draws what is expected of the best setting. It is what is thought now: a line that followed the best observations
// would follow luck.
func (p *chart) drawEstimate() {
	e := p.estimate
	if e == nil || e.Value < p.y.Lo || e.Value > p.y.Hi {
		return
	}
	for c := p.column(say.FirstCounting(p.steps)); c <= p.column(p.used); c++ {
		p.grid[p.row(e.Value)][c] = cell{'┄', &inLine}
	}
}

func (p *chart) drawDots() {
	for _, mark := range slices.Backward(say.Marks) { // the best over all others
		for _, t := range p.steps {
			if t.Mark != mark {
				continue
			}
			row, dot := p.row(t.Value), symbol(mark)
			switch {
			case !mark.HasValue() && p.goal == study.Minimize: // on the worse edge, where no line is
				row = 0
			case !mark.HasValue():
				row = len(p.grid) - 1
			case t.Value > p.y.Hi:
				dot.r = '▴'
			case t.Value < p.y.Lo:
				dot.r = '▾'
			}
			p.grid[row][p.column(t.Spent)] = dot
		}
	}
}

// row paints cells, one stroke for as many as have the same style.
func (k ink) row(cells []cell) string {
	var b strings.Builder
	for i := 0; i < len(cells); {
		j := i
		var stroke []rune
		for ; j < len(cells) && cells[j].style == cells[i].style; j++ {
			stroke = append(stroke, cells[j].r)
		}
		if i = j; cells[j-1].style == &noStyle {
			b.WriteString(string(stroke))
		} else {
			b.WriteString(k.paint(*cells[j-1].style, string(stroke)))
		}
	}
	return b.String()
}

// yLabels has a text for each row that has a tick.
func (p *chart) yLabels(rows int) []string {
	labels := make([]string, rows)
	for _, tick := range p.y.ticks {
		labels[int(math.Round((1-p.y.at(tick.Value))*float64(rows-1)))] = tick.Label
	}
	return labels
}

// lowerAxis draws an axis with as many ticks as leave room for all labels. The last label, which is written in another way, names the unit; where even two ticks
// leave it no room, it is shortened.
func lowerAxis(columns, gutter int, with func(ticks int) axis, last func(float64) string) (x axis, ruler, below string) {
	for n := max(columns/12, 2); n >= 2; n-- {
		x = with(n)
		ruler, below, all := x.labels(columns, gutter, last)
		if all {
			return x, ruler, below
		}
	}
	ruler, below, _ = x.labels(columns, gutter, func(v float64) string { return fit(last(v), columns/3) })
	return x, ruler, below
}

// labels draws ticks, and the labels below them. A label that would touch the one to its right is left out, and then these are not all.
func (a axis) labels(columns, gutter int, last func(float64) string) (ruler, below string, all bool) {
	line := []rune(strings.Repeat("─", columns))
	start := gutter + 2
	end, free := start+columns, start+columns // the first label may reach the end, others stay two blanks away from the next
	all = true
	for i, tick := range slices.Backward(a.ticks) {
		at := int(math.Round(a.at(tick.Value) * float64(columns-1)))
		line[at] = '┬'
		text, left := tick.Label, start+at-ansi.StringWidth(tick.Label)/2
		if i == len(a.ticks)-1 {
			text = last(tick.Value)
		}
		width := ansi.StringWidth(text)
		if left = min(left, end-width); left < 0 || left+width > free {
			all = false
			continue
		}
		below = text + blanks(free+2-left-width) + below
		free = left - 2
	}
	return string(line), blanks(free+2) + strings.TrimRight(below, " "), all
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
