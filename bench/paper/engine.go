package paper

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/bench/campaign"
	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// Run runs the replications that have no result in the folder, in their order, as many at a time as there are workers. The result
// of a replication depends only on its key. Data is the folder where problem.New looks for data sets.
func Run(ctx context.Context, dir, data string, keys []Key, workers int, watch campaign.Observer[Key]) error {
	return Folder(dir).Run(ctx, keys, workers, func(ctx context.Context, k Key) (Replication, error) { return Replicate(ctx, k, data) }, watch)
}

// Replicate runs one replication, on one core, through the public library. As in the paper, the initial design is
// free: it is evaluated here and passed on as known. A policy may spend its last money on a trial that goes past the
// budget. That trial is recorded but does not count. Data is the folder where problem.New looks for data sets.
func Replicate(ctx context.Context, key Key, data string) (Replication, error) {
	p, err := problem.New(key.Problem, uint64(key.Number), data)
	if err != nil {
		return Replication{}, err
	}
	if err := checkPreset(key.Preset); err != nil {
		return Replication{}, err
	}
	opt, err := eke.New(eke.Config{
		Parameters: eke.Box(slices.Repeat([][2]float64{{0, 1}}, p.Dim)...), // problems are on the unit cube
		Budget:     key.Budget, Policy: study.Policy{Name: key.Policy}, Seed: seedOf(key.Problem, key.Number),
		Stop: study.Stop{Never: true}, // all policies spend the same money
		Options: []advisor.Option{func(t *advisor.Tuning) {
			t.Paper, t.LongShots, t.Threads, t.Overrun = key.Preset == "paper", false, 1, true
		}},
	})
	if err != nil {
		return Replication{}, err
	}
	r := Replication{Problem: key.Problem, Policy: key.Policy, Preset: key.Preset, Budget: key.Budget, Number: key.Number,
		Best: p.Best, Design: math.Inf(-1), Values: []float64{}, Costs: []float64{}}
	points, err := design(ctx, key.Problem, key.Number, p.Dim)
	if err != nil {
		return Replication{}, err
	}
	for _, x := range points {
		value, cost := p.Evaluate(x)
		if err := opt.Observe(ctx, eke.Point(x...), value, cost); err != nil {
			return Replication{}, err
		}
		r.Design = math.Max(r.Design, value)
	}
	return r, r.spend(ctx, p, opt)
}

// spend asks, evaluates and tells until the study is over.
func (r *Replication) spend(ctx context.Context, p *problem.Problem, opt *eke.Optimizer) error {
	asking, asked := 0.0, 0
	for {
		begin := time.Now()
		trial, err := opt.Ask(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case eke.Over(err):
			return nil
		case err != nil:
			return err
		}
		asking, asked = asking+time.Since(begin).Seconds(), asked+1
		value, cost := p.Evaluate(trial.X())
		if err := opt.Tell(ctx, trial.Number, value, cost); err != nil {
			return err
		}
		r.Values, r.Costs = append(r.Values, value), append(r.Costs, cost)
		r.Seconds = asking / float64(asked)
	}
}

// design returns the initial design of a replication, 2(d+1) scrambled Sobol points: those that a policy
// begins with when it knows nothing.
func design(ctx context.Context, name string, number, dim int) ([][]float64, error) {
	p, err := policy.New("random", policy.Settings{Threads: 1})
	if err != nil {
		return nil, err
	}
	var points [][]float64
	for i := range 2 * (dim + 1) {
		s, err := p.Suggest(ctx, policy.State{
			Dim: dim, Initial: 1, Remaining: 1, Seed: seedOf(name, number), Trial: i, Pending: points,
		})
		if err != nil {
			return nil, err
		}
		points = append(points, s.X)
	}
	return points, nil
}

// seedOf returns the seed for the design and for everything that a policy draws. It is the same for
// all policies and budgets.
func seedOf(name string, number int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", name, number)
	return h.Sum64()
}
