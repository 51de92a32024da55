package eke

import (
	"context"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Best returns the best result within the budget. Where evaluations have noise (Config.Noise), it is the setting that the models
// expect to be the best, its value is their estimate, and Estimate has more. Its error is ErrNoResult if there is none.
func (o *Optimizer) Best(ctx context.Context) (Result, error) {
	r, err := o.broker.Record(ctx)
	if err != nil {
		return Result{}, err
	}
	best, ok, err := o.broker.Best(ctx, r)
	switch {
	case err != nil:
		return Result{}, err
	case !ok:
		return Result{}, ErrNoResult
	}
	result := o.result(best.Trial)
	result.Value, result.Estimate = best.Expected(), best.Estimate
	return result, nil
}

// Front is the front of several objectives.
type Front struct {
	Results     []Result    // Results are the results on the front: no other is at least as good in every objective and better in one. The best in the first objective comes first.
	Expected    [][]float64 // Expected is, where evaluations have noise, what the models expect of the objectives of each result, by which it is on the front. Otherwise it is nil.
	Worst       []float64   // Worst is the worst that counts, in the order of Config.Objectives; nil before there is a result.
	Hypervolume float64     // Hypervolume is the volume between the front and the worst.
}

// Front returns the front of several objectives (Config.Objectives). Where evaluations have noise, it is the front of what the models expect of the tried settings.
func (o *Optimizer) Front(ctx context.Context) (Front, error) {
	r, err := o.broker.Record(ctx)
	if err != nil {
		return Front{}, err
	}
	if !o.broker.Study().Several() {
		return Front{}, fault.New(fault.BadRequest, "give Config.Objectives, or see Best", "the study has one objective, and so no front")
	}
	found, err := o.broker.Front(ctx, r)
	front := Front{Worst: found.Worst, Hypervolume: found.Hypervolume}
	for _, t := range found.Trials {
		front.Results = append(front.Results, o.result(t))
	}
	if found.Expected {
		front.Expected = found.Outcomes
	}
	return front, err
}

// Results returns all trials that have ended, in the order they were asked for.
func (o *Optimizer) Results(ctx context.Context) ([]Result, error) {
	r, err := o.broker.Record(ctx)
	if err != nil {
		return nil, err
	}
	var list []Result
	for _, t := range r.Trials {
		if t.State.Ended() {
			list = append(list, o.result(t))
		}
	}
	return list, nil
}

// Open returns the trials that have not ended. A program that is started again finds here what it had asked for.
func (o *Optimizer) Open(ctx context.Context) ([]Trial, error) {
	r, err := o.broker.Record(ctx)
	if err != nil {
		return nil, err
	}
	var list []Trial
	for _, t := range r.Open() {
		list = append(list, o.trial(t))
	}
	return list, nil
}

// Ledger returns the budget, what was spent of it, and what is reserved for open trials.
func (o *Optimizer) Ledger(ctx context.Context) (study.Ledger, error) {
	r, err := o.broker.Record(ctx)
	if err != nil {
		return study.Ledger{}, err
	}
	return r.Ledger, nil
}

// Insight returns what was learnt so far: how value and cost follow the parameters, and which of these matter.
func (o *Optimizer) Insight(ctx context.Context) (*insight.Insight, error) {
	r, err := o.broker.Record(ctx)
	if err != nil {
		return nil, err
	}
	return insight.Of(ctx, o.broker.Advisor(), r)
}
