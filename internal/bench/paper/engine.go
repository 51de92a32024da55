package paper

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/bench/problem"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/study"
)

// Observer is told of replications as they begin and end, by several goroutines.
type Observer interface {
	Started(Key)
	Ended(Key, Replication, error)
}

// Run runs the replications that the folder has no result of, in their order, as many at a time as there are workers, and adds
// each result to the folder as soon as it is there. What a replication returns depends on its key alone. One that goes
// wrong does not stop the others. When the context ends, Run does, and only what was under way is lost.
func Run(ctx context.Context, dir, data string, keys []Key, workers int, watch Observer) (err error) {
	j, err := openJournal(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	known, err := ReadResults(dir)
	if err != nil {
		return err
	}
	return runAll(ctx, j, data, Missing(keys, known), workers, watch)
}

func runAll(ctx context.Context, j *journal, data string, keys []Key, workers int, watch Observer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan Key)
	var running sync.WaitGroup
	var mu sync.Mutex // guards the journal and what went wrong
	var wrong []error
	for range max(workers, 1) {
		running.Go(func() {
			for key := range next {
				if ctx.Err() != nil {
					return
				}
				watch.Started(key)
				r, err := replicateSafely(ctx, key, data)
				if ctx.Err() != nil {
					watch.Ended(key, r, context.Cause(ctx))
					return
				}
				mu.Lock()
				if err != nil {
					err = fmt.Errorf("%s: %w", key, err)
					wrong = append(wrong, err)
				} else if err = j.add(r); err != nil {
					stop(err) // a full disk, perhaps: nothing more can be kept
				}
				mu.Unlock()
				watch.Ended(key, r, err)
			}
		})
	}
	for _, key := range keys {
		select {
		case next <- key:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	running.Wait()
	if ctx.Err() != nil {
		wrong = append(wrong, context.Cause(ctx))
	}
	return errors.Join(wrong...)
}

// Missing returns the keys that none of the results has, in their order.
func Missing(keys []Key, results []Replication) []Key {
	done := make(map[Key]bool, len(results))
	for _, r := range results {
		done[r.Key()] = true
	}
	return slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return done[k] })
}

// replicateSafely turns a panic into an error: hours of other runs must not end with it.
func replicateSafely(ctx context.Context, key Key, data string) (r Replication, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return Replicate(ctx, key, data)
}

// Replicate runs one replication, on one core, through the front door. As in the paper the initial design is free: it
// is evaluated here and handed over as known; and a policy may spend its last money on a trial that goes past the
// budget, which is recorded and does not count. Data is where problem.New looks for data sets.
func Replicate(ctx context.Context, key Key, data string) (Replication, error) {
	p, err := problem.New(key.Problem, uint64(key.Number), data)
	if err != nil {
		return Replication{}, err
	}
	preset, err := presetNamed(key.Preset)
	if err != nil {
		return Replication{}, err
	}
	opt, err := eke.New(eke.Config{
		Parameters: eke.Box(slices.Repeat([][2]float64{{0, 1}}, p.Dim)...), // problems are on the unit cube
		Budget:     key.Budget, Policy: study.Policy{Name: key.Policy}, Seed: seedOf(key.Problem, key.Number),
		Options: []advisor.Option{func(t *advisor.Tuning) { t.Preset, t.Threads, t.Overrun = &preset, 1, true }},
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

// seedOf draws the design, and whatever a policy draws; it is the same for all policies and budgets.
func seedOf(name string, number int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", name, number)
	return h.Sum64()
}
