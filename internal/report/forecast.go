package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/eke-bo/eke/advisor"
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
	state study.State
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
			values = append(values, guess{f.Trial, f.State, band{e.ValueLow, e.Value, e.ValueHigh}, *f.Value, say.Number})
		}
		if f.Cost > 0 {
			costs = append(costs, guess{f.Trial, f.State, band{e.CostLow, e.CostMedian, e.CostHigh}, f.Cost, amount})
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
		c.mark(kindOf(say.Mark(g.state)), f.x.at(g.middle), f.y.at(g.actual), 3.5, tip)
	}
	c.close()
	return c
}

// calibration tells how often the band of 80% was right. It was about whole trials, so only those that are done count.
func calibration(list []guess) string {
	hits, done := 0, 0
	for _, g := range list {
		if g.state != study.Done {
			continue
		}
		if done++; g.hit() {
			hits++
		}
	}
	text := "no trial is done"
	if done > 0 {
		text = fmt.Sprintf("%d of %s (%s) within the 80%% band", hits, say.Count(done, "trial"), say.Percent(float64(hits)/float64(done)))
	}
	if rest := len(list) - done; rest > 0 {
		text += "; not counted: " + say.Count(rest, "trial") + " without a value"
	}
	if len(list) > mostGuesses {
		text += fmt.Sprintf("; %d of all drawn", mostGuesses)
	}
	return text
}

// learning is what a trial showed on its way, and how it is drawn.
type learning struct {
	trial study.Trial
	steps []study.Step // its result is the last, if it has one
	kind  string       // top, early, or empty
}

// rank orders learning curves as they are drawn: the best last, on top.
func (l learning) rank() int { return slices.Index([]string{"early", "", "top"}, l.kind) }

// learningOf lists the trials that showed values on their way; of very many, some.
func learningOf(s *study.Study, r *study.Record, best advisor.Best) (list []learning) {
	if s.Fidelity == nil {
		return nil
	}
	for _, t := range r.Trials {
		c := learning{trial: t, steps: t.Steps}
		last, ok := t.LastStep()
		switch {
		case !ok:
			continue
		case t.State == study.StoppedEarly:
			c.kind = "early"
		case best.Has(t):
			c.kind = "top"
		}
		if top := s.FidelityOf(t.Setting); t.State == study.Done && last.Step < top {
			c.steps = append(slices.Clip(c.steps), study.Step{Step: top, Value: t.Value})
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b learning) int { return cmp.Compare(a.rank(), b.rank()) })
	return evenly(list, mostLines) // the last stays
}

// learningChart draws the value of each trial against the fidelity that it had reached. It is nil if there is nothing to draw.
func learningChart(s *study.Study, r *study.Record, best advisor.Best) *canvas {
	list := learningOf(s, r, best)
	if len(list) == 0 {
		return nil
	}
	var reached, values []float64
	for _, c := range list {
		for _, step := range c.steps {
			reached, values = append(reached, step.Step), append(values, step.Value)
		}
	}
	const width, height = 900, 330
	c := newCanvas(width, height, "chart wide", s.Objective.Name+" of each trial against "+s.Fidelity.Name)
	if len(list) > crowd {
		c.class += " crowd"
	}
	x := newScale(append(reached, s.Fidelity.Top()), s.Fidelity.Log || wide(s.Fidelity.Levels()), 0.015)
	f := newFrame(62, 28, width-12, height-42, x, valueScale(s, values, nil))
	f.yAxis(c, s.Objective.Name, 6)
	f.xAxis(c, s.Fidelity.Name, 8)
	for _, l := range list {
		l.draw(c, f, s)
	}
	return c
}

func (l learning) draw(c *canvas, f frame, s *study.Study) {
	last := l.steps[len(l.steps)-1]
	tip := fmt.Sprintf("trial %d %s: %s %s at %s=%s, for %s", l.trial.Number, l.trial.State, s.Objective.Name, say.Number(last.Value), s.Fidelity.Name, say.Number(last.Step), say.Amount(s.Cost, l.trial.Charged))
	var points []float64
	for _, step := range l.steps {
		points = append(points, f.x.at(step.Step), f.y.at(step.Value))
	}
	class := "learning"
	if l.kind != "" {
		class += " " + l.kind
	}
	c.path(class, points, false, tip)
	mark := map[string]string{"early": "early", "": "done", "top": "better"}[l.kind]
	c.mark(mark, f.x.at(last.Step), f.y.at(last.Value), 2.2, tip)
}
