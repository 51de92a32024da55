package suite

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/bench/problem"
	"github.com/eke-bo/eke/internal/bench/variant"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// optimizer is the product as the suite sees it.
type optimizer interface {
	ask(context.Context) (trial, error)
	tell(ctx context.Context, t trial, value, cost float64) error
	best() (result, bool)
	observe(ctx context.Context, s space.Setting, value, cost float64) error
}

// trial is a setting to be tried, and why.
type trial struct {
	number   int
	setting  space.Setting
	design   bool
	expected *advisor.Expected // nil: nothing was known yet
}

// result is what is reported as the best.
type result struct {
	setting space.Setting
	value   float64
}

// brokered is a study in a store in memory.
type brokered struct {
	*broker.Broker
	goal study.Goal
}

// open starts a study of the task.
func open(ctx context.Context, task *problem.Task, v variant.Variant) (optimizer, error) {
	if v.Tuned || task.FreeDesign {
		return nil, errors.New("neither presets with changed fields nor a free design can be had yet")
	}
	preset := study.PresetDefault
	if v.Paper {
		preset = study.PresetPaper
	}
	b, err := broker.Create(ctx, store.Memory(), &study.Study{
		Name: "suite", Objective: study.Objective{Name: "objective", Goal: task.Goal},
		Cost: study.Cost{Unit: "units", Source: study.Reported}, Budget: study.Budget{Total: task.Budget},
		Parameters: task.Params, Parallel: 1, Policy: study.Policy{Name: v.Policy, Preset: preset},
		Seed: task.Seed(), Noisy: task.Noise > 0,
	})
	return brokered{b, task.Goal}, err
}

func (b brokered) ask(ctx context.Context) (trial, error) {
	t, err := b.Ask(ctx, "")
	if err != nil {
		return trial{}, err
	}
	var why advisor.Why
	err = json.Unmarshal(t.Why, &why)
	return trial{t.Number, t.Setting, why.Policy == "design", why.Expected}, err
}

func (b brokered) tell(ctx context.Context, t trial, value, cost float64) error {
	return b.Finish(ctx, t.number, study.Finished{State: study.Done, Value: value, Charged: cost})
}

func (b brokered) best() (result, bool) {
	r, err := b.Record(context.Background())
	if err != nil {
		return result{}, false
	}
	t, ok := r.Best(b.goal)
	return result{t.Setting, t.Value}, ok
}

func (b brokered) observe(context.Context, space.Setting, float64, float64) error {
	return errors.ErrUnsupported
}
