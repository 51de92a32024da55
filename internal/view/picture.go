package view

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

const (
	pictureRows   = 16
	leastPicture  = 40 // columns; a narrower terminal wraps
	widestPicture = 120
)

// Picture draws how a study went: the best value over the money spent with each trial as a dot, and below it the best
// setting, its value and the budget.
func Picture(w io.Writer, s *study.Study, r *study.Record, width int, colour bool) {
	if r == nil { // of a run that could not read it
		return
	}
	k, width := ink(colour), min(max(width, leastPicture), widestPicture)
	best, found := newBests(s).of(r)
	c := courseOf(r, s.Objective.Goal, best)
	var lines []string
	if drawn := drawChart(k, s, c, width, pictureRows); drawn != nil {
		lines = append(lines, k.paint(bold, fit(caption(s), width)))
		lines = append(lines, drawn...)
		lines = append(lines, k.legend(c, leastGutter+2), "")
	}
	lines = append(lines, bestLines(k, s, best, found, width)...)
	bar := gaugeLines(k, s, r.Ledger, width-labelWidth)
	lines = append(lines, labelled(k, "budget", bar)...)
	lines = append(lines, k.label("trials")+say.Tally(say.Counts(r.Trials)))
	for _, line := range lines {
		fmt.Fprintln(w, strings.TrimRight(fit(line, width), " "))
	}
}

func caption(s *study.Study) string {
	paid := say.Clean(s.Cost.Unit)
	if s.Measured() {
		paid = "time"
	}
	return fmt.Sprintf("%s (%s) over %s spent", say.Clean(s.Objective.Name), s.Objective.Goal, cmp.Or(paid, "money"))
}

// legend names the marks that occur.
func (k ink) legend(c course, indent int) string {
	seen, listed := map[say.Mark]bool{}, map[rune]bool{}
	for _, t := range c.steps {
		seen[t.Mark] = true
	}
	var names []string
	for _, mark := range say.Marks {
		dot, name := symbol(mark), mark.String()
		if !mark.HasValue() {
			name = "no value"
		}
		if seen[mark] && !listed[dot.r] { // three states without a value share one
			names = append(names, k.paint(*dot.style, string(dot.r))+k.paint(faint, " "+name))
			listed[dot.r] = true
		}
	}
	if c.estimate != nil {
		names = append(names, k.paint(inLine, "┄")+k.paint(faint, " expected of the best setting"))
	}
	return blanks(indent) + strings.Join(names, "   ")
}

// bestLines tells the best trial: its value and what it cost, then its setting, in full.
func bestLines(k ink, s *study.Study, best advisor.Best, found bool, width int) []string {
	if !found {
		return []string{k.label("best") + "no trial has returned a value that counts"}
	}
	text := []string{k.paint(inGood, best.Text()) + fmt.Sprintf(" by %s for %s", best.Title(), say.Amount(s.Cost, best.Charged))}
	if best.Estimate != nil {
		text = append(text, say.Seen(best.Estimate.Values))
	}
	if set := say.Setting(s, best.Setting); set != "" {
		text = append(text, strings.Split(ansi.Wrap(set, width-labelWidth, ""), "\n")...)
	}
	return labelled(k, "best", text)
}

const labelWidth = 8

// label is a word in the left margin.
func (k ink) label(word string) string { return k.paint(faint, pad(word, labelWidth)) }

// labelled puts a label before the first of some lines, and blanks before the others.
func labelled(k ink, word string, lines []string) []string {
	list := make([]string, len(lines))
	for i, line := range lines {
		if i == 0 {
			list[i] = k.label(word) + line
		} else {
			list[i] = blanks(labelWidth) + line
		}
	}
	return list
}
