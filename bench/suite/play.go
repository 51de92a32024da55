package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/variant"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Play runs one study to its end, with as many trials at a time as the variant has workers, and returns its run. It uses one core.
//
// It has a clock of its own: a trial takes as long as it costs, and a suggestion takes no time. A worker that becomes free asks at once; if the
// money that is left is reserved for trials under way, it waits for the next of them to end. All trials that end at the same moment are told before any
// worker asks.
//
// Money is spent while trials run. When all of it is gone, the trials under way are stopped and do not count, whoever suggested them. With one
// worker that is the rule that a trial past the budget does not count. It is never kinder than eke's own rule, which counts a trial that stays within what
// was reserved for it even if another one took more than was left.
func Play(ctx context.Context, task *problem.Task, v variant.Variant) (Run, error) {
	o, err := open(ctx, task, v)
	if err != nil {
		return Run{}, err
	}
	p := newPlay(task, !v.Paper, max(v.Workers, 1))
	p.missesFail = v.Failures
	run, err := p.toTheEnd(ctx, o)
	if p, ok := o.(interface{ end() }); ok {
		p.end() // another program, which may still wait for questions
	}
	run.Policy = v.Label
	return run, err
}

func played(ctx context.Context, task *problem.Task, o optimizer, tails bool, workers int) (Run, error) {
	return newPlay(task, tails, workers).toTheEnd(ctx, o)
}

func newPlay(task *problem.Task, tails bool, workers int) *play {
	p := &play{task: task, tails: tails, workers: workers, set: make([]space.Setting, workers), trueBest: math.NaN(), reached: map[string]reach{}, Run: Run{Problem: task.Name, Fits: make([][3]int, len(fitEdges)+1)}}
	if workers > 1 {
		p.Workers = workers
	}
	return p
}

func (p *play) toTheEnd(ctx context.Context, o optimizer) (Run, error) {
	if p.task.FreeDesign {
		if err := observeDesign(ctx, o, p.task); err != nil {
			return Run{}, err
		}
	}
	if err := p.report(ctx, o); err != nil {
		return Run{}, err
	}
	for {
		if err := p.ask(ctx, o); err != nil {
			return Run{}, err
		}
		if len(p.flying) == 0 {
			return p.finish(), nil
		}
		if err := p.land(ctx, o); err != nil {
			return Run{}, err
		}
	}
}

// play is a study under way.
type play struct {
	Run
	task               *problem.Task
	tails              bool // forecasts have the tails of Student's t distribution
	workers            int
	missesFail         bool     // what does not meet the limits is told as a failure
	flying             []flight // trials under way, in the order in which they were asked for
	spent, clock       float64
	set                []space.Setting  // by worker: what its last trial set; nil: nobody knows
	reached            map[string]reach // by setting, where trials go on from each other
	best               float64          // what would be reported now; meaningless before the first result
	trueBest           float64          // the same without noise; NaN: there is no result
	forecasts          []forecast
	afterwards, wasted float64 // money after the design, and the fraction of it that was wasted
	failed             float64 // money of failures after the design
	failures           [][]float64
	inRow              int // failures near known ones, up to now
}

// flight is a trial under way.
type flight struct {
	eke.Trial
	value  float64 // NaN: the trial fails
	whole  float64 // what it costs from the beginning
	cost   float64 // what it costs from where it goes on
	left   float64 // what has not been spent of that
	chance float64 // to beat the best, by its forecast when it was asked for; NaN: there was no forecast, or nothing to beat
	before float64 // the best then
	setup  float64 // what of its cost is for a change
	worker int
}

// forecast is what was expected of a trial and its result, in the units of Bands.
type forecast struct {
	value, valueSD, cameValue float64
	cost, costSD, cameCost    float64
}

// ask gives the free workers trials, as far as there are any.
func (p *play) ask(ctx context.Context, o optimizer) error {
	for p.Ended == "" && len(p.flying) < p.workers {
		begin, worker := time.Now(), p.free()
		trial, err := p.askAt(ctx, o, worker)
		if _, other := o.(*external); !other || p.Trials > 0 { // another program may still be starting when it is asked for the first trial
			p.Seconds += time.Since(begin).Seconds()
		}
		if ctx.Err() != nil {
			return ctx.Err() // a suggestion that was cut short does not count as the policy's
		}
		if errors.Is(err, eke.ErrBudgetPending) && len(p.flying) > 0 {
			return nil
		}
		if p.Ended = ending(err); p.Ended != "" {
			return nil // what is under way goes on
		}
		if err != nil {
			return err
		}
		value, whole := p.task.Try(trial.Setting, p.Trials)
		if p.task.Fails != nil && p.task.Fails(trial.Setting) {
			value = math.NaN()
		}
		if p.missesFail && !p.task.Counts(trial.Setting) {
			value = math.NaN()
		}
		cost, setup := whole-p.paidBefore(trial.Setting, whole), 0.0
		if p.task.Changeover != nil {
			setup = p.task.ChangePrice(p.set[worker], trial.Setting)
			cost, p.set[worker], p.Changed = cost+setup, trial.Setting, p.Changed+setup/p.task.Budget
		}
		p.flying = append(p.flying, flight{trial, value, whole, cost, cost, p.chance(trial), p.best, setup, worker})
		p.Trials++
	}
	return nil
}

// free is the first worker that has no trial.
func (p *play) free() int {
	for i := range p.workers {
		if !slices.ContainsFunc(p.flying, func(f flight) bool { return f.worker == i }) {
			return i
		}
	}
	return 0
}

// askAt asks for a trial for a worker.
func (p *play) askAt(ctx context.Context, o optimizer, worker int) (eke.Trial, error) {
	if more, knows := o.(interface {
		AskAt(ctx context.Context, place string) (eke.Trial, error)
	}); knows && p.task.Changeover != nil {
		return more.AskAt(ctx, fmt.Sprint(worker))
	}
	return o.Ask(ctx)
}

// land lets time pass until a trial ends, and tells its result. Others may end at the same moment.
func (p *play) land(ctx context.Context, o optimizer) error {
	step := math.Inf(1)
	for _, f := range p.flying {
		step = math.Min(step, f.left)
	}
	p.advance(step) // with what was known before the trial ended
	var left []flight
	for _, f := range p.flying {
		if f.left > step {
			f.left -= step
			left = append(left, f)
			continue
		}
		var err error
		if math.IsNaN(f.value) {
			err = o.Fail(ctx, f.Number, f.cost, "out of memory")
		} else {
			err = p.tell(ctx, o, f)
		}
		if err != nil {
			return err
		}
		p.pay(f)
		p.judge(f)
	}
	p.flying = left
	if p.workers > 1 && p.spent >= p.task.Budget {
		p.flying, p.Ended = nil, "spent"
	}
	return p.report(ctx, o)
}

// tell tells the result of a trial, with what the task reports besides.
func (p *play) tell(ctx context.Context, o optimizer, f flight) error {
	more, knows := o.(interface {
		TellMetrics(ctx context.Context, number int, value, cost float64, metrics study.Metrics) error
	})
	if reports, can := o.(interface {
		TellSetup(ctx context.Context, number int, value, cost, setup float64, metrics study.Metrics) error
	}); can && p.task.ChangesReported {
		return reports.TellSetup(ctx, f.Number, f.value, f.cost, f.setup, nil)
	}
	if p.task.Report == nil || !knows {
		return o.Tell(ctx, f.Number, f.value, f.cost)
	}
	return more.TellMetrics(ctx, f.Number, f.value, f.cost, p.task.Report(f.Setting))
}

// leastRest is the least that a trial costs that goes on from another, as a part of the whole: a surrogate's seconds may fall with epochs.
const leastRest = 0.01

// paidBefore is what a trial does not pay again, where it goes on from one of the same setting with a lower fidelity that has ended.
func (p *play) paidBefore(s space.Setting, whole float64) float64 {
	key, level := p.rung(s)
	if before := p.reached[key]; before.level < level {
		return math.Min(before.paid, (1-leastRest)*whole)
	}
	return 0
}

// pay notes how far the setting of a trial has come.
func (p *play) pay(f flight) {
	if key, level := p.rung(f.Setting); p.reached[key].level < level {
		p.reached[key] = reach{level, f.whole}
	}
}

// rung returns the setting without its fidelity, and the fidelity. It is 0 where no trial goes on from another.
func (p *play) rung(s space.Setting) (key string, level float64) {
	if p.task.Fidelity == nil || !p.task.Fidelity.Resume {
		return "", 0
	}
	s = maps.Clone(s)
	level = p.level(s)
	delete(s, p.task.Fidelity.Name)
	return fmt.Sprint(s), level
}

// level is the fidelity of a setting. A setting without one has the highest.
func (p *play) level(s space.Setting) float64 {
	if level, given := s[p.task.Fidelity.Name].Number(); given {
		return level
	}
	return p.task.Fidelity.Top()
}

// reach is how far a setting was evaluated, and what that costs from the beginning.
type reach struct{ level, paid float64 }

// report looks up what would be reported as the best.
func (p *play) report(ctx context.Context, o optimizer) error {
	best, err := o.Best(ctx)
	if errors.Is(err, eke.ErrNoResult) {
		return nil
	}
	if err != nil {
		return err
	}
	if p.task.Fidelity != nil && p.level(best.Setting) < p.task.Fidelity.Top() {
		return fmt.Errorf("the best of %s is reported to be %v, which is a look: only values at the highest fidelity count", p.task.Name, best.Setting)
	}
	if !p.task.Counts(best.Setting) {
		return nil // there is nothing to report yet
	}
	p.best = best.Value
	p.trueBest, _ = p.task.Evaluate(best.Setting)
	if now := p.logRegret(); p.spent <= p.task.Budget && (len(p.Steps) == 0 || now != p.Steps[len(p.Steps)-1][2]) {
		p.Steps = append(p.Steps, [3]float64{p.spent / p.task.Budget, p.clock / p.task.Budget, now})
	}
	return nil
}

// judge compares a trial's forecast with its result. A trial that failed has no value.
func (p *play) judge(f flight) {
	if f.Why.Policy == "design" {
		p.Design++
	} else {
		p.afterwards += f.cost
	}
	p.judgeFailure(f)
	e := f.Why.Expected
	if e == nil {
		return
	}
	if p.task.Noise == 0 && p.task.Fidelity == nil && f.Why.Policy != "design" {
		counts := !math.IsNaN(f.value) && (p.task.Limits == nil || len(p.task.Limits.Violated(p.task.Report(f.Setting))) == 0)
		if e.Beats > 0 {
			addChance(&p.Odds, oddsEdges, e.Beats, counts && p.task.Goal.Better(f.value, f.before))
		}
		if e.Works != nil || e.Within != nil {
			addChance(&p.Counts, oddsEdges, known(e.Works)*known(e.Within), counts)
		}
	}
	const cautious = 1.2815515655446004 // Φ⁻¹(0.9), which CostHigh is the quantile of
	lnSD := math.Log(e.CostHigh/e.CostMedian) / cautious
	if !math.IsNaN(f.value) {
		p.forecasts = append(p.forecasts, forecast{
			e.Value / p.task.Scale, e.ValueSD / p.task.Scale, f.value / p.task.Scale, math.Log(e.CostMedian), lnSD, math.Log(f.cost),
		})
	}
	addFit(p.Fits, e.Fits, p.spent <= p.task.Budget)
	if f.chance < hopeless && f.Why.Policy != "design" {
		p.wasted += f.cost
	}
}

// known returns a chance, which is 1 where nothing is known against it.
func known(chance *float64) float64 {
	if chance == nil {
		return 1
	}
	return *chance
}

// nearFailure is the distance below which a failure is near another, times the root of the dimension: about a tenth of a lengthscale.
const nearFailure = 0.03

// judgeFailure counts failures.
func (p *play) judgeFailure(f flight) {
	if p.task.Fails == nil {
		return
	}
	if !math.IsNaN(f.value) {
		p.inRow = 0
		return
	}
	sp, err := space.New(p.task.Params)
	if err != nil {
		return
	}
	at, err := sp.Encode(f.Setting)
	if err != nil {
		return
	}
	near := slices.ContainsFunc(p.failures, func(x []float64) bool { return floats.Distance(x, at, 2) < nearFailure*math.Sqrt(float64(len(at))) })
	if p.failures = append(p.failures, at); near {
		p.inRow++
		p.FailedInRow = max(p.FailedInRow, p.inRow)
	} else {
		p.inRow = 0
	}
	if f.Why.Policy != "design" {
		p.failed += f.cost
	}
}

// chance is that of a trial to beat the best, by its forecast. Where the forecast does not say, it is taken to be normal. It is NaN if
// there is no forecast or no best.
func (p *play) chance(t eke.Trial) float64 {
	e := t.Why.Expected
	if e == nil || math.IsNaN(p.trueBest) {
		return math.NaN()
	}
	if e.Beats > 0 {
		return e.Beats
	}
	ahead := e.Value - p.best
	if p.task.Goal == study.Minimize {
		ahead = -ahead
	}
	return normal.CDF(ahead / math.Max(e.ValueSD, leastSD*p.task.Scale))
}

// advance lets time pass in which trials are under way, and extends the curve to that point.
func (p *play) advance(time float64) {
	count := float64(len(p.flying))
	p.clock += math.Min(time, math.Max(p.task.Budget-p.spent, 0)/count) // it stops where the money ends
	p.spent += count * time
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
	if p.workers > 1 {
		p.Clock = p.clock / p.task.Budget
	}
	if p.task.Noise == 0 && p.afterwards > 0 {
		share := p.wasted / p.afterwards
		p.Wasted = &share
	}
	if p.task.Fails != nil && p.afterwards > 0 {
		share := p.failed / p.afterwards
		p.FailedMoney = &share
	}
	return p.Run
}
