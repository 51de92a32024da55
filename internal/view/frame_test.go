package view

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func modelOf(s *study.Study, y *story, width, height int) *model {
	m := newModel(s, nil, func() time.Time { return y.now })
	m.width, m.height = width, height
	now := y.now
	for _, n := range y.news {
		y.now = n.At
		m.hear(n)
	}
	y.now = now
	return m
}

func TestFrames(t *testing.T) {
	hours, wall := paidInHours(), paidInTime()
	for _, size := range [][2]int{{60, 12}, {80, 24}, {100, 40}, {160, 30}} {
		for name, s := range map[string]*study.Study{"": hours, "-walltime": wall} {
			y := long(t, s)
			y.now = y.now.Add(1300 * time.Millisecond)
			m := modelOf(s, y, size[0], size[1])
			golden(t, fmt.Sprintf("frame-%dx%d%s.txt", size[0], size[1], name), trimmed(m.screen(false)))
			if painted := ansi.Strip(m.screen(true)); painted != m.screen(false) {
				t.Errorf("in colour it is another frame:\n%s", painted)
			}
		}
	}
	first := newStory(t, hours)
	golden(t, "frame-first.txt", trimmed(modelOf(hours, first, 80, 24).screen(false)))
	last := told(t, hours)
	golden(t, "frame-last.txt", trimmed(modelOf(hours, last, 80, 24).screen(false)))
}

// trimmed is without the blanks that nobody sees, which editors take away.
func trimmed(frame string) string {
	lines := strings.Split(frame, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// Whatever happened, a frame is as high as the terminal, no line is wider, and all numbers are numbers.
func TestFramesFit(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s, y := anyRun(t, r)
		width, height := rapid.IntRange(1, 210).Draw(r, "width"), rapid.IntRange(1, 70).Draw(r, "height")
		m := modelOf(s, y, width, height)
		m.draw()
		frame := m.frame
		if strings.Contains(frame, "cannot be drawn") {
			r.Fatal(frame)
		}
		if n := strings.Count(frame, "\n") + 1; n != height {
			r.Errorf("%d lines, want %d:\n%s", n, height, frame)
		}
		check(r, frame, width)
		width = max(width, leastPicture)
		check(r, picture(s, y.record, width, rapid.Bool().Draw(r, "colour")), width)
		var told strings.Builder
		tell := Plain(&told, s)
		for _, n := range y.news {
			tell(n)
		}
		check(r, told.String(), math.MaxInt)
	})
}

func check(r *rapid.T, text string, width int) {
	for line := range strings.SplitSeq(text, "\n") {
		if got := ansi.StringWidth(line); got > width {
			r.Errorf("%d columns, want at most %d: %q", got, width, line)
		}
		if strings.Contains(line, "NaN") || strings.Contains(line, "Inf") {
			r.Errorf("no number: %q", line)
		}
	}
}

// anyRun is a run of anything that a record allows.
func anyRun(t *testing.T, r *rapid.T) (*study.Study, *story) {
	s := paidInHours()
	if rapid.Bool().Draw(r, "walltime") {
		s = paidInTime()
	}
	names := rapid.SampledFrom([]string{"", "a", "größe", "学習率", "👩‍🔬🇸🇪", "a long name with blanks", "x\ty\x1b[1m\nz", "e\u0301\u200d"})
	s.Name, s.Cost.Unit, s.Objective.Name = names.Draw(r, "name"), names.Draw(r, "unit"), names.Draw(r, "objective")
	s.Objective.Goal = rapid.SampledFrom([]study.Goal{study.Minimize, study.Maximize}).Draw(r, "goal")
	s.Parameters = append(s.Parameters, space.Param{Name: names.Draw(r, "parameter"), Kind: space.KindChoice})
	scale := math.Pow(10, rapid.Float64Range(-300, 13).Draw(r, "exponent of money"))
	s.Budget.Total = 10 * scale
	y := newStory(t, s)
	value := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.Float64Range(-1e308, 1e308), rapid.Float64Range(1e-300, 1e300),
		rapid.SampledFrom([]float64{0, 1, 1 + 1e-12, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64}))
	for range rapid.IntRange(0, 25).Draw(r, "trials") {
		reserved := scale * rapid.Float64Range(0.001, 3).Draw(r, "reserved")
		if y.record.Ledger.Left() < reserved {
			break
		}
		n := y.begin(reserved)
		y.record.Trials[n-1].Setting[s.Parameters[4].Name] = space.String(names.Draw(r, "value"))
		if rapid.IntRange(0, 4).Draw(r, "goes on") == 0 {
			continue
		}
		share := rapid.Float64Range(0, 1).Draw(r, "share")
		if !s.Measured() {
			share *= 4
		}
		f := study.Finished{Charged: reserved * share, Wall: rapid.Float64Range(0, 1e9).Draw(r, "wall"), Note: names.Draw(r, "note")}
		f.State = rapid.SampledFrom([]study.State{study.Done, study.Done, study.Failed, study.Cut, study.Abandoned}).Draw(r, "state")
		if f.State == study.Done {
			f.Value = value.Draw(r, "objective")
		}
		y.end(n, f)
	}
	y.tell(rapid.SampledFrom([]runner.Kind{runner.Thinking, runner.Stopping, runner.Cutting, runner.Trouble, runner.Stopped}).Draw(r, "last"), 0, names.Draw(r, "text"))
	return s, y
}
