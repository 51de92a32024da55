package report

import (
	"fmt"
	"math"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// frontEnds is a front in a few words: how far it reaches, and the result that is best by each objective.
type frontEnds struct {
	Count, Ranges string
	Best          []fact
}

func newEnds(s *study.Study, front advisor.Front) *frontEnds {
	e := &frontEnds{Count: say.Count(len(front.Trials), "result"), Ranges: say.FrontRanges(s, front.Outcomes)}
	if front.Expected {
		e.Ranges = "expected: " + e.Ranges
	}
	for j, o := range s.Objectives {
		best := 0
		for i, y := range front.Outcomes {
			if o.Goal.Better(y[j], front.Outcomes[best][j]) {
				best = i
			}
		}
		text := front.Trials[best].Title() + ": " + front.Words(s, best)
		if front.Expected {
			text += "; " + say.SeenOutcomes(s, front.Seen[best])
		}
		e.Best = append(e.Best, fact{"best " + o.Name, text})
	}
	return e
}

// frontWords says what the charts of a front show.
func frontWords(front advisor.Front) string {
	if front.Expected {
		return "Every dot is a result. The front is that of what the models expect of the settings: its results are blue, where they are expected. The others are faded, where they were seen. The band is where the rest of the money may move the front."
	}
	return "Every dot is a result. Those that no other dominates are blue, the others are faded. The band is where the rest of the money may move the front."
}

func (e *frontEnds) write(m *markup) {
	m.add("<h2>Front: %s</h2>\n<p class=\"faint\">%s</p>\n<dl class=\"facts\">", e.Count, e.Ranges)
	for _, f := range e.Best {
		m.add("<div><dt>%s</dt><dd>%s</dd></div>", f.Name, f.Text)
	}
	m.add("</dl>\n")
}

// frontCharts draws every pair of several objectives against each other: the results on the front, the others faded, and where the rest of the money may move the front.
func frontCharts(s *study.Study, r *study.Record, front advisor.Front, rest *study.Rest) (list []*canvas) {
	for right := range s.Objectives {
		for up := range right {
			if c := frontChart(s, r, front, rest, up, right); c != nil {
				list = append(list, c)
			}
		}
	}
	return list
}

func frontChart(s *study.Study, r *study.Record, front advisor.Front, rest *study.Rest, up, right int) *canvas {
	results, outcomes := front.Drawn(s, r)
	if len(results) == 0 {
		return nil
	}
	var xs, ys []float64
	for _, y := range outcomes {
		xs, ys = append(xs, y[right]), append(ys, y[up])
	}
	const width, height = 900, 330
	o, other := s.Objectives[up], s.Objectives[right]
	c := newCanvas(width, height, "chart wide", o.Name+" against "+other.Name)
	wideX, wideY := wide(xs), wide(ys)
	band := rest.ReachOf(o.Name, other.Name)
	for _, p := range band {
		xs, ys = append(xs, p.At), append(ys, p.Better)
	}
	f := newFrame(62, 28, width-12, height-42, newScale(xs, wideX && wide(xs), 0.03), newScale(ys, wideY && wide(ys), 0.06))
	f.yAxis(c, o.Name, 6)
	f.xAxis(c, other.Name, 8)
	if len(band) > 0 {
		inside := func(v float64) float64 { return math.Min(math.Max(f.y.at(v), f.top), f.bottom) }
		var edge, back []float64
		for i, p := range band {
			edge = append(edge, f.x.at(p.At), inside(p.Better))
			last := band[len(band)-1-i]
			back = append(back, f.x.at(last.At), inside(last.Worse))
		}
		c.open("value")
		c.path("band", append(edge, back...), true, "where the rest of the money may move the front, with eight chances in ten")
		c.close()
	}
	draw := func(on bool, kind string, radius float64) {
		for i, t := range results {
			if place := front.Place(t); place >= 0 == on {
				words := say.Outcome(s, t)
				if on {
					words = front.Words(s, place)
				}
				tip := fmt.Sprintf("%s: %s%s", t.Title(), words, say.For(s.Cost, t))
				c.mark(kind, f.x.at(outcomes[i][right]), f.y.at(outcomes[i][up]), radius, tip)
			}
		}
	}
	draw(false, "beaten", 2.6)
	draw(true, "better", 4.2)
	return c
}
