package server

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// shown is what is shown of a study whose log has not grown since.
type shown struct {
	version int64
	summary api.Summary // but for Finished, which depends on the clock
	rest    api.Study   // what a list leaves out
}

func (o *openStudy) view(ctx context.Context, r *study.Record) api.Study {
	v := o.show(ctx, r).rest
	v.Summary, v.Definition = o.summary(ctx, r), visible(ctx, o.broker.Study())
	return v
}

// summary is a study in a list.
func (o *openStudy) summary(ctx context.Context, r *study.Record) api.Summary {
	v := o.show(ctx, r).summary
	v.Finished = o.finished(r)
	return v
}

// show says how a study stands. If the context ends while models are fitted, or they cannot be, its best trial is the last that was
// found: nobody must be told that a change failed because what it changed cannot be shown.
func (o *openStudy) show(ctx context.Context, r *study.Record) *shown {
	if last := o.shown.Load(); last != nil && last.version == r.Version {
		return last
	}
	defined := o.broker.Study()
	v := api.Summary{
		ID: o.id, Name: defined.Name, Created: o.created, Closed: r.Closed, Paused: r.Paused, Archived: r.Archived, Waiting: len(r.Waiting()), Known: len(r.Known), Initial: o.initial, Version: r.Version, Objective: defined.Objective, Objectives: defined.Objectives, Cost: defined.Cost, Ledger: r.Ledger,
		Left: r.Ledger.Left(), Overrun: r.Ledger.Overrun(), Buys: buys(o.broker.Advisor(), r),
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
	if v.Best = newBest(best, ok); !ok {
		v.Infeasible = say.NoneFeasible(defined, r)
	}
	pick := o.broker.Advisor().Pick(r)
	now := &shown{r.Version, v, api.Study{Policy: api.Picked{Name: pick.Name, Why: pick.Why()}, Notes: r.Labels.Notes}}
	if start := advisor.EarlierOf(r); start != nil {
		now.rest.Earlier = start.Words()
	}
	now.rest.Spending = r.Spending()
	if defined.Several() {
		f, failed := o.broker.Front(ctx, r)
		if failed != nil && ctx.Err() != nil { // whoever has more time will find it
			err = failed
		}
		if failed == nil {
			now.rest.Front = &api.Front{Trials: newTrials(f.Trials), Seen: f.Seen, Worst: append([]float64{}, f.Worst...), From: f.From, Hypervolume: f.Hypervolume, Beyond: f.Notes(defined)}
			if f.Expected {
				now.rest.Front.Expected = f.Outcomes
			}
		}
	}
	if ok {
		now.rest.Hurts = best.Hurts(defined, r)
	}
	now.rest.SpentAt, now.rest.Saved = say.CostByFidelity(defined, r.Trials, advisor.Saved).Words(defined)
	if len(defined.Changeover) > 0 {
		changes := o.broker.Advisor().Changes(r)
		now.rest.Changes = &api.Changes{Changes: changes, Words: say.Changes(defined.Cost, changes, r.Ledger.Spent)}
	}
	if last := o.shown.Load(); err == nil && (last == nil || last.version < r.Version) {
		o.shown.CompareAndSwap(last, now)
	}
	return now
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

func newTrials(list []study.Trial) []api.Trial {
	trials := make([]api.Trial, len(list))
	for i, t := range list {
		trials[i] = api.NewTrial(t)
	}
	return trials
}

func buys(a *advisor.Advisor, r *study.Record) *api.Buys {
	each, known := r.Price()
	if !known {
		return nil
	}
	left := r.Ledger.Left()
	most, _ := a.MostToCome(r)
	return &api.Buys{Trials: say.Bought(left, each, most), CostEach: each, Words: say.Buys(a.Study(), left, each, most)}
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

// visible is the part of a study's definition that the client may see. Only those who may run the command see its environment,
// which may contain passwords.
func visible(ctx context.Context, s *study.Study) *study.Study {
	if len(s.Env) == 0 && len(s.Slots) == 0 || may(ctx, Worker) {
		return s
	}
	without := *s
	without.Env, without.Slots = nil, make([]study.Slot, len(s.Slots))
	if len(s.Slots) == 0 {
		without.Slots = nil
	}
	return &without
}

// refusal is why a study handed out no trial, as it stood then. It takes models to find that out, so it is remembered.
type refusal struct {
	created time.Time // of the study, which tells it from another of the same name
	version int64
	err     error
	old     bool // it was so before the server began, and is no news
}

// refusals has a place for the refusal of each study, by its name, whether it is open or not.
type refusals struct{ of sync.Map }

func (l *refusals) place(name string) *atomic.Pointer[refusal] {
	p, _ := l.of.LoadOrStore(name, &atomic.Pointer[refusal]{})
	return p.(*atomic.Pointer[refusal])
}

// foreseen is finished for whoever has a forecast of what the rest of the money buys. What was said before stays: the reason for an end
// does not change while nothing happens.
func (o *openStudy) foreseen(r *study.Record, rest *study.Rest) *api.End {
	if end := o.finished(r); end != nil {
		return end
	}
	if err := o.broker.Advisor().Over(r, rest, time.Now()); err != nil {
		o.refuses(r, err)
	}
	return o.finished(r)
}

// refuses notes that the study is over, if that is why it handed out no trial.
func (o *openStudy) refuses(r *study.Record, err error) {
	if fault.CodeOf(err).Over() && len(r.Open()) == 0 {
		o.note(&refusal{o.created, r.Version, err, false})
	}
}

// note keeps a refusal, unless there is one of the same state.
func (o *openStudy) note(now *refusal) {
	for {
		last := o.refusal.Load()
		if last != nil && last.version == now.version && last.created.Equal(now.created) || o.refusal.CompareAndSwap(last, now) {
			return
		}
	}
}

// finished says why a study is over, as far as that is known.
func (o *openStudy) finished(r *study.Record) *api.End {
	err := o.broker.Advisor().Over(r, nil, time.Now())
	if last := o.refusal.Load(); err == nil && last != nil && last.version == r.Version && last.created.Equal(o.created) {
		err = last.err
	}
	return newEnd(err)
}

func newEnd(err error) *api.End {
	if err == nil {
		return nil
	}
	return &api.End{Code: api.NewProblem(fault.CodeOf(err), "", "").Code, Reason: err.Error()}
}

// It may take a suggestion to find out that a study is over, and nobody may ask for one: the server was started anew after the last worker had
// heard it, or somebody evaluates trials by hand. So the server finds out itself about studies at which nothing happens.

// lookForIdle is how often the server looks for such studies, and idleFor how long nothing must have happened: workers ask sooner than that.
// When it starts it looks at all of them.
const lookForIdle, idleFor = 10 * time.Second, time.Minute

// endsForEver finds out which idle studies are over, once for each state of a study.
func (s *Server) endsForEver(ctx context.Context) {
	tick := time.NewTicker(lookForIdle)
	defer tick.Stop()
	tried, patience := map[string]int64{}, time.Duration(0) // versions, by study
	for {
		if cards, err := s.look(ctx); err == nil { // if it cannot be read, the sweep says so
			next := make(map[string]int64, len(cards))
			for _, c := range cards {
				if version, ok := tried[c.head.Name]; ok && version == c.head.Version {
					next[c.head.Name] = version
				} else if isIdle(&c.summary, time.Now().Add(-patience)) && ctx.Err() == nil {
					next[c.head.Name] = s.findEnd(ctx, c.head.Name, patience == 0)
				}
			}
			tried, patience = next, idleFor
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// isIdle reports whether nothing has happened since then at a study that has begun and, as far as is known, is not over.
func isIdle(one *api.Summary, since time.Time) bool {
	open := one.Counts[study.Pending] + one.Counts[study.Running]
	begun := one.Counts[study.Done] + one.Counts[study.Failed] + one.Counts[study.Cut] + one.Counts[study.StoppedEarly]
	return begun > 0 && open == 0 && one.Waiting == 0 && one.Finished == nil && !one.Paused && !one.Archived && one.Damaged == "" && !one.Changed.After(since)
}

// findEnd notes why a study is over, if it is, and returns the version that it has looked at. old says that it was so before the server began.
// Nobody's turn to ask is taken: it may wait long for the models of other studies.
func (s *Server) findEnd(ctx context.Context, name string, old bool) (version int64) {
	o, r, err := s.peek(ctx, name)
	if err != nil {
		return 0 // it is gone, or damaged, which its card will say
	}
	fitted, err := s.fitting.take(ctx, sender{"server", "server"}, 1)
	if err != nil {
		return 0
	}
	defer fitted()
	ctx, cancel := context.WithTimeout(ctx, api.MaxAsk)
	defer cancel()
	o.findEnd(ctx, r, old)
	return r.Version
}

func (o *openStudy) findEnd(ctx context.Context, r *study.Record, old bool) {
	if err := o.broker.Advisor().Ended(ctx, r, time.Now()); err != nil && ctx.Err() == nil {
		o.note(&refusal{o.created, r.Version, err, old})
	}
}
