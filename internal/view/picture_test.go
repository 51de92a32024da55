package view

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

func picture(s *study.Study, r *study.Record, width int, colour bool) string {
	var out bytes.Buffer
	Picture(&out, s, r, advisor.SeenFront(s, r), width, colour)
	return out.String()
}

func TestPicture(t *testing.T) {
	hours, wall := paidInHours(), paidInTime()
	golden(t, "picture-80.txt", picture(hours, long(t, hours).record, 80, false))
	golden(t, "picture-60-walltime.txt", picture(wall, long(t, wall).record, 60, false))
	golden(t, "picture-empty.txt", picture(hours, newStory(t, hours).record, 80, false))
}

// A value axis of many decades is logarithmic; the budget has been passed, and the last value does not count.
func TestPictureLogarithmicAndOverrun(t *testing.T) {
	s := paidInHours()
	s.Objective = study.Objective{Name: "throughput", Goal: study.Maximize}
	y := newStory(t, s)
	for i := range 8 {
		y.end(y.begin(4), study.Finished{State: study.Done, Value: math.Pow(10, math.Mod(float64(i)*1.7, 5)-1), Charged: 4.5, Wall: 60})
	}
	y.end(y.begin(1), study.Finished{State: study.Done, Value: 2e4, Charged: 9, Wall: 60})
	golden(t, "picture-log-overrun.txt", picture(s, y.record, 80, false))
}

// One value that is far worse than the others stands at the edge.
func TestPictureOutlier(t *testing.T) {
	s := paidInHours()
	y := newStory(t, s)
	for i := range 9 {
		value := 1 - 0.1*float64(i)
		if i == 2 {
			value = 1e5
		}
		if i == 7 {
			value = -0.2
		}
		y.end(y.begin(4), study.Finished{State: study.Done, Value: value, Charged: 3, Wall: 60})
	}
	golden(t, "picture-outlier.txt", picture(s, y.record, 80, false))
}

// A result from elsewhere that is the best has no star and, if nobody told it, no cost. The line of best values begins with it.
func TestPictureOfKnownResults(t *testing.T) {
	s := paidInHours()
	y := newStory(t, s)
	y.apply(study.Event{Kind: study.EventKnown, Known: &study.Known{Value: 0.1}})
	for _, value := range []float64{0.9, 0.5} {
		y.end(y.begin(4), study.Finished{State: study.Done, Value: value, Charged: 3, Wall: 60})
	}
	text := picture(s, y.record, 80, false)
	if !strings.Contains(text, "0.1 by a known result\n") || strings.ContainsAny(text, "★●") || !strings.Contains(text, "───────") {
		t.Errorf("%s", text)
	}
	m := newModel(s, nil, func() time.Time { return y.now })
	for _, n := range y.news {
		m.hear(n)
	}
	if screen := m.screen(false); !strings.Contains(screen, "★ 0.1") || strings.Count(screen, "★") != 1 || strings.Contains(screen, "cost 0 ") {
		t.Errorf("%s", screen)
	}
}

func TestPictureColour(t *testing.T) {
	s := paidInHours()
	r := long(t, s).record
	if plain, painted := picture(s, r, 80, false), picture(s, r, 80, true); plain == painted || strings.Contains(plain, "\x1b") || ansi.Strip(painted) != plain {
		t.Errorf("in colour it is another picture:\n%s\n%s", plain, ansi.Strip(painted))
	}
}

// Every tick of the lower axis has its label, however wide the last one is, which names the unit.
func TestLowerAxisKeepsItsLabels(t *testing.T) {
	for _, unit := range []string{"s", "core-hours", "latency_of_the_slowest_call_in_ms"} {
		for total := 1.0; total < 3000; total *= 1.07 {
			for columns := 30; columns <= 110; columns++ {
				x, ruler, below := lowerAxis(columns, 7, func(n int) axis { return newAxis(say.Range{Hi: total}, n) }, func(v float64) string { return say.Number(v) + " " + unit })
				if words := strings.Fields(below); len(x.ticks) < 2 || strings.Count(ruler, "┬") != len(x.ticks) || len(words) != len(x.ticks)+1 || ansi.StringWidth(below) > 9+columns {
					t.Fatalf("%v %s in %d columns:\n%s\n%s", total, unit, columns, ruler, below)
				}
			}
		}
	}
}
