// Package view shows a run in a terminal. Plain and JSON print a line for each event. Live redraws the run as it goes. Picture is
// what stays on the screen at the end.
//
// Nothing here decides anything. A view reads news and records and does not change them, and a run goes on if its view
// fails.
package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

const (
	roomy      = 28  // lines from which there are empty ones between the parts
	twoLines   = 20  // lines from which the best trial may have two
	wide       = 120 // columns from which the chart stands beside the trials
	tallest    = 18  // lines of a chart above the trials
	leastChart = leastPlot + axisRows + 1
)

// screen returns the frame. It is exactly as high as the terminal, and no line is wider.
func (m *model) screen(colour bool) string {
	width, height := max(m.width, 1), max(m.height, 1)
	k := ink(colour)
	var gap []string
	if height >= roomy {
		gap = []string{""}
	}
	budget := labelled(k, "budget", gaugeLines(k, m.study, m.record.Ledger, width-labelWidth))
	top := slices.Concat([]string{m.title(k, width)}, gap, budget, m.bestSoFar(k, width, height >= twoLines), gap)
	bottom := slices.Concat(gap, m.notices(k, width), []string{m.footer(k, width)})
	var middle []string
	if room := height - len(top) - len(bottom); width >= wide && room >= leastChart {
		middle = m.besides(k, width, room)
	} else {
		middle = m.stacked(k, width, room)
	}
	lines := slices.Concat(top, middle, make([]string, height)) // as many empty ones as may be necessary
	lines = append(lines[:max(height-len(bottom), 0)], bottom...)
	lines = lines[max(len(lines)-height, 0):]
	for i := range lines {
		lines[i] = fit(lines[i], width)
	}
	return strings.Join(lines, "\n")
}

// stacked puts the chart above the trials; in a low terminal it has one row.
func (m *model) stacked(k ink, width, room int) []string {
	trials := m.running(k, width, max(room/2, 2))
	reasons := m.why(k, width, 1+min(room/12, 2))
	room -= len(trials) + len(reasons)
	spaced := room >= leastChart+5
	if spaced {
		room -= 2
	}
	lately := m.lately(k, width, min(max(room/4, 1), 6))
	if room-len(lately) > tallest {
		lately = m.lately(k, width, room-tallest)
	}
	picture := m.picture(k, width, min(room-len(lately), tallest))
	if picture == nil {
		if spark := sparkline(m.course, m.study.Objective.Goal, width-labelWidth); spark != "" && room > 1 {
			picture = []string{k.label("course") + k.paint(inLine, spark)}
		}
		lately = m.lately(k, width, room-len(picture))
	}
	if spaced && len(picture) > 0 {
		picture = append(picture, "")
	}
	if spaced && len(lately) > 0 {
		reasons = append(reasons, "")
	}
	return slices.Concat(picture, trials, reasons, lately)
}

// besides puts the chart to the left of the trials.
func (m *model) besides(k ink, width, room int) []string {
	left := width * 11 / 20
	right := width - left - 2
	picture := m.picture(k, left, min(room, tallest*3/2))
	list := slices.Concat(m.running(k, right, max(room/3, 2)), []string{""}, m.why(k, right, min(max(room/4, 2), 6)), []string{""})
	list = append(list, m.lately(k, right, room-len(list))...)
	if picture == nil {
		return list
	}
	column := lipgloss.NewStyle().Width(left + 2).Render(strings.Join(picture, "\n"))
	return strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, column, strings.Join(list, "\n")), "\n")
}

// picture is the chart: the course, or the front of several objectives, of which the first two are drawn.
func (m *model) picture(k ink, width, height int) []string {
	if m.study.Several() {
		return drawFront(k, m.study, m.record, m.front, nil, 0, 1, width, height)
	}
	return drawChart(k, m.study, m.course, width, height)
}

// spin is the current picture of the spinner.
func (m *model) spin() string {
	dots := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	return string(dots[int(m.now().UnixMilli()/(1000/frames))%len(dots)])
}

func (m *model) title(k ink, width int) string {
	s := m.study
	about := []string{say.Goals(s)}
	policy := say.Clean(s.Policy.Name)
	if m.chosen != nil {
		if why, _ := advisor.WhyOf(m.chosen.Why); why.Policy != "" && say.Clean(why.Policy) != policy {
			policy += " (" + say.Clean(why.Policy) + ")"
		}
	}
	about = append(about, policy)
	left := k.paint(bold, "eke  "+say.Clean(s.Name)) + k.paint(faint, "  "+strings.Join(about, " · "))
	if m.begun.IsZero() {
		return fit(left, width)
	}
	return apart(left, k.paint(faint, say.Clock(m.now().Sub(m.begun).Seconds())), width)
}

// bestSoFar is the best trial so far: in one line, or in two if there is room for them and one is not enough.
func (m *model) bestSoFar(k ink, width int, two bool) []string {
	t := m.best
	if len(m.front.Trials) > 0 {
		return labelled(k, "front", frontLines(m.study, m.front, map[bool]int{true: 2, false: 0}[two]))
	}
	if !m.found {
		return []string{k.label("best") + k.paint(faint, cmp.Or(say.NoneFeasible(m.study, m.record), "none yet"))}
	}
	value := k.paint(inGood, "★ "+t.Text())
	about := []string{t.Title(), say.Ago(m.now(), t.Finished)}
	if cost := say.CostOf(m.study.Cost, t.Trial); cost != "" {
		about = slices.Insert(about, 1, "cost "+cost)
	}
	facts := k.paint(faint, strings.Join(about, " · "))
	set := say.Setting(m.study, t.Setting)
	if t.Estimate != nil {
		set += k.paint(faint, "  "+say.Seen(t.Estimate.Values))
	}
	one := value + "  " + set + "  " + facts
	if room := width - labelWidth; ansi.StringWidth(one) > room && two {
		return labelled(k, "best", []string{fit(value+"  "+facts, room), fit(set, room)})
	}
	return []string{k.label("best") + one}
}

// running shows open trials and thinking, in at most this many lines.
func (m *model) running(k ink, width, most int) []string {
	open := m.record.Open()
	var thought []string
	if !m.thinking.IsZero() {
		thought = []string{k.paint(inLine, m.spin()) + " thinking…  " + k.paint(faint, say.Clock(m.now().Sub(m.thinking).Seconds()))}
	}
	fits := max(most-len(thought), 1)
	var lines []string
	for i, t := range open {
		if i == fits-1 && len(open) > fits {
			lines = append(lines, k.paint(faint, fmt.Sprintf("… and %d more", len(open)-i)))
			break
		}
		lines = append(lines, m.openTrial(k, t, width-labelWidth))
	}
	lines = append(lines, thought...)
	switch {
	case len(lines) > 0:
	case m.begun.IsZero():
		lines = []string{k.paint(faint, "starting…")}
	default:
		lines = []string{k.paint(faint, "nothing")}
	}
	return labelled(k, "now", lines)
}

// openTrial is one line: number, progress, time, cost, setting.
func (m *model) openTrial(k ink, t study.Trial, width int) string {
	line := pad(fmt.Sprintf("#%d", t.Number), 5)
	if t.State == study.Pending {
		return fit(line+k.paint(faint, "to be started  ")+say.Setting(m.study, t.Setting), width)
	}
	elapsed := m.now().Sub(t.Started)
	if t.Queued != "" {
		return fit(line+k.paint(faint, "queued "+pad(say.Clock(elapsed.Seconds()), 7)+say.Clean(t.Queued)+"  ")+say.Setting(m.study, t.Setting), width)
	}
	cost := k.paint(faint, expectedCost(m.study, t))
	if !m.study.Measured() {
		return fit(line+k.paint(inLine, m.spin())+" "+pad(say.Clock(elapsed.Seconds()), 7)+cost+"  "+say.Setting(m.study, t.Setting), width)
	}
	share := 1.0
	if t.Reserved > 0 {
		share = elapsed.Seconds() / t.Reserved
	}
	bar := progress(k, share, min(max(width/5, 8), 30))
	times := fmt.Sprintf("%s of %s", say.Clock(elapsed.Seconds()), say.Duration(t.Reserved))
	return fit(line+bar+" "+pad(times, max(15, ansi.StringWidth(times)))+" "+cost+"  "+say.Setting(m.study, t.Setting), width)
}

// expectedCost is short: what a trial is expected to cost, or what is reserved for it while nothing is known.
func expectedCost(s *study.Study, t study.Trial) string {
	if why, _ := advisor.WhyOf(t.Why); why.Expected != nil {
		return "≈ " + say.Amount(s.Cost, why.Expected.Cost)
	}
	return "≤ " + say.Amount(s.Cost, t.Reserved)
}

// why tells why the last trial was chosen.
func (m *model) why(k ink, width, most int) []string {
	if m.chosen == nil || most < 1 {
		return nil
	}
	text := fmt.Sprintf("#%d %s", m.chosen.Number, reasons(m.study, *m.chosen))
	lines := strings.Split(ansi.Wrap(text, max(width-labelWidth, 10), ""), "\n")
	if len(lines) > most {
		lines = append(lines[:most-1], fit(strings.Join(lines[most-1:], " "), width-labelWidth))
	}
	return labelled(k, "why", lines)
}

// lately lists the last trials that ended, in at most this many lines.
func (m *model) lately(k ink, width, most int) []string {
	ended := slices.DeleteFunc(slices.Clone(m.record.Trials), func(t study.Trial) bool { return !t.State.Ended() })
	slices.SortStableFunc(ended, func(a, b study.Trial) int { return cmp.Or(b.Finished.Compare(a.Finished), b.Number-a.Number) })
	ended = ended[:min(len(ended), max(most, 0))]
	column := 7
	for _, t := range ended {
		column = max(column, ansi.StringWidth(say.Amount(m.study.Cost, t.Charged)))
	}
	values := 10
	for _, t := range ended {
		if m.study.Several() {
			values = max(values, min(ansi.StringWidth(say.Outcome(m.study, t))+1, width/2))
		}
	}
	value := func(t study.Trial) string {
		if m.study.Several() {
			return pad(say.Outcome(m.study, t), values)
		}
		return pad(say.Number(t.Value), values)
	}
	var lines []string
	for _, t := range ended {
		head, cost, set := pad(fmt.Sprintf("#%d", t.Number), 5), pad(say.Amount(m.study.Cost, t.Charged), column)+"  ", say.Setting(m.study, t.Setting)
		if far := say.FarOff(m.study, t); far != "" {
			set += "  " + far
		}
		switch {
		case t.State != study.Done:
			head += k.paint(inBad, "× "+pad(string(t.State), values)) + cost + k.paint(faint, cmp.Or(say.Trouble(t.Note), set))
		case !t.Counts():
			head += k.paint(inBad, "○ "+value(t)) + cost + k.paint(faint, m.best.NotCounted(t))
		case !m.study.Several() && m.best.Has(t) || m.front.Has(t):
			head += k.paint(inGood, "★ "+value(t)) + cost + set
		default:
			head += "• " + value(t) + cost + k.paint(faint, set)
		}
		lines = append(lines, fit(head, width-labelWidth))
	}
	return labelled(k, "lately", lines)
}

// notices show what is out of the ordinary.
func (m *model) notices(k ink, width int) []string {
	if m.notice.text == "" {
		return nil
	}
	style := bold
	if m.notice.kind == runner.Trouble {
		style = inWarning
	}
	names := map[runner.Kind]string{runner.Trouble: "trouble", runner.Waiting: "waiting", runner.Stopped: "ended"}
	word := cmp.Or(names[m.notice.kind], "note")
	return []string{fit(k.label(word)+k.paint(style, m.notice.text), width)}
}

// footer shows the keys, and how the time was spent.
func (m *model) footer(k ink, width int) string {
	keys := k.paint(bold, "ctrl-c") + k.paint(faint, " stop gently · twice: now")
	switch {
	case m.notice.kind == runner.Stopped:
		keys = k.paint(faint, "the run has ended")
	case m.stop == stopping:
		keys = k.paint(inWarning, "stopping after the running trials") + k.paint(faint, " · ") + k.paint(bold, "ctrl-c") + k.paint(faint, " stop them now")
	case m.stop == cutting:
		keys = k.paint(inWarning, "cutting the running trials…")
	}
	return apart(keys, k.paint(faint, m.times()), width)
}

// times is how long the thinking and the trials took, running ones included.
func (m *model) times() string {
	thought, ran, now := 0.0, 0.0, m.now()
	for _, t := range m.record.Trials {
		thought, ran = thought+t.Thinking, ran+t.Wall
		if t.State == study.Running && t.Queued == "" {
			ran += math.Max(now.Sub(t.Started).Seconds(), 0)
		}
	}
	if !m.thinking.IsZero() {
		thought += now.Sub(m.thinking).Seconds()
	}
	return fmt.Sprintf("thought %s · ran %s", say.Clock(thought), say.Clock(ran))
}
