package view

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
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
// setting, its value and the budget. With several objectives it draws the front that is given.
func Picture(w io.Writer, s *study.Study, r *study.Record, front advisor.Front, width int, colour bool) {
	if r == nil { // of a run that could not read it
		return
	}
	k, width := ink(colour), min(max(width, leastPicture), widestPicture)
	best, found := newBests(s).of(r)
	c := courseOf(r, s.Objective.Goal, best)
	var lines []string
	if s.Several() {
		if len(s.Objectives) == 2 {
			if lines = drawFront(k, s, r, front, nil, 0, 1, width, frontRows); lines != nil {
				lines = append(lines, "")
			}
		}
		if of := frontLines(s, front, 5); len(of) > 0 {
			lines = append(lines, labelled(k, "front", of)...)
		}
	} else if drawn := drawChart(k, s, c, width, pictureRows); drawn != nil {
		lines = append(lines, k.paint(bold, fit(caption(s), width)))
		lines = append(lines, drawn...)
		lines = append(append(lines, k.legend(c, leastGutter+2, width)...), "")
	}
	if !s.Several() {
		lines = append(lines, bestLines(k, s, best, found, width)...)
	}
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

// legend names the marks that occur, on as many lines as it takes.
func (k ink) legend(c course, indent, width int) []string {
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
	const gap = "   "
	begin := blanks(indent - len(gap))
	lines := []string{begin}
	for _, name := range names {
		if ansi.StringWidth(lines[len(lines)-1]+gap+name) > width {
			lines = append(lines, begin)
		}
		lines[len(lines)-1] += gap + name
	}
	return lines
}

// bestLines tells the best trial: its value and what it cost, then its setting, in full.
func bestLines(k ink, s *study.Study, best advisor.Best, found bool, width int) []string {
	if !found {
		return []string{k.label("best") + "no trial has returned a value that counts"}
	}
	text := []string{k.paint(inGood, best.Text()) + fmt.Sprintf(" by %s%s", best.Title(), say.For(s.Cost, best.Trial))}
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

// course is how a study went, ready to be drawn.
type course struct {
	steps []say.Step
	end   float64 // the money axis goes from 0 to here
	used  float64 // what has been spent

	estimate *advisor.Estimate // of the best setting, where evaluations have noise
}

func courseOf(r *study.Record, goal study.Goal, best advisor.Best) course {
	c := course{steps: best.Course(goal, r), estimate: best.Estimate}
	if n := len(c.steps); n > 0 {
		c.used = c.steps[n-1].Spent
	}
	c.end = math.Max(math.Min(r.Ledger.Total, math.MaxFloat64), c.used)
	if !(c.end > 0) {
		c.end = 1
	}
	return c
}

// best returns the best value by the time that so much was spent; NaN if there was none.
func (c course) best(spent float64) float64 {
	best := math.NaN()
	for _, t := range c.steps {
		if t.Spent > spent {
			break
		}
		best = t.Best
	}
	return best
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

// bests finds the best setting of the study that is shown, or the front of several objectives.
type bests struct {
	study *study.Study       // nil: nothing is known of it yet
	cache *advisor.BestCache // nil: of a study that cannot be modelled
}

func newBests(s *study.Study) *bests {
	b := &bests{study: s}
	if s == nil {
		return b
	}
	if a, err := advisor.New(s); err == nil {
		b.cache = advisor.NewBestCache(a)
	}
	return b
}

// of returns the best setting by a record. If there are no models, it is the best observation: a view must not end a run.
func (b *bests) of(r *study.Record) (best advisor.Best, ok bool) {
	if b.cache != nil {
		if best, ok, err := b.cache.Of(context.Background(), r); err == nil {
			return best, ok
		}
	}
	var goal study.Goal
	if b.study != nil {
		goal = b.study.Objective.Goal
	}
	best.Trial, ok = r.Best(goal)
	return best, ok
}

// front returns the front by a record; of one objective, an empty one. If there are no models, it is that of what was seen.
func (b *bests) front(r *study.Record) advisor.Front {
	if b.study == nil || !b.study.Several() {
		return advisor.Front{}
	}
	if b.cache != nil {
		if f, err := b.cache.Front(context.Background(), r); err == nil {
			return f
		}
	}
	return advisor.SeenFront(b.study, r)
}
