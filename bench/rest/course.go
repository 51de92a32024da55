package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/bench/campaign"
	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/variant"
	"github.com/eke-bo/eke/internal/sobol"
	"github.com/eke-bo/eke/study"
)

// Key names a study: a problem, a policy and a replication.
type Key struct {
	Problem string `json:"problem"`
	Policy  string `json:"policy"`
	Number  int    `json:"number"`
}

func (k Key) String() string { return fmt.Sprintf("%s %s %d", k.Problem, k.Policy, k.Number) }

// Kind is shared by studies that take about as long.
func (k Key) Kind() string { return k.Problem + " " + k.Policy }

// Weight guesses how long a study takes.
func (k Key) Weight() float64 {
	if strings.HasSuffix(k.Problem, "-large") {
		return 40
	}
	return 1
}

// Course is a study that was played to the end of its money.
type Course struct {
	Key
	Definition study.Study   `json:"definition"`
	Events     []study.Event `json:"events"`
	Paper      bool          `json:"paper,omitempty"` // by the paper's convention: the design is free, and the last trial may not fit
	Noisy      bool          `json:"noisy,omitempty"`
	Optimum    float64       `json:"optimum"` // the best value of all settings, without noise
}

// Folder is where courses are kept.
func Folder(dir string) *campaign.Folder[Key, Course] {
	return &campaign.Folder[Key, Course]{
		Dir: dir, KeyOf: func(c Course) Key { return c.Key },
		Compare: func(a, b Course) int {
			return cmp.Or(cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Number, b.Number))
		},
	}
}

// options are those of the advisor that plays a course, and that is asked about it.
func (c *Course) options() (advisor.Option, error) {
	v, err := variant.Parse(c.Policy)
	return func(t *advisor.Tuning) {
		t.Threads = 1
		t.Overrun = c.Paper
		t.Paper, t.LongShots = v.Paper, true // all the money is spent
	}, err
}

// Play plays a study to the end of its money.
func Play(ctx context.Context, k Key, data string) (Course, error) {
	task, err := problem.NewTask(k.Problem, uint64(k.Number), data)
	if err != nil {
		return Course{}, err
	}
	v, err := variant.Parse(k.Policy)
	if err != nil {
		return Course{}, err
	}
	c := Course{Key: k, Optimum: task.Best, Paper: task.FreeDesign, Noisy: task.Noise > 0, Definition: study.Study{
		Name: "study", Objective: study.Objective{Name: "value", Goal: task.Goal}, Cost: study.Cost{Unit: "units", Source: study.Reported},
		Budget: study.Budget{Total: task.Budget}, Parameters: task.Params, Fidelity: task.Fidelity, Parallel: 1, Seed: task.Seed(), Noisy: task.Noise > 0,
		Policy: study.Policy{Name: v.Policy, Preset: study.PresetDefault}, Stop: study.Stop{Never: true},
	}}
	if v.Paper {
		c.Definition.Policy.Preset = study.PresetPaper
	}
	return c, c.play(ctx, task)
}

func (c *Course) play(ctx context.Context, task *problem.Task) error {
	option, err := c.options()
	if err != nil {
		return err
	}
	a, err := advisor.New(&c.Definition, option)
	if err != nil {
		return err
	}
	r := study.NewRecord(task.Budget, false)
	add := func(e study.Event) error {
		e.Seq, e.At = r.Version+1, time.Unix(r.Version, 0).UTC()
		c.Events = append(c.Events, e)
		return r.Apply(e)
	}
	if c.Paper {
		sp := a.Space()
		for _, u := range sobol.Points(2*(sp.Dim()+1), sp.Dim(), task.Seed()) {
			setting := sp.Decode(u)
			value, cost := task.Evaluate(setting)
			point, err := sp.Encode(setting)
			if err != nil {
				return err
			}
			if err := add(study.Event{Kind: study.EventKnown, Known: &study.Known{Setting: setting, Point: point, Value: value, Cost: cost}}); err != nil {
				return err
			}
		}
	}
	for number := 1; ; number++ {
		asked, err := a.Next(ctx, r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, advisor.ErrBudgetSpent) || errors.Is(err, advisor.ErrNotWorth) || errors.Is(err, advisor.ErrExhausted) {
			return nil
		}
		if err != nil {
			return err
		}
		value, cost := task.Try(asked.Setting, number-1)
		if err := errors.Join(
			add(study.Event{Kind: study.EventAsked, Trial: number, Asked: &asked}),
			add(study.Event{Kind: study.EventFinished, Trial: number, Finished: &study.Finished{State: study.Done, Value: value, Charged: cost}}),
		); err != nil {
			return err
		}
	}
}
