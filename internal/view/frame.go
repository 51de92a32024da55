package view

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
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
	picture := drawChart(k, m.study, m.course, width, min(room-len(lately), tallest))
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
	picture := drawChart(k, m.study, m.course, left, min(room, tallest*3/2))
	list := slices.Concat(m.running(k, right, max(room/3, 2)), []string{""}, m.why(k, right, min(max(room/4, 2), 6)), []string{""})
	list = append(list, m.lately(k, right, room-len(list))...)
	if picture == nil {
		return list
	}
	column := lipgloss.NewStyle().Width(left + 2).Render(strings.Join(picture, "\n"))
	return strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, column, strings.Join(list, "\n")), "\n")
}

// spin is the current picture of the spinner.
func (m *model) spin() string {
	dots := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	return string(dots[int(m.now().UnixMilli()/(1000/frames))%len(dots)])
}
