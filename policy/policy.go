package policy

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/choose"
	"github.com/eke-bo/eke/internal/compare"
	"github.com/eke-bo/eke/internal/front"
	"github.com/eke-bo/eke/internal/looks"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/rest"
)

// Policy decides what to evaluate next. It is safe for concurrent use.
type Policy interface {
	// Suggest returns the next point to evaluate. When the context ends, it returns the best point found so far, and
	// the suggestion says that it was cut short. It fails with ErrBudgetSpent, ErrBudgetPending, ErrNothingKnown, ErrExhausted, ErrNoHope or ErrBestPossible when
	// there is nothing to suggest, and with another error when the state makes no sense.
	Suggest(ctx context.Context, s State) (Suggestion, error)
}

// named has the policies without parameters in their names, and how they choose.
var named = map[string]choose.Policy{
	"random":          {Rule: choose.Random, Blind: true},
	"ei":              {Rule: choose.OneStep(choose.EI)},
	"ei-puc":          {Rule: choose.OneStep(choose.EIPUC)},
	"ei-puc-cc":       {Rule: choose.OneStep(choose.EIPUCCC)},
	"log-ei-puc":      {Rule: choose.OneStep(choose.LogEIPUC)},
	"gittins":         {Rule: choose.Gittins(false)},
	"gittins-d":       {Rule: choose.Gittins(true)},
	"rollout":         {Rule: compare.Rollout},
	"look-tree":       {Rule: choose.OneStep(choose.LogEIPUC), Look: compare.LookTree},
	"asha":            {Rule: compare.Climb(compare.ASHA, choose.Random), Climbs: true},
	"asha-model":      {Rule: compare.Climb(compare.ASHA, choose.OneStep(choose.LogEIPUC)), Climbs: true, Guided: true},
	"hyperband":       {Rule: compare.Climb(compare.Hyperband, choose.Random), Climbs: true},
	"hyperband-model": {Rule: compare.Climb(compare.Hyperband, choose.OneStep(choose.LogEIPUC)), Climbs: true, Guided: true},
}

// Names lists the policies. Besides these there is n-bmsei-p, which plans n steps ahead along a path, for n from 2 to 12.
func Names() []string {
	return []string{"random", "ei", "ei-puc", "ei-puc-cc", "log-ei-puc", "gittins", "gittins-d", "rollout", "2-bmsei", "4-bmsei", "2-bmsei-p", "4-bmsei-p", "bmsei", "look-tree", "asha", "asha-model", "hyperband", "hyperband-model"}
}

// IsBlind says whether the policy of that name chooses without models.
func IsBlind(name string) bool { return named[name].Blind }

// Climbs says whether the policy of that name decides itself which trials go on to the next level of fidelity.
func Climbs(name string) bool { return named[name].Climbs }

// New returns the policy with the given name. It shares nothing with the settings but their Memory.
func New(name string, s Settings) (Policy, error) {
	s, err := s.Complete()
	if err != nil {
		return nil, err
	}
	p, ok := named[name]
	if !ok {
		fantasies, err := fantasiesOf(name, s.Fantasies)
		if err != nil {
			return nil, err
		}
		rule, err := choose.MultiStep(fantasies)
		if err != nil {
			return nil, err
		}
		p = choose.Policy{Rule: rule, Plans: true}
		if len(fantasies) > 0 && slices.Max(fantasies) == 1 {
			p.Changing = compare.ChangePath(len(fantasies) + 1)
		}
	}
	return p.New(name, s)
}

// fantasiesOf returns the fantasy counts of a planning policy, by its name: the counts of the paper's trees, or a one for each further step of
// a path.
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

// Models are the models that every policy uses, for inspection. They are immutable and safe for concurrent use.
type Models struct{ *model.Models }

// Fit fits the models to a state, exactly as Suggest of an index policy does with the same settings. Pending points are left out: a policy
// assumes an outcome there, but nobody has seen it. When the context ends during the fit, its error is returned.
func Fit(ctx context.Context, s State, set Settings) (*Models, error) {
	f, err := model.NewFitter(set)
	if err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	m := &Models{f.Fit(ctx, &s)}
	return m, ctx.Err() // what was cut short depends on the clock
}

// Rest forecasts the best value after each of the given amounts has been spent. The amounts must not fall. At most trials evaluations
// follow; 0 means any number.
func (m *Models) Rest(ctx context.Context, money []float64, trials int) (Rest, error) {
	return rest.Forecast(ctx, m.Models, money, trials)
}

// GoOn returns the worth of the rest of an evaluation. If there is nothing to compare it with, ok is false.
func (m *Models) GoOn(u Underway) (g Going, ok bool) { return looks.GoOn(m.Models, u) }

// These are the types of the packages below that users need.
type (
	// State is the log of a study as numbers.
	State = model.State

	// Quantity is a number with a limit, or a further objective.
	Quantity = model.Quantity

	// Bound has the lowest and the highest possible value of an objective.
	Bound = model.Bound

	// Failure is an evaluation that had no value.
	Failure = model.Failure

	// Look is an evaluation below the highest fidelity.
	Look = model.Look

	// Change says what it costs to get ready for an evaluation.
	Change = model.Change

	// Span is a range of coordinates that belong together.
	Span = model.Span

	// Earlier has the results of an earlier study.
	Earlier = model.Earlier

	// Settings configure a policy.
	Settings = model.Settings

	// Memory keeps the models from one suggestion to the next.
	Memory = model.Memory

	// Suggestion is a point and the reasons for it.
	Suggestion = model.Suggestion

	// Prediction is what the models expect of a point.
	Prediction = model.Prediction

	// Range is what the models expect of a further objective.
	Range = model.Range

	// Plan is what a policy keeps from one suggestion for the next.
	Plan = model.Plan

	// Estimate is what the models say of the value of a point, without noise.
	Estimate = model.Estimate

	// Rest is what the rest of the money would buy.
	Rest = rest.Rest

	// Outlook is a forecast of the best value.
	Outlook = rest.Outlook

	// Underway is an evaluation that has shown values on its way.
	Underway = looks.Underway

	// Going is the worth of the rest of an evaluation.
	Going = looks.Going
)

// Why there is nothing to suggest.
var (
	ErrBudgetSpent   = model.ErrBudgetSpent
	ErrBudgetPending = model.ErrBudgetPending
	ErrNothingKnown  = model.ErrNothingKnown
	ErrExhausted     = choose.ErrExhausted
	ErrNoHope        = choose.ErrNoHope
	ErrBestPossible  = choose.ErrBestPossible
)

// LeastRest is the least fraction of its price that the rest of an evaluation costs: no model knows the end exactly.
const LeastRest = looks.LeastRest

// Noisy returns the belief about evaluations that return another value when they are repeated.
func Noisy() *gp.Noise { return model.Noisy() }

// NewMemory returns a memory that is empty.
func NewMemory() *Memory { return model.NewMemory() }

// Hypervolume returns the hypervolume of points, of which all objectives are maximised, above the worst that counts.
func Hypervolume(points [][]float64, worst []float64) float64 { return front.Volume(points, worst) }

// Improvement returns the expected improvement of a value with that mean and standard deviation over the best of some values. No value is above most; nil means
// that there is no such bound.
func Improvement(mean, sd float64, values []float64, most *float64) float64 {
	return model.Improvement(mean, sd, values, most)
}
