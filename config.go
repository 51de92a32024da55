package eke

import (
	"cmp"
	"fmt"
	"math"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Goals of a study.
const (
	Maximize = study.Maximize // Maximize looks for the largest value.
	Minimize = study.Minimize // Minimize looks for the smallest value.
)

// Config says what is to be optimised. Parameters and Budget are needed; the rest is optional.
type Config struct {
	// Parameters are what may vary. Box makes the parameters of a plain box.
	Parameters []space.Param

	// Fidelity says that trials can be evaluated more cheaply, and so less well. It is one more entry of a trial's setting, and only
	// results at the highest fidelity count. Nil: there is none.
	Fidelity *study.Fidelity

	// Where lists constraints between parameters, such as "x1 + x2 <= 1". Only settings that meet all of them are tried.
	Where []string

	// Limits are on further quantities that trials report, by name, such as {"memory": study.Max(8)}. A value counts only if its trial meets
	// all of them; see RunMetrics and TellMetrics.
	Limits study.Limits

	// Changeover says what it costs to give parameters other values than they had in the trial before, such as {Of: []string{"temperature"}, Cost: &price}.
	// Optimizer.TellSetup takes the part of a cost that went into changes.
	Changeover []study.Changeover

	// Initial is what is set before the first trial, by parameter, as far as changes cost something. Nil means that nobody knows.
	Initial space.Setting

	// Objectives lists two or three objectives. Goal and Objective are then ignored. A trial's value is the first objective; the others are told with it, by
	// name (RunMetrics, TellMetrics). Optimizer.Front has the results on the front. Nil means that there is only one objective.
	Objectives []study.Aim

	// Budget is how much all trials together may cost, in Unit.
	Budget float64

	// PerTrial is how much a single trial may cost at most. 0: no limit. The experiment is not stopped there. The limit is what is reserved
	// for a trial while no costs are known; later, no more is reserved, unless a trial is expected to cost more.
	PerTrial float64

	// Unit is what costs are counted in, such as "euros". It is shown and otherwise means nothing. Empty: "units".
	Unit string

	// Goal is Maximize or Minimize. Empty: Maximize.
	Goal study.Goal

	// Bound is what values can be at least and at most, such as study.Min(0) for a loss. No forecast goes beyond, and a study whose best value is as good as any can be is
	// over. The zero value says that nothing is known of that. Objectives have bounds of their own.
	Bound study.Bound

	// Noise says that the same setting may return different values.
	Noise bool

	// Parallel is how many trials Run evaluates at the same time. 0: one.
	Parallel int

	// Seed makes studies differ. Equal seeds and results give equal trials.
	Seed uint64

	// Stop says when a study ends although there is money left. The zero value ends it when the whole rest is expected to
	// gain less than a thousandth of the spread of the values seen; with Objectives, of the hypervolume. study.Stop{Never: true} spends all.
	Stop study.Stop

	// Policy chooses the trials. The zero value picks a policy that suits the study.
	Policy study.Policy

	// StartFrom names an earlier, similar study in Store to use as prior knowledge, where it proves to predict this one. Its results are copied when
	// this study is created. Empty: none.
	StartFrom string

	// Earlier has the results of the study that StartFrom names, if it is not in Store.
	Earlier *study.Earlier

	// Store keeps the study. The caller closes it. A study of the same name that is already there is continued. The names and goals of its
	// objectives, Unit, Noise, Seed and StartFrom must be the same. Its parameters and its budget may change: earlier trials count as far as the
	// new parameters allow their settings, and the difference of the budgets is booked. Nil: the study is kept in memory.
	Store store.Store

	// Name is the study's name in the store. Empty: "study".
	Name string

	// Objective is the name of the value, as it is shown. Empty: "objective".
	Objective string

	// Options change how the policies work, for experiments with the methods themselves.
	Options []advisor.Option
}

// Box returns the parameters of a plain box, one for every pair of bounds. They are floats called x1, x2 and so on;
// Trial.X has their values.
func Box(bounds ...[2]float64) []space.Param {
	list := make([]space.Param, len(bounds))
	for i, b := range bounds {
		list[i] = space.Param{Name: fmt.Sprintf("x%d", i+1), Kind: space.KindFloat, Min: b[0], Max: b[1]}
	}
	return list
}

// Point returns the setting of a box at a point: the way back from Trial.X.
func Point(x ...float64) space.Setting {
	s := space.Setting{}
	for i, p := range Box(make([][2]float64, len(x))...) {
		s[p.Name] = space.Float(x[i])
	}
	return s
}

// study returns the definition that a study file would have given.
func (c *Config) study() (*study.Study, error) {
	s := &study.Study{
		Name: cmp.Or(c.Name, "study"), Objective: study.Objective{Name: cmp.Or(c.Objective, "objective"), Goal: cmp.Or(c.Goal, Maximize)},
		Cost: study.Cost{Unit: cmp.Or(c.Unit, "units"), Source: study.Reported}, Budget: study.Budget{Total: c.Budget, PerTrial: c.PerTrial},
		Parameters: c.Parameters, Fidelity: c.Fidelity, Where: c.Where, Limits: c.Limits, Changeover: c.Changeover, Initial: c.Initial, Parallel: max(c.Parallel, 1), Policy: c.Policy, Seed: c.Seed, Noisy: c.Noise, Stop: c.Stop, StartFrom: c.StartFrom, Earlier: c.Earlier,
	}
	s.Objective.Min, s.Objective.Max = c.Bound.Min, c.Bound.Max
	if err := s.Objective.CheckBounds(); err != nil {
		return nil, err
	}
	if c.Earlier != nil {
		s.StartFrom = cmp.Or(s.StartFrom, c.Earlier.From, "an earlier study")
	}
	if c.Fidelity != nil {
		if err := c.Fidelity.Check(); err != nil {
			return nil, err
		}
	}
	if err := s.CheckChangeover(); err != nil {
		return nil, err
	}
	if err := s.CheckLimits(); err != nil {
		return nil, err
	}
	if s.Objectives = c.Objectives; s.Several() {
		s.Objective = s.Objectives[0].Objective
	}
	if err := s.CheckObjectives(); err != nil {
		return nil, err
	}
	s.Policy.Name, s.Policy.Preset = cmp.Or(c.Policy.Name, "auto"), cmp.Or(c.Policy.Preset, study.PresetDefault)
	switch {
	case len(c.Parameters) == 0:
		return nil, fault.New(fault.BadStudy, "give at least one, or a box: eke.Box([2]float64{0, 1})", "the study has no parameters")
	case !(c.Budget > 0 && c.Budget <= study.MaxAmount):
		return nil, fault.New(fault.BadStudy, "give an amount above 0 and up to 1e15", "the budget is %v", c.Budget)
	case c.PerTrial != 0 && !(c.PerTrial > 0 && c.PerTrial <= c.Budget):
		return nil, fault.New(fault.BadStudy, "give an amount above 0 and up to the budget, or leave it out", "the limit of a trial is %v", c.PerTrial)
	case !(c.Stop.Gain >= 0) || math.IsInf(c.Stop.Gain, 0):
		return nil, fault.New(fault.BadStudy, "give a gain above 0, study.Stop{Never: true}, or leave it out", "the gain to stop below is %v", c.Stop.Gain)
	case s.Objective.Goal != Maximize && s.Objective.Goal != Minimize:
		return nil, fault.New(fault.BadStudy, "give eke.Maximize or eke.Minimize", "the goal is %q", c.Goal)
	}
	return s, nil
}

// checkResult refuses what nothing can be learnt from.
func checkResult(value, cost float64) error {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return fault.New(fault.BadRequest, "a trial without a value has failed: say so with Fail", "the value is %v, not a finite number", value)
	}
	if !(cost >= 0 && cost <= study.MaxAmount) {
		return fault.New(fault.BadRequest, "give an amount from 0 to 1e15", "the cost is %v", cost)
	}
	return nil
}
