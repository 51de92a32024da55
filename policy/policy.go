package policy

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
)

// Policy decides what to evaluate next. It is safe for concurrent use.
type Policy interface {
	// Suggest returns the next point to evaluate. When the context ends, it returns the best point found so far, and
	// the suggestion says that it was cut short. It fails with ErrBudgetSpent, ErrBudgetPending, ErrNothingKnown or ErrExhausted when
	// there is nothing to suggest, and with another error when the state makes no sense.
	Suggest(ctx context.Context, s State) (Suggestion, error)
}

// Names lists the policies.
func Names() []string {
	return []string{"random", "ei", "ei-puc", "ei-puc-cc", "log-ei-puc", "gittins", "gittins-d", "rollout", "2-bmsei", "4-bmsei", "2-bmsei-p", "4-bmsei-p", "bmsei", "look-tree", "asha", "asha-model", "hyperband", "hyperband-model"}
}

// New returns the policy with the given name. It shares no memory with the settings.
func New(name string, s Settings) (Policy, error) {
	s, err := s.complete()
	if err != nil {
		return nil, err
	}
	p := &policy{name: name, Settings: s}
	p.look = p.lookFirst
	switch name {
	case "random":
		p.choose, p.blind = p.random, true
	case "ei":
		p.choose = p.oneStep(p.ei)
	case "ei-puc":
		p.choose = p.oneStep(p.eiPUC)
	case "ei-puc-cc":
		p.choose = p.oneStep(p.eiPUCCC)
	case "log-ei-puc":
		p.choose = p.learning(p.oneStep(p.logEIPUC))
	case "look-tree":
		p.choose, p.look = p.learning(p.oneStep(p.logEIPUC)), p.planLook
	case "gittins":
		p.choose = p.gittins(false)
	case "gittins-d":
		p.choose = p.gittins(true)
	case "rollout":
		p.choose = p.rollout
	case "asha", "hyperband":
		p.choose, p.ladder = p.climb(ladders[name], p.random), true
	case "asha-model", "hyperband-model":
		p.choose, p.ladder, p.guided = p.climb(ladders[strings.TrimSuffix(name, "-model")], p.oneStep(p.logEIPUC)), true, true
	default:
		fantasies, err := fantasiesOf(name, s.Fantasies)
		if err != nil {
			return nil, err
		}
		if p.choose, err = p.multiStep(fantasies); err != nil {
			return nil, err
		}
		p.plans = true
	}
	return p, nil
}

// fantasiesOf returns the fantasy counts that a policy's name stands for: the paper's trees, or N−1
// ones for an N-step path.
func fantasiesOf(name string, chosen []int) ([]int, error) {
	switch name {
	case "2-bmsei":
		return []int{4}, nil
	case "4-bmsei":
		return []int{4, 4, 2}, nil
	case "bmsei":
		if len(chosen) == 0 {
			return nil, fmt.Errorf("policy: bmsei needs fantasy counts, such as 4,4,2")
		}
		return chosen, nil
	}
	if steps, ok := strings.CutSuffix(name, "-bmsei-p"); ok {
		if n, err := strconv.Atoi(steps); err == nil && n >= 2 && n <= 12 {
			return slices.Repeat([]int{1}, n-1), nil
		}
	}
	return nil, fmt.Errorf("policy: %q is not a policy; choose one of %s", name, strings.Join(Names(), ", "))
}

// policy is every policy. They differ only in how they choose.
type policy struct {
	Settings
	name   string // for the suggestion; nothing depends on it
	choose chooser
	look   func(ctx context.Context, d *decision, chosen Suggestion) Suggestion // instead of what was chosen, where looks are possible
	blind  bool                                                                 // models and earlier studies play no part
	plans  bool                                                                 // several steps ahead
	ladder bool                                                                 // it climbs the levels by successive halving
	guided bool                                                                 // and its new points are those that the models promise most of
}

// ladders are the ways to climb the levels.
var ladders = map[string]ladder{"asha": asha, "hyperband": hyperband}

// chooser picks the point. It fills in X, Acquisition, Next, Plan and the effort.
type chooser func(ctx context.Context, d *decision) (Suggestion, error)

// decision is everything that is known when a point is chosen. It is computed once per suggestion.
type decision struct {
	*State
	history
	fitted
	belief    acq.Belief       // the fitted models, including the pending points
	assumed   assumed          // about the pending points
	nearby    [2]*surroundings // local models, of many data
	incumbent []float64        // the best observed point
	labels    *gp.Model        // of whether evaluations have values; nil if all had
}

// Suggest implements Policy.
func (p *policy) Suggest(ctx context.Context, s State) (Suggestion, error) {
	if s.Remaining <= 0 {
		return Suggestion{}, ErrBudgetSpent
	}
	if err := s.check(); err != nil {
		return Suggestion{}, err
	}
	d := &decision{State: &s, history: p.newHistory(&s)}
	if len(s.X) == 0 {
		waiting := len(s.Pending)
		if p.looks() {
			waiting += len(s.Looking)
		}
		if waiting >= max(p.designSize(&s), p.Parallel, 1) {
			return Suggestion{}, ErrNothingKnown // it is better to wait for a first result
		}
		if p.halves(&s) {
			out, err := p.choose(ctx, d)
			out.Policy = p.name
			return out, err
		}
		if out, ok, err := p.begin(ctx, d); ok {
			return out, err
		}
		return p.explore(ctx, d)
	}
	d.fitted = p.fitModels(ctx, &s, d.history)
	best := p.best(d.fitted, d.history, s.X)
	d.incumbent, d.labels = s.X[best.index], d.newLabels()
	err := p.believe(d, best.value)
	if err != nil {
		return Suggestion{}, err
	}
	d.belief.Doubt = p.doubt(d)
	if p.Preset.Luck && p.noisy() {
		d.belief.Luck = noiseSD(d.objective)
	}
	var out Suggestion
	if p.designs(d) {
		out, err = p.explore(ctx, d)
	} else {
		out, err = p.choose(ctx, d)
		out.Policy = p.name
		if err == nil && s.Levels != nil && !p.halves(&s) {
			out = p.look(ctx, d, out)
		}
	}
	if err != nil {
		return Suggestion{}, err
	}
	out.Earlier = d.earlier(&s)
	out.Predicted = p.predict(d.warp, d.belief.At(out.Level), out.X, s.widths())
	if !p.noisy() && (s.Levels == nil || out.Level == 1) {
		out.Predicted.Beats = p.beats(d)(out.X)
	}
	out.CutShort = ctx.Err() != nil
	out.Acquisition = capped(out.Acquisition)
	return out, nil
}

// designs says whether the next point is one of the initial design. If an earlier study predicts this one, it is the design.
func (p *policy) designs(d *decision) bool {
	return !p.halves(d.State) && len(d.X)+len(d.Failed)+len(d.Pending)+d.chosenLooks() < p.designSize(d.State) && !p.designIsPaid(d) && d.objective.Trend().Slope == 0
}
