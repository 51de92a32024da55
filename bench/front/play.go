package front

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Run is a study that was played to the end of its money.
type Run struct {
	Problem     string  `json:"problem"`
	Validation  bool    `json:"validation,omitempty"`
	Policy      string  `json:"policy"` // one of eke's, or external: and a command
	Replication uint64  `json:"replication"`
	Missing     float64 `json:"missing"` // the decimal logarithm of the fraction of the hypervolume that the front lacks in the end
	Trials      int     `json:"trials"`
	Seconds     float64 `json:"seconds"` // of thinking

	// Announced is the sum of the chances to extend the front that were announced after the design, without noise, and Extended how many of those trials did.
	Announced float64 `json:"announced,omitempty"`
	Extended  int     `json:"extended,omitempty"`
}

// External is what the names of other optimisers begin with; a command follows.
const External = "external:"

// player chooses settings. All objectives are minimised.
type player interface {
	// ask returns a setting and its number; over is true when there is none.
	// odds is the chance that it extends the front; 0 if nobody knows.
	ask(ctx context.Context, left float64) (number int, s space.Setting, odds float64, over bool, err error)
	tell(ctx context.Context, number int, y []float64, cost float64, limits []float64) error
	// front returns the numbers of what it would report, or ok is false: then it reports what no other beats.
	front(ctx context.Context) (numbers []int, ok bool, err error)
	end()
}

// Play plays a study of a problem with a policy to the end of its money. A trial that goes past the budget does not count, whoever chose it. What counts are
// the true outcomes of the front that is reported.
func Play(ctx context.Context, r Recipe, policy string, replication uint64) (Run, error) {
	run := Run{Problem: r.Name, Validation: r.Validation, Policy: policy, Replication: replication}
	p, err := r.Make(replication)
	if err != nil {
		return run, err
	}
	var who player
	if command, other := strings.CutPrefix(policy, External); other {
		who, err = newRival(ctx, p, command, replication)
	} else {
		who, err = newOwn(p, policy, replication)
	}
	if err != nil {
		return run, err
	}
	defer who.end()
	rng := rand.New(rand.NewPCG(replication, 0x6e6f697365))
	truth, seen, spent := map[int][]float64{}, map[int][]float64{}, 0.0
	for spent < p.Budget*(1-1e-9) {
		begin := time.Now()
		number, s, odds, over, err := who.ask(ctx, p.Budget-spent)
		if run.Trials > 0 { // another program may still be starting at first
			run.Seconds += time.Since(begin).Seconds()
		}
		if err != nil {
			return run, err
		}
		if over {
			break
		}
		y, cost, limits := p.Evaluate(s)
		noisy := append([]float64(nil), y...)
		for j := range p.Noise {
			noisy[j] += p.Noise[j] * rng.NormFloat64()
		}
		run.Trials++
		counts := spent+cost <= p.Budget && meets(limits) && (p.Fidelity == nil || at(p.Fidelity, s) == p.Fidelity.Max)
		if odds > 0 && p.Noise == nil {
			beaten := slices.ContainsFunc(slices.Collect(maps.Values(seen)), func(o []float64) bool { return noWorse(o, y) })
			if run.Announced += odds; counts && !beaten && p.volume([][]float64{y}) > 0 {
				run.Extended++
			}
		}
		if spent += cost; counts {
			truth[number], seen[number] = y, noisy
		}
		if err := who.tell(ctx, number, noisy, cost, limits); err != nil {
			return run, err
		}
	}
	numbers, ok, err := who.front(ctx)
	if err != nil {
		return run, err
	}
	if !ok {
		numbers = unbeaten(seen)
	}
	var outcomes [][]float64
	for _, n := range numbers {
		if y, counts := truth[n]; counts {
			outcomes = append(outcomes, y)
		}
	}
	run.Missing = p.missing(outcomes)
	return run, nil
}

func meets(limits []float64) bool {
	for _, v := range limits {
		if !(v >= 0) {
			return false
		}
	}
	return true
}

// own is a study by eke.
type own struct{ *eke.Optimizer }

func newOwn(p Problem, policy string, replication uint64) (own, error) {
	limits := study.Limits{}
	for i := range p.Limits {
		limits[limitName(i)] = study.Min(0)
	}
	o, err := eke.New(eke.Config{Parameters: p.Params, Fidelity: p.Fidelity, Objectives: p.objectives(), Limits: limits, Budget: p.Budget, Seed: replication, Noise: p.Noise != nil,
		Stop: study.Stop{Never: true}, Policy: study.Policy{Name: policy, Preset: study.PresetThorough}}) // trials take no time here alone
	return own{o}, err
}

func (o own) ask(ctx context.Context, _ float64) (int, space.Setting, float64, bool, error) {
	trial, err := o.Ask(ctx)
	if eke.Over(err) {
		return 0, nil, 0, true, nil
	}
	odds := 0.0
	if e := trial.Why.Expected; e != nil && trial.Why.Policy != "design" {
		odds = e.Beats
	}
	return trial.Number, trial.Setting, odds, false, err
}

func (o own) tell(ctx context.Context, number int, y []float64, cost float64, limits []float64) error {
	metrics := study.Metrics{}
	for j, v := range y[1:] {
		metrics[names[j+1]] = v
	}
	for i, v := range limits {
		metrics[limitName(i)] = v
	}
	return o.TellMetrics(ctx, number, y[0], cost, metrics)
}

func (o own) front(ctx context.Context) (numbers []int, ok bool, err error) {
	front, err := o.Front(ctx)
	for _, r := range front.Results {
		numbers = append(numbers, r.Number)
	}
	return numbers, true, err
}

func (o own) end() {}
