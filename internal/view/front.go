package view

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// Front draws the results of a study with several objectives: results on the front as ●, and the others faint. It says how many are too far
// from the front to be drawn, and shows where the rest of the money may move the front. Where evaluations have noise, results on the front are
// drawn where the models expect them, and the others where they were seen. Of three objectives it draws every pair. Nil: nothing is known of
// the rest.
func Front(w io.Writer, s *study.Study, r *study.Record, front advisor.Front, rest *study.Rest, width int, colour bool) {
	k, width := ink(colour), min(max(width, leastPicture), widestPicture)
	for j := range s.Objectives {
		for i := range j {
			for _, line := range drawFront(k, s, r, front, rest, i, j, width, frontRows) {
				fmt.Fprintln(w, strings.TrimRight(fit(line, width), " "))
			}
			fmt.Fprintln(w)
		}
	}
}

// frontRows are the lines of a chart of the front, with its title.
const frontRows = pictureRows + 1

// drawFront draws two of the objectives against each other: the first upwards, and the second to the right. It is nil if there is nothing to draw or no room.
func drawFront(k ink, s *study.Study, r *study.Record, front advisor.Front, rest *study.Rest, up, right, width, height int) []string {
	rows := height - axisRows - 1
	if rows < leastPlot {
		return nil
	}
	results, all := front.Drawn(s, r)
	var on [][]float64
	for i, t := range results {
		if front.Has(t) {
			on = append(on, all[i])
		}
	}
	if len(all) == 0 {
		return nil
	}
	band := rest.ReachOf(s.Objectives[up].Name, s.Objectives[right].Name)
	along := func(j, ticks int) axis {
		lo, hi := reach(all, j)
		low, high := reach(on, j)
		switch {
		case front.Worst != nil && (len(band) > 0 || front.Expected && len(on) > 0): // down to the worst that counts, along both axes: only there both have something to show
			if w := front.Worst[j]; s.Objectives[j].Goal == study.Maximize {
				lo = math.Max(lo, math.Min(w, low))
			} else {
				hi = math.Min(hi, math.Max(w, high))
			}
		case low < high:
			margin := frontMargin * (high - low)
			lo, hi = math.Max(lo, low-margin), math.Min(hi, high+margin)
		}
		for _, p := range band {
			better := map[int]float64{up: p.Better, right: p.At}[j]
			lo, hi = math.Min(lo, better), math.Max(hi, better)
		}
		return valueAxis(lo, hi, ticks)
	}
	y := along(up, rows/3)
	labels := make([]string, rows)
	gutter := leastGutter
	for _, tick := range y.ticks {
		labels[int(math.Round((1-y.at(tick.Value))*float64(rows-1)))] = tick.Label
		gutter = max(gutter, ansi.StringWidth(tick.Label))
	}
	columns := width - gutter - 2
	if columns < 8 {
		return nil
	}
	o, other := s.Objectives[up], s.Objectives[right]
	x, ruler, below := lowerAxis(columns, gutter, func(n int) axis { return along(right, n) }, func(v float64) string { return say.Number(v) + " " + say.Clean(other.Name) })
	grid := make([][]cell, rows)
	for i := range grid {
		grid[i] = slices.Repeat([]cell{{' ', &noStyle}}, columns)
	}
	row := func(v float64) int {
		return int(math.Round((1 - y.at(v)) * float64(rows-1)))
	}
	beyond := 0
	draw := func(points [][]float64, dot cell) {
		for _, p := range points {
			if y.leavesOut(p[up]) || x.leavesOut(p[right]) {
				beyond++
				continue
			}
			grid[row(p[up])][int(math.Round(x.at(p[right])*float64(columns-1)))] = dot
		}
	}
	drawn := false
	for c := range columns { // the edge before the column, as the band falls in steps
		at := x.Lo + (x.Hi-x.Lo)*float64(c)/float64(columns-1)
		for i := len(band) - 1; i >= 0; i-- {
			if p := band[i]; !s.Objectives[right].Goal.Better(p.At, at) {
				from, to := row(p.Worse), row(p.Better)
				for line := max(min(from, to), 0); line <= min(max(from, to), rows-1) && from != to; line++ {
					grid[line][c], drawn = cell{'░', &faint}, true
				}
				break
			}
		}
	}
	draw(all, cell{'·', &faint})
	draw(on, cell{'●', &inGood})
	lines := []string{k.paint(bold, frontTitle(o, other, front.Expected, beyond, width))}
	for i, row := range grid {
		tick := "│"
		if labels[i] != "" {
			tick = "┤"
		}
		lines = append(lines, k.paint(faint, padLeft(labels[i], gutter)+" "+tick)+k.row(row))
	}
	lines = append(lines, k.paint(faint, blanks(gutter)+" └"+ruler), k.paint(faint, below))
	if drawn {
		lines = append(lines, k.paint(faint, blanks(gutter)+"  ░ where the rest of the money may move the front"))
	}
	return lines
}

// frontMargin is how far beyond the front a chart of it goes, in widths of the front. Results that are far worse would make one dot of the front.
const frontMargin = 0.5

// leavesOut says whether a value is beyond the axis, by more than rounding.
func (a axis) leavesOut(v float64) bool {
	slack := 1e-6 * (a.Hi - a.Lo)
	return v < a.Lo-slack || v > a.Hi+slack
}

// reach is how far points reach in one objective.
func reach(points [][]float64, j int) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, y := range points {
		lo, hi = math.Min(lo, y[j]), math.Max(hi, y[j])
	}
	return lo, hi
}

// frontTitle says what a chart of the front shows. Where that is wider than the chart, it leaves out the goals, and then the ends of names.
func frontTitle(up, right study.Aim, expected bool, beyond, width int) string {
	key := "● on the front, · not"
	if expected {
		key = "● front, expected, · others, seen"
	}
	if beyond > 0 {
		key += fmt.Sprintf(", %d beyond", beyond)
	}
	names := []string{say.Clean(up.Name), say.Clean(right.Name)}
	title := fmt.Sprintf("%s (%s) against %s (%s): %s", names[0], up.Goal, names[1], right.Goal, key)
	if ansi.StringWidth(title) <= width {
		return title
	}
	for i, room := range []int{(width - ansi.StringWidth(" against : "+key)) / 2, width - ansi.StringWidth(names[0]+" against : "+key)} {
		names[i] = fit(names[i], max(room, 1))
	}
	return fmt.Sprintf("%s against %s: %s", names[0], names[1], key)
}

// frontLines lists the results on the front, a line for each of the first ones, and says how many more there are.
func frontLines(s *study.Study, front advisor.Front, most int) (lines []string) {
	for i, t := range front.Trials {
		if n := len(front.Trials); i == most && n > most+1 {
			return append(lines, fmt.Sprintf("and %d more: eke front %s", n-most, s.Name))
		}
		lines = append(lines, fmt.Sprintf("%s: %s%s", front.Words(s, i), t.Title(), say.For(s.Cost, t)))
	}
	return lines
}
