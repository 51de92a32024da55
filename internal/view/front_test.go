package view

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/study"
)

// With several objectives, lines and screen tell all of them, and which trials are on the front.
func TestSeveralObjectives(t *testing.T) {
	s, worst := paidInHours(), 9.0
	s.Objectives = []study.Aim{{Objective: s.Objective, Worst: &worst}, {Objective: study.Objective{Name: "latency", Goal: study.Minimize}, Worst: &worst}}
	y := newStory(t, s)
	for _, outcome := range [][2]float64{{1, 5}, {2, 6}, {3, 1}} { // the second is worse than the first in both
		y.end(y.begin(2), study.Finished{State: study.Done, Value: outcome[0], Charged: 1, Wall: 60, Metrics: study.Metrics{"latency": outcome[1]}})
	}
	y.end(y.begin(2), s.Whole(study.Finished{State: study.Done, Value: 0.5, Charged: 1, Wall: 60}))
	var lines strings.Builder
	hear := Plain(&lines, s)
	m := newModel(s, nil, func() time.Time { return y.now })
	for _, n := range y.news {
		hear(n)
		m.hear(n)
	}
	m.hear(runner.News{Kind: runner.Thinking, At: y.now, Record: y.record})
	for _, width := range []int{100, 160} {
		m.width, m.height = width, 40
		m.draw()
		for _, want := range []string{"log-loss 1, latency 5: trial 1", "log-loss (minimize) against latency (minimize)", "★ log-loss 3, latency 1", "• log-loss 2, latency 6", "× failed"} {
			if !strings.Contains(m.frame, want) {
				t.Errorf("%d columns: %q is not in\n%s", width, want, m.frame)
			}
		}
	}
	for _, want := range []string{"done      log-loss 1, latency 5", "log-loss 3, latency 1   cost 1 core-hour", "failed    log-loss 0.5"} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("%q is not in\n%s", want, lines.String())
		}
	}
	if n := strings.Count(lines.String(), "on the front\n"); n != 2 {
		t.Errorf("%d lines are about the front:\n%s", n, lines.String())
	}
}

// The chart shows the front, and counts the results that are far worse.
func TestFrontFillsItsChart(t *testing.T) {
	s := paidInHours()
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "latency", Goal: study.Minimize}}}
	y := newStory(t, s)
	for _, outcome := range [][2]float64{{1, 5}, {2, 4}, {3, 3}, {4, 2}, {5, 1}, {5.5, 5.5}, {900, 2}, {2, 900}} {
		y.end(y.begin(2), study.Finished{State: study.Done, Value: outcome[0], Charged: 1, Wall: 60, Metrics: study.Metrics{"latency": outcome[1]}})
	}
	var out strings.Builder
	Front(&out, s, y.record, advisor.SeenFront(s, y.record), nil, 80, false)
	title, chart, _ := strings.Cut(out.String(), "\n")
	if strings.Count(chart, "●") != 5 || strings.Count(chart, "·") != 1 || !strings.Contains(title, "· not, 2 beyond") {
		t.Errorf("not the front:\n%s", out.String())
	}
}

// Where every result is beyond the worst that counts, all are drawn.
func TestFrontBeyondTheWorst(t *testing.T) {
	s := paidInHours()
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "latency", Goal: study.Minimize}}}
	y := newStory(t, s)
	for _, outcome := range [][2]float64{{30, 28}, {40, 20}, {25, 30}} {
		y.end(y.begin(2), study.Finished{State: study.Done, Value: outcome[0], Charged: 1, Wall: 60, Metrics: study.Metrics{"latency": outcome[1]}})
	}
	for _, expected := range []bool{true, false} {
		var out strings.Builder
		Front(&out, s, y.record, advisor.Front{Worst: []float64{10, 10}, Expected: expected}, nil, 80, false)
		title, chart, _ := strings.Cut(out.String(), "\n")
		if strings.Count(chart, "·") != 3 || strings.Contains(title, "beyond") {
			t.Errorf("expected %t: not all results:\n%s", expected, out.String())
		}
	}
}

// With a band, both axes reach down to the worst that counts, and the title is not cut.
func TestFrontIsScaledAlike(t *testing.T) {
	s := paidInHours()
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "latency of the slowest call", Goal: study.Minimize}}}
	y, second := newStory(t, s), s.Objectives[1].Name
	for _, outcome := range [][2]float64{{30, 28}, {1, 2}, {2, 1}, {20, 20}, {25, 30}, {900, 900}} {
		y.end(y.begin(2), study.Finished{State: study.Done, Value: outcome[0], Charged: 1, Wall: 60, Metrics: study.Metrics{second: outcome[1]}})
	}
	f := advisor.SeenFront(s, y.record)
	f.Worst = []float64{33, 33}
	rest := &study.Rest{Reach: []study.Reach{{Up: s.Objective.Name, Right: second, Points: []study.ReachPoint{{At: 33, Worse: 1, Better: 0.5}, {At: 1, Worse: 2, Better: 1.5}}}}}
	var out strings.Builder
	Front(&out, s, y.record, f, rest, 80, false)
	title, chart, _ := strings.Cut(out.String(), "\n")
	if !strings.HasSuffix(title, "● on the front, · not, 1 beyond") || ansi.StringWidth(title) > 80 {
		t.Errorf("the title is cut: %q", title)
	}
	if strings.Count(chart, "●") != 2 || strings.Count(chart, "·") != 3 {
		t.Errorf("not all that counts:\n%s", out.String())
	}
}

// With noise in a limited quantity, a result that was seen beyond its limit may be on the front by the models. It is drawn there.
func TestFrontByTheModelsIsDrawn(t *testing.T) {
	s := paidInHours()
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "latency", Goal: study.Minimize}}}
	y := newStory(t, s)
	for _, outcome := range [][2]float64{{1, 5}, {2, 4}, {3, 3}} {
		y.end(y.begin(2), study.Finished{State: study.Done, Value: outcome[0], Charged: 1, Wall: 60, Metrics: study.Metrics{"latency": outcome[1]}})
	}
	f := advisor.SeenFront(s, y.record)
	f.Expected = true
	for i := range y.record.Trials[:2] {
		y.record.Trials[i].Violates = []string{"memory"}
	}
	f.Trials, f.Outcomes = f.Trials[1:], f.Outcomes[1:] // and the first does not count by the models either
	for i := range f.Trials {
		f.Trials[i] = y.record.Trials[f.Trials[i].Number-1]
	}
	var out strings.Builder
	Front(&out, s, y.record, f, nil, 80, false)
	_, chart, _ := strings.Cut(out.String(), "\n")
	if strings.Count(chart, "●") != 2 || strings.Count(chart, "·") != 0 {
		t.Errorf("not the front:\n%s", out.String())
	}
}
