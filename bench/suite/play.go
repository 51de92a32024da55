package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/variant"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Play runs one study to its end, on one core, and returns its run.
func Play(ctx context.Context, task *problem.Task, v variant.Variant) (Run, error) {
	o, err := open(ctx, task, v)
	if err != nil {
		return Run{}, err
	}
	run, err := played(ctx, task, o, v.Preset.Tails)
	run.Policy = v.Label
	return run, err
}

func played(ctx context.Context, task *problem.Task, o optimizer, tails bool) (Run, error) {
	p := &play{task: task, tails: tails, trueBest: math.NaN(), reached: map[string]reach{}, Run: Run{Problem: task.Name, Fits: make([][3]int, len(fitEdges)+1)}}
	if task.FreeDesign {
		if err := observeDesign(ctx, o, task); err != nil {
			return Run{}, err
		}
	}
	if err := p.report(ctx, o); err != nil {
		return Run{}, err
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
	tails              bool // forecasts have the tails of Student's t distribution
	spent              float64
	reached            map[string]reach // by setting, where trials go on from each other
	best               float64          // what would be reported now; meaningless before the first result
	trueBest           float64          // the same without noise; NaN: there is no result
	forecasts          []forecast
	afterwards, wasted float64 // money after the design, and the part of it that was wasted
}

// forecast is what was expected of a trial and its result, in the units of Bands.
type forecast struct {
	value, valueSD, cameValue float64
	cost, costSD, cameCost    float64
}

// step asks for a trial, evaluates it and tells its result.
func (p *play) step(ctx context.Context, o optimizer) error {
	begin := time.Now()
	trial, err := o.Ask(ctx)
	if _, other := o.(*external); !other || p.Trials > 0 { // another program may still be starting when it is asked for the first trial
		p.Seconds += time.Since(begin).Seconds()
	}
	if ctx.Err() != nil {
		return ctx.Err() // a suggestion that was cut short does not count as the policy's
	}
	if p.Ended = ending(err); p.Ended != "" {
		return nil
	}
	if err != nil {
		return err
	}
	value, cost := p.task.Try(trial.Setting, p.Trials)
	cost -= p.paidBefore(trial.Setting, cost)
	if p.task.Fails != nil && p.task.Fails(trial.Setting) {
		value, err = math.NaN(), o.Fail(ctx, trial.Number, cost, "out of memory")
	} else {
		err = o.Tell(ctx, trial.Number, value, cost)
	}
	if err != nil {
		return err
	}
	p.judge(trial, value, cost)
	p.advance(cost) // with what was known before the trial ended
	p.Trials++
	return p.report(ctx, o)
}

// leastRest is the least that a trial costs that goes on from another, as a part of the whole: a surrogate's seconds may fall with epochs.
const leastRest = 0.01

// paidBefore is what a trial does not pay again, where it goes on from one of the same setting with a lower fidelity.
func (p *play) paidBefore(s space.Setting, whole float64) float64 {
	if p.task.Fidelity == nil || !p.task.Fidelity.Resume {
		return 0
	}
	level, given := s[p.task.Fidelity.Name].Number()
	if !given {
		level = p.task.Fidelity.Top()
	}
	s = maps.Clone(s)
	delete(s, p.task.Fidelity.Name)
	key := fmt.Sprint(s)
	before := p.reached[key]
	if before.level >= level {
		return 0
	}
	p.reached[key] = reach{level, whole}
	return math.Min(before.paid, (1-leastRest)*whole)
}

// reach is how far a setting was evaluated, and what that costs from the beginning.
type reach struct{ level, paid float64 }

// report looks up what would be reported as the best.
func (p *play) report(ctx context.Context, o optimizer) error {
	best, err := o.Best(ctx)
	if errors.Is(err, eke.ErrNoResult) {
		return nil
	}
	if err == nil {
		p.best = best.Value
		p.trueBest, _ = p.task.Evaluate(best.Setting)
	}
	return err
}

// judge compares a trial's forecast with its result. A trial that failed has no value: NaN.
func (p *play) judge(t eke.Trial, value, cost float64) {
	design := t.Why.Policy == "design"
	if design {
		p.Design++
	} else {
		p.afterwards += cost
	}
	e := t.Why.Expected
	if e == nil {
		return
	}
	const cautious = 1.2815515655446004 // Φ⁻¹(0.9), which CostHigh is the quantile of
	lnSD := math.Log(e.CostHigh/e.CostMedian) / cautious
	if !math.IsNaN(value) {
		p.forecasts = append(p.forecasts, forecast{
			e.Value / p.task.Scale, e.ValueSD / p.task.Scale, value / p.task.Scale, math.Log(e.CostMedian), lnSD, math.Log(cost),
		})
	}
	addFit(p.Fits, e.Fits, p.spent+cost <= p.task.Budget)
	if !math.IsNaN(p.trueBest) && !design {
		if p.chance(e) < hopeless {
			p.wasted += cost
		}
	}
}

// chance is that of a trial to beat the best, by its forecast. Where the forecast does not say, it is taken to be normal.
func (p *play) chance(e *study.Expected) float64 {
	if e.Beats > 0 {
		return e.Beats
	}
	ahead := e.Value - p.best
	if p.task.Goal == study.Minimize {
		ahead = -ahead
	}
	return normal.CDF(ahead / math.Max(e.ValueSD, leastSD*p.task.Scale))
}

// advance spends money, and extends the curve to that point.
func (p *play) advance(cost float64) {
	p.spent += cost
	for len(p.Curve) < curvePoints && float64(len(p.Curve)+1)*p.task.Budget/curvePoints < p.spent {
		p.Curve = append(p.Curve, p.logRegret())
	}
}

// logRegret is the log10 regret of what would be reported now. Before there is anything to report, it is that of a median
// setting.
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
		p.Values[late].add(f.value, f.valueSD, f.cameValue, p.tails)
		p.Costs[late].add(f.cost, f.costSD, f.cameCost, p.tails)
	}
	p.Left = math.Max(1-p.spent/p.task.Budget, 0)
	if p.task.Noise == 0 && p.afterwards > 0 {
		share := p.wasted / p.afterwards
		p.Wasted = &share
	}
	return p.Run
}
