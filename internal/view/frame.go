package view

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/spinner"

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
	top := []string{m.title(k, width)}
	gap := func(lines []string) []string {
		if height >= roomy {
			return append(lines, "")
		}
		return lines
	}
	top = gap(top)
	top = append(top, labelled(k, "budget", gaugeLines(k, m.study, m.record.Ledger, width-labelWidth))...)
	top = append(top, m.best(k, width, height >= twoLines)...)
	top = gap(top)
	bottom := append(m.notices(k, width), m.footer(k, width))
	if height >= roomy {
		bottom = append([]string{""}, bottom...)
	}
	var middle []string
	if room := height - len(top) - len(bottom); width >= wide && room >= leastChart {
		middle = m.besides(k, width, room)
	} else {
		middle = m.stacked(k, width, room)
	}
	lines := slices.Concat(top, middle)
	for len(lines)+len(bottom) < height {
		lines = append(lines, "")
	}
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
	picture := drawChart(k, m.study, m.course, width, min(room-len(lately), tallest))
	if picture == nil {
		if spark := sparkline(m.course, m.study.Objective.Goal, width-labelWidth); spark != "" && room > 1 {
			picture = []string{k.label("course") + k.paint(inLine, spark)}
		}
		lately = m.lately(k, width, room-len(picture))
	}
	list := picture
	if spaced && len(picture) > 0 {
		list = append(list, "")
	}
	list = append(append(list, trials...), reasons...)
	if spaced && len(lately) > 0 {
		list = append(list, "")
	}
	return append(list, lately...)
}

// besides puts the chart to the left of the trials.
func (m *model) besides(k ink, width, room int) []string {
	left := width * 11 / 20
	right := width - left - 2
	picture := drawChart(k, m.study, m.course, left, min(room, tallest*3/2))
	trials := m.running(k, right, max(room/3, 2))
	list := slices.Concat(trials, []string{""})
	list = append(list, m.why(k, right, min(max(room/4, 2), 6))...)
	list = append(list, "")
	list = append(list, m.lately(k, right, room-len(list))...)
	if picture == nil {
		return list
	}
	lines := make([]string, room)
	for i := range lines {
		if i < len(picture) {
			lines[i] = picture[i]
		}
		lines[i] = pad(lines[i], left)
		if i < len(list) {
			lines[i] += "  " + list[i]
		}
	}
	return lines
}

// spin is the current picture of the spinner.
func (m *model) spin() string {
	dots := spinner.MiniDot.Frames
	return dots[int(m.now().UnixMilli()/(1000/frames))%len(dots)]
}

// ended lists the trials that have ended, the latest first.
func (m *model) ended() (list []study.Trial) {
	for i := len(m.record.Trials) - 1; i >= 0; i-- {
		if t := m.record.Trials[i]; t.State.Ended() {
			list = append(list, t)
		}
	}
	return list
}
