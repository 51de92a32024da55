package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

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
