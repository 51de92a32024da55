package report

import (
	"fmt"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// band is what is likely: eight outcomes of ten are in it.
type band struct{ low, middle, high float64 }

// words tells a band in numbers.
func (b band) words(text func(float64) string) string {
	return fmt.Sprintf("%s (%s to %s)", text(b.middle), text(b.low), text(b.high))
}

// guess is one forecast, ready to be drawn.
type guess struct {
	trial int
	kind  string
	band
	actual float64
	text   func(float64) string
}

func (g guess) hit() bool { return g.low <= g.actual && g.actual <= g.high }

// mostGuesses is how many are drawn; of more, evenly many along the study.
const mostGuesses = 1000

// guesses are forecasts of values, for trials that returned one, and of costs.
func guesses(cost study.Cost, list []insight.Forecast) (values, costs []guess) {
	amount := func(v float64) string { return say.Amount(cost, v) }
	for _, f := range list {
		e := f.Expected
		if f.Value != nil {
			values = append(values, guess{f.Trial, string(f.State), band{e.ValueLow, e.Value, e.ValueHigh}, *f.Value, say.Number})
		}
		if f.Cost > 0 {
			costs = append(costs, guess{f.Trial, string(f.State), band{e.CostLow, e.CostMedian, e.CostHigh}, f.Cost, amount})
		}
	}
	return values, costs
}

// evenly picks n of a list, from the first to the last.
func evenly[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	some := make([]T, n)
	for i := range some {
		some[i] = list[i*(len(list)-1)/(n-1)]
	}
	return some
}

// guessScale covers the results, and the forecasts that are not far off.
func guessScale(list []guess, mayLog, clock bool) scale {
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
	s = newScale(append(all, actual...), log, 0.06)
	s.clock = clock
	return s
}

// forecastChart draws results against forecasts.
func forecastChart(class, name string, list []guess, mayLog, clock bool) *canvas {
	const width, height = 440, 400
	c := newCanvas(width, height, "chart", "results against forecasts of "+name)
	s := guessScale(list, mayLog, clock)
	f := newFrame(62, 28, width-14, height-44, s, s)
	f.yAxis(c, name+", result", 6)
	f.xAxis(c, name+", forecast", 6)
	c.line("diagonal", f.left, f.bottom, f.right, f.top)
	c.open(class)
	drawn := evenly(list, mostGuesses)
	for _, g := range drawn {
		if from, to := f.x.at(g.low), f.x.at(g.high); to > from {
			c.line("bar", from, f.y.at(g.actual), to, f.y.at(g.actual))
		}
	}
	for _, g := range drawn {
		tip := fmt.Sprintf("trial %d: forecast %s, result %s", g.trial, g.words(g.text), g.text(g.actual))
		c.mark(g.kind, f.x.at(g.middle), f.y.at(g.actual), 3.5, tip)
	}
	c.close()
	return c
}

// calibration tells how often the band of 80% was right.
func calibration(list []guess) string {
	hits := 0
	for _, g := range list {
		if g.hit() {
			hits++
		}
	}
	text := fmt.Sprintf("%d of %s (%s) within the 80%% band", hits, say.Count(len(list), "trial"), say.Percent(float64(hits)/float64(len(list))))
	if len(list) > mostGuesses {
		text += fmt.Sprintf("; %d of them drawn", mostGuesses)
	}
	return text
}
