package server

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

func newTrials(list []study.Trial) []api.Trial {
	trials := make([]api.Trial, len(list))
	for i, t := range list {
		trials[i] = api.NewTrial(t)
	}
	return trials
}

// newBest returns the public part of the best trial; nil if there is none.
func newBest(best advisor.Best, ok bool) *api.Trial {
	if !ok {
		return nil
	}
	t := api.NewTrial(best.Trial)
	if e := best.Estimate; e != nil {
		t.Value, t.Estimate = &e.Value, &api.Estimate{Value: e.Value, SD: e.SD, Low: e.Low, High: e.High, Values: e.Values}
	}
	return &t
}

// shown is what is shown of a study whose log has not grown since.
type shown struct {
	version int64
	summary api.Summary // but for Finished, which depends on the clock
	rest    api.Study   // what a list leaves out
}

// show says how a study stands. If the context ends while models are fitted, or they cannot be, its best trial is the last that was
// found: nobody must be told that a change failed because what it changed cannot be shown.
func (o *openStudy) show(ctx context.Context, r *study.Record) *shown {
	if last := o.shown.Load(); last != nil && last.version == r.Version {
		return last
	}
	defined := o.broker.Study()
	v := api.Summary{
		ID: o.id, Name: defined.Name, Created: o.created, Closed: r.Closed, Paused: r.Paused, Archived: r.Archived, Waiting: len(r.Waiting()), Known: len(r.Known), Initial: o.initial, Version: r.Version, Objective: defined.Objective, Cost: defined.Cost, Ledger: r.Ledger,
		Left: r.Ledger.Left(), Overrun: r.Ledger.Overrun(), Buys: buys(r),
		Tags: append([]string{}, r.Labels.Tags...), Owner: r.Labels.Owner, Group: r.Labels.Group, Changed: o.created,
		Counts: map[study.State]int{study.Pending: 0, study.Running: 0, study.Done: 0, study.Failed: 0, study.Cut: 0, study.StoppedEarly: 0, study.Abandoned: 0},
	}
	for _, t := range r.Trials {
		v.Counts[t.State]++
		if t.Queued != "" {
			v.Queued++
		}
		for _, at := range []time.Time{t.Asked, t.Finished} {
			if at.After(v.Changed) {
				v.Changed = at
			}
		}
		v.Time.Thinking += t.Thinking
		v.Time.Evaluating += t.Wall
	}
	best, ok, err := o.broker.Best(ctx, r)
	if err != nil {
		best, ok = o.broker.LastBest()
	}
	v.Best = newBest(best, ok)
	pick := o.broker.Advisor().Pick(r)
	now := &shown{r.Version, v, api.Study{Policy: api.Picked{Name: pick.Name, Why: pick.Why()}, Notes: r.Labels.Notes}}
	if start := advisor.EarlierOf(r); start != nil {
		now.rest.Start = start.Words()
	}
	now.rest.SpentAt, now.rest.Saved = say.CostByFidelity(defined, r.Trials, advisor.Saved).Words(defined)
	if last := o.shown.Load(); err == nil && (last == nil || last.version < r.Version) {
		o.shown.CompareAndSwap(last, now)
	}
	return now
}

// summary is a study in a list.
func (o *openStudy) summary(ctx context.Context, r *study.Record) api.Summary {
	v := o.show(ctx, r).summary
	v.Finished = o.finished(r)
	return v
}

func (o *openStudy) view(ctx context.Context, r *study.Record) api.Study {
	v := o.show(ctx, r).rest
	v.Summary, v.Definition = o.summary(ctx, r), visible(ctx, o.broker.Study())
	return v
}

// lately is how many recent trials tell the price of the next ones: few, since policies turn to expensive settings late.
const lately = 10

func buys(r *study.Record) *api.Buys {
	sum, n := 0.0, 0
	for i := len(r.Trials) - 1; i >= 0 && n < lately; i-- {
		if t := r.Trials[i]; t.State == study.Done && t.Charged > 0 {
			sum, n = sum+t.Charged, n+1
		}
	}
	if n == 0 {
		return nil
	}
	each := sum / float64(n)
	return &api.Buys{Trials: int(math.Min(r.Ledger.Left()/each, math.MaxInt32)), CostEach: each}
}

// visible is the part of a study's definition that the client may see. Only those who may run the command see its environment,
// which may contain passwords.
func visible(ctx context.Context, s *study.Study) *study.Study {
	if len(s.Env) == 0 || may(ctx, Worker) {
		return s
	}
	without := *s
	without.Env = nil
	return &without
}

// visibleRaw is visible for the definition in an event of the log. Most events have none.
func visibleRaw(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || may(ctx, Worker) {
		return raw, nil
	}
	var s study.Study
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	return json.Marshal(visible(ctx, &s))
}
