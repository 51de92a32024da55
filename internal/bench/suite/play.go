package suite

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/bench/problem"
	"github.com/eke-bo/eke/internal/bench/variant"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/study"
)

// Play runs one study to its end and returns what is kept of it.
func Play(ctx context.Context, task *problem.Task, v variant.Variant) (Run, error) {
	o, err := open(ctx, task, v)
	if err != nil {
		return Run{}, err
	}
	p := &play{task: task, trueBest: math.NaN(), Run: Run{
		Problem: task.Name, Policy: v.Label, Fits: make([][3]int, len(fitEdges)+1),
	}}
	if task.FreeDesign {
		if err := p.observeDesign(ctx, o); err != nil {
			return Run{}, err
		}
	}
	for p.Ended == "" {
		if err := p.step(ctx, o); err != nil {
			return Run{}, err
		}
	}
	return p.finish(), nil
}

// play is a study under way.
type play struct {
	Run
	task               *problem.Task
	spent              float64
	trueBest           float64 // the value, without noise, of the setting that would be reported now; NaN: there is none
	forecasts          []forecast
	afterwards, wasted float64 // money after the design, and the part of it that was wasted
}

// forecast is what was expected of a trial and what came, in the units of Bands.
type forecast struct {
	value, valueSD, cameValue float64
	cost, costSD, cameCost    float64
}

// step asks for a trial, evaluates it and tells its result.
func (p *play) step(ctx context.Context, o optimizer) error {
	before, hasBest := o.best()
	begin := time.Now()
	trial, err := o.ask(ctx)
	p.Seconds += time.Since(begin).Seconds()
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // a suggestion cut short is not the policy's
	case errors.Is(err, advisor.ErrBudgetSpent):
		p.Ended = "spent"
		return nil
	case errors.Is(err, advisor.ErrNotWorth):
		p.Ended = "not worth"
		return nil
	case errors.Is(err, advisor.ErrExhausted):
		p.Ended = "exhausted"
		return nil
	case err != nil:
		return err
	}
	value, cost := p.task.Try(trial.setting, p.Trials)
	p.judge(trial, before.value, hasBest, value, cost)
	if err := o.tell(ctx, trial, value, cost); err != nil {
		return err
	}
	p.advance(cost) // what was known before the trial ended
	p.Trials++
	if reported, ok := o.best(); ok {
		p.trueBest, _ = p.task.Evaluate(reported.setting)
	}
	return nil
}

// judge compares a trial's forecast with what came.
func (p *play) judge(t trial, best float64, hasBest bool, value, cost float64) {
	if t.design {
		p.Design++
	} else {
		p.afterwards += cost
	}
	if t.expected == nil {
		return
	}
	e := t.expected
	const cautious = 1.2815515655446004 // Φ⁻¹(0.9), which CostHigh is the quantile of
	lnSD := math.Log(e.CostHigh/e.CostMedian) / cautious
	p.forecasts = append(p.forecasts, forecast{
		e.Value / p.task.Scale, e.ValueSD / p.task.Scale, value / p.task.Scale, math.Log(e.CostMedian), lnSD, math.Log(cost),
	})
	addFit(p.Fits, e.Fits, p.spent+cost <= p.task.Budget)
	if hasBest && !t.design {
		ahead := e.Value - best
		if p.task.Goal == study.Minimize {
			ahead = -ahead
		}
		if normal.CDF(ahead/math.Max(e.ValueSD, leastSD*p.task.Scale)) < hopeless {
			p.wasted += cost
		}
	}
}

// advance spends money, and draws the curve up to there.
func (p *play) advance(cost float64) {
	p.spent += cost
	for len(p.Curve) < curvePoints && float64(len(p.Curve)+1)*p.task.Budget/curvePoints < p.spent {
		p.Curve = append(p.Curve, p.logRegret())
	}
}

// logRegret is log10 regret of what would be reported now. Before there is anything to report, it is that of a median setting.
func (p *play) logRegret() float64 {
	if math.IsNaN(p.trueBest) {
		return 0
	}
	return math.Log10(p.task.Regret(p.trueBest))
}

func (p *play) finish() Run {
	for len(p.Curve) < curvePoints {
		p.Curve = append(p.Curve, p.logRegret())
	}
	for i, f := range p.forecasts {
		late := 0
		if 3*i >= len(p.forecasts) {
			late = 1
		}
		p.Values[late].add(f.value, f.valueSD, f.cameValue)
		p.Costs[late].add(f.cost, f.costSD, f.cameCost)
	}
	p.Left = math.Max(1-p.spent/p.task.Budget, 0)
	if p.task.Noise == 0 && p.afterwards > 0 {
		share := p.wasted / p.afterwards
		p.Wasted = &share
	}
	return p.Run
}
