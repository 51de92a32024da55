package report

import (
	"fmt"
	"html/template"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/study"
)

// tenth is how many standard deviations a normal stays below nine times in ten: bands are drawn from one
// tenth to the other, 80 % of what may come.
const tenth = 1.2815515655446004 // Φ⁻¹(0.9)

// guess is one forecast, ready to be drawn.
type guess struct {
	trial             int
	kind              string
	low, middle, high float64
	actual            float64
	text              func(float64) string
}

func (g guess) hit() bool { return g.low <= g.actual && g.actual <= g.high }

// mostGuesses is how many are drawn; of more, evenly many along the study.
const mostGuesses = 1000

// valueGuesses and costGuesses are what was foreseen of trials that have returned a value, and of all.
func valueGuesses(list []insight.Forecast) (out []guess) {
	for _, f := range list {
		if e := f.Expected; f.Value != nil {
			out = append(out, guess{f.Trial, string(f.State), e.Value - tenth*e.ValueSD, e.Value, e.Value + tenth*e.ValueSD, *f.Value, number})
		}
	}
	return out
}

func costGuesses(cost study.Cost, list []insight.Forecast) (out []guess) {
	for _, f := range list {
		if e := f.Expected; f.Cost > 0 {
			text := func(v float64) string { return amount(cost, v) }
			out = append(out, guess{f.Trial, string(f.State), e.CostLow, e.CostMedian, e.CostHigh, f.Cost, text})
		}
	}
	return out
}

func thinned(list []guess) []guess {
	if len(list) <= mostGuesses {
		return list
	}
	out := make([]guess, mostGuesses)
	for i := range out {
		out[i] = list[i*(len(list)-1)/(mostGuesses-1)]
	}
	return out
}

// guessScale covers what came, and what was foreseen where that is not far off.
func guessScale(list []guess, mayLog bool) scale {
	var actual, all []float64
	for _, g := range list {
		actual = append(actual, g.actual)
	}
	log := mayLog && wide(actual)
	s := newScale(actual, log, 0.5)
	for _, g := range list {
		if s.holds(g.middle) {
			all = append(all, g.middle)
		}
	}
	return newScale(append(all, actual...), log, 0.06)
}

// forecastChart draws what was foreseen across, and what came up.
func forecastChart(class, name string, list []guess, mayLog bool) template.HTML {
	const width, height = 440, 400
	c := newCanvas(width, height)
	s := guessScale(list, mayLog)
	f := newFrame(62, 28, width-14, height-44, s, s)
	f.yAxis(c, name+", as it came", 6)
	f.xAxis(c, name+", as foreseen", 6)
	c.line("diagonal", f.left, f.bottom, f.right, f.top)
	c.open(class)
	drawn := thinned(list)
	for _, g := range drawn {
		if from, to := f.x.at(g.low), f.x.at(g.high); to > from {
			c.line("bar", from, f.y.at(g.actual), to, f.y.at(g.actual))
		}
	}
	for _, g := range drawn {
		tip := fmt.Sprintf("trial %d: %s foreseen (%s to %s), %s came", g.trial, g.text(g.middle), g.text(g.low), g.text(g.high), g.text(g.actual))
		c.mark(g.kind, f.x.at(g.middle), f.y.at(g.actual), 3.5, tip)
	}
	c.close()
	return c.svg("chart", name+", foreseen against what came")
}

// calibration tells how often the band of 80 % was right.
func calibration(list []guess) string {
	hits := 0
	for _, g := range list {
		if g.hit() {
			hits++
		}
	}
	text := fmt.Sprintf("%d of %d (%.0f %%) within the 80 %% band", hits, len(list), 100*float64(hits)/float64(len(list)))
	if len(list) > mostGuesses {
		text += fmt.Sprintf("; %d of them drawn", mostGuesses)
	}
	return text
}
