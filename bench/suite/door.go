package suite

import (
	"context"
	"errors"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/variant"
	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// optimizer is the part of the library that the suite uses. *eke.Optimizer implements it.
type optimizer interface {
	Ask(context.Context) (eke.Trial, error)
	Tell(ctx context.Context, number int, value, cost float64) error
	Fail(ctx context.Context, number int, cost float64, reason string) error
	Observe(ctx context.Context, s space.Setting, value, cost float64) error
	Best(context.Context) (eke.Result, error)
}

// open starts a study of the task.
func open(ctx context.Context, task *problem.Task, v variant.Variant) (optimizer, error) {
	if v.Policy == variant.TPE || v.Policy == variant.External {
		return openExternal(ctx, task, v)
	}
	config := eke.Config{
		Parameters: task.Params, Where: task.Where, Fidelity: task.Fidelity, Goal: task.Goal, Budget: task.Budget, Noise: task.Noise > 0 && !v.Quiet, Seed: task.Seed(), Parallel: v.Workers,
		Policy: study.Policy{Name: v.Policy, Preset: study.PresetThorough}, // trials take no time here, and as long as they cost elsewhere
		Stop:   study.Stop{Never: !v.Stop},                                 // all policies spend the same money
		Options: []advisor.Option{func(t *advisor.Tuning) {
			t.Threads = 1
			t.Overrun = task.FreeDesign // the paper's convention includes both
			t.LongShots = false         // or else stop: never would change the default
		}},
	}
	if !v.Failures {
		config.Limits = task.Limits
	}
	if !v.NoChanges {
		config.Changeover = task.ToldChangeover()
	}
	if v.Known {
		config.Changeover = task.Changeover
	}
	if v.NoLooks {
		config.Fidelity = nil
	}
	if v.Paper {
		config.Policy.Preset = study.PresetPaper
	}
	o, err := eke.New(config)
	if err == nil && v.Lucky && task.Noise > 0 { // without noise it is the best anyway
		return lucky{o, task.Goal}, nil
	}
	return o, err
}

// lucky reports the best observation as the best, as eke's first version did. With noise that is mostly luck. It knows only of trials:
// problems with noise have no free design.
type lucky struct {
	*eke.Optimizer
	goal study.Goal
}

func (l lucky) Best(ctx context.Context) (best eke.Result, err error) {
	results, err := l.Results(ctx)
	found := false
	for _, r := range results {
		if r.State == study.Done && !r.Beyond && (!found || l.goal.Better(r.Value, best.Value)) {
			best, found = r, true
		}
	}
	if err == nil && !found {
		err = eke.ErrNoResult
	}
	return best, err
}

// observeDesign gives the study the paper's initial design of 2(d+1) scrambled Sobol points for free.
func observeDesign(ctx context.Context, o optimizer, task *problem.Task) error {
	sp, err := space.New(task.Params)
	if err != nil {
		return err
	}
	for _, setting := range design(sp, task) {
		value, cost := task.Evaluate(setting)
		if err := o.Observe(ctx, setting, value, cost); err != nil {
			return err
		}
	}
	return nil
}

// design returns the paper's initial design.
func design(sp *space.Space, task *problem.Task) (list []space.Setting) {
	for _, u := range sobol.Points(2*(sp.Dim()+1), sp.Dim(), task.Seed()) {
		list = append(list, sp.Decode(u))
	}
	return list
}

// endings are the ways in which a study may end.
var endings = map[error]string{eke.ErrBudgetSpent: "spent", eke.ErrNotWorth: "not worth", eke.ErrExhausted: "exhausted"}

// ending returns how a study ended, or "" if it did not.
func ending(err error) string {
	for over, name := range endings {
		if errors.Is(err, over) {
			return name
		}
	}
	return ""
}
