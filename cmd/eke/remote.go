package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// onServers lets a verb work on a study of a server as well.
func (a *app) onServers(cmd *cobra.Command) *cobra.Command {
	a.at.add(cmd.Flags())
	cmd.Long += "\n\nWith --server, the study is on that server."
	return cmd
}

// called is how a command names a study: by its name and, if it is on a server, where.
func (a *app) called(s *study.Study) string {
	if a.at.server != "" {
		return s.Name + " --" + serverFlag + " " + a.at.server
	}
	return s.Name
}

// remote has the studies of a server as a store has them, for reading. It refuses to write: orders go to the server, which has rules of its own.
type remote struct {
	store.Store // closed
	client      *api.Client
}

func newRemote(client *api.Client) *remote {
	closed := store.Memory()
	_ = closed.Close() // it never fails
	return &remote{closed, client}
}

// Heads lists the studies that the token may see.
func (s *remote) Heads(ctx context.Context) (heads []store.Head, err error) {
	list, err := s.client.Studies(ctx)
	for _, one := range list {
		heads = append(heads, store.Head{ID: one.ID, Name: one.Name, Created: one.Created, Version: one.Version})
	}
	return heads, serverProblem(ctx, s.client, "", err)
}

// Read reads a study and its log. The definition is the latest.
func (s *remote) Read(ctx context.Context, name string, after int64) (h store.Header, events []study.Event, err error) {
	v, err := s.client.Study(ctx, api.Place{Study: name})
	if err != nil {
		return h, nil, s.notThere(ctx, name, err)
	}
	h = store.Header{ID: v.ID, Name: name, Created: v.Created, Total: cmp.Or(v.Initial, v.Definition.Budget.Total), Measured: v.Definition.Measured()}
	if h.Definition, err = json.Marshal(v.Definition); err != nil {
		return h, nil, err
	}
	for p := (api.Place{Study: name, StudyID: v.ID}); after < v.Version; after = events[len(events)-1].Seq {
		page, err := s.client.Log(ctx, p, after)
		if err != nil {
			return h, nil, s.notThere(ctx, name, err)
		}
		if len(page) == 0 { // a backup was restored meanwhile
			break
		}
		events = append(events, page...)
	}
	return h, events, nil
}

// list lists the studies as the server sums them up, which takes no logs and no models here.
func (s *remote) list(ctx context.Context, v listView) (found listing, err error) {
	all, err := s.client.Studies(ctx)
	found.list, found.of = []listed{}, len(all)
	for _, one := range all {
		wanted, hidden := v.wants(one.Name, study.Labels{Tags: one.Tags}, one.Archived)
		if hidden {
			found.hidden++
		}
		if !wanted {
			continue
		}
		l := listed{
			Name: one.Name, Objective: one.Objective, Several: one.Objectives, Cost: one.Cost, Ledger: one.Ledger, Created: one.Created, Archived: one.Archived,
			Paused: one.Paused, Tags: one.Tags, Finished: (*statusEnd)(one.Finished), Damaged: one.Damaged, changed: one.Changed,
		}
		for _, n := range one.Counts {
			l.Trials += n
		}
		switch {
		case l.Several != nil: // the sum has no front
			whole, err := s.client.Study(ctx, api.Place{Study: one.Name})
			if err != nil {
				return found, serverProblem(ctx, s.client, one.Name, err)
			}
			l.Front = len(cmp.Or(whole.Front, &api.Front{}).Trials)
		case one.Best != nil:
			l.Best, l.Estimate = one.Best.Value, (*advisor.Estimate)(one.Best.Estimate)
		}
		found.list = append(found.list, l)
	}
	return found, serverProblem(ctx, s.client, "", err)
}

// Close has nothing to do.
func (s *remote) Close() error { return nil }

// notThere is serverProblem where the lack of a study is that of a store.
func (s *remote) notThere(ctx context.Context, name string, err error) error {
	if fault.CodeOf(err) == fault.NotFound && errors.As(err, new(*api.Response)) {
		return store.NotFound(name)
	}
	return serverProblem(ctx, s.client, name, err)
}

// ended returns what tells why the server says that a study is over, if nothing has happened since.
func (s *remote) ended(name string) func(context.Context, *study.Record, time.Time) error {
	return func(ctx context.Context, r *study.Record, _ time.Time) error {
		v, err := s.client.Study(ctx, api.Place{Study: name})
		if err != nil || v.Finished == nil || v.Version != r.Version {
			return nil
		}
		return fault.New(v.Finished.Code, "", "%s", v.Finished.Reason)
	}
}

// orders is what can be done to a study: by a broker in a store, or by a server.
type orders interface {
	AddBudget(ctx context.Context, amount float64) error
	Pause(ctx context.Context, pause bool) error
	Archive(ctx context.Context, archive bool) error
	Enqueue(ctx context.Context, setting space.Setting, note, key string) (study.Item, error)
	Dequeue(ctx context.Context, item int) error
	Retry(ctx context.Context, trials ...int) ([]study.Item, error)
	Forget(ctx context.Context, forget bool, note string, trials ...int) error
	ForgetKnown(ctx context.Context, forget bool, note string, results ...int) error
	Correct(ctx context.Context, trial int, c broker.Correction) error
	Stop(ctx context.Context, trial int) error
}

// orders returns who takes orders for a study.
func (a *app) orders(d *broker.Broker) orders {
	if on, ok := a.opened.(*remote); ok {
		return ordersTo{on.client, api.Place{Study: d.Study().Name}}
	}
	return d
}

// ordersTo are orders to a server.
type ordersTo struct {
	client *api.Client
	at     api.Place
}

func (o ordersTo) trial(n int) api.Place { return api.Place{Study: o.at.Study, Trial: n} }

// explain adds hints to what the server says. The study was there a moment ago: what is missing is something else, and the server says what.
func (o ordersTo) explain(ctx context.Context, err error) error {
	if fault.CodeOf(err) == fault.NotFound {
		return err
	}
	return serverProblem(ctx, o.client, o.at.Study, err)
}

func (o ordersTo) AddBudget(ctx context.Context, amount float64) error {
	return o.explain(ctx, o.client.AddBudget(ctx, o.at, amount))
}

func (o ordersTo) Pause(ctx context.Context, pause bool) error {
	return o.explain(ctx, o.client.Pause(ctx, o.at, pause))
}

func (o ordersTo) Archive(ctx context.Context, archive bool) error {
	return o.explain(ctx, o.client.Archive(ctx, o.at, archive))
}

func (o ordersTo) Enqueue(ctx context.Context, setting space.Setting, note, key string) (study.Item, error) {
	item, err := o.client.Enqueue(ctx, o.at, api.EnqueueRequest{Setting: setting, Note: note}, key)
	if fault.CodeOf(err) == fault.BadRequest { // whoever types a setting knows no body
		err = fault.New(fault.BadRequest, fault.HintOf(err), "%s", strings.TrimPrefix(err.Error(), "body.setting: "))
	}
	return item, o.explain(ctx, err)
}

func (o ordersTo) Dequeue(ctx context.Context, item int) error {
	return o.explain(ctx, o.client.Dequeue(ctx, o.at, item))
}

func (o ordersTo) Retry(ctx context.Context, trials ...int) ([]study.Item, error) {
	items, err := o.client.Retry(ctx, o.at, trials)
	return items, o.explain(ctx, err)
}

func (o ordersTo) Forget(ctx context.Context, forget bool, note string, trials ...int) error {
	return o.explain(ctx, o.client.Forget(ctx, o.at, api.ForgetRequest{Trials: trials, Undo: !forget, Note: note}))
}

func (o ordersTo) ForgetKnown(ctx context.Context, forget bool, note string, results ...int) error {
	return o.explain(ctx, o.client.Forget(ctx, o.at, api.ForgetRequest{Known: results, Undo: !forget, Note: note}))
}

func (o ordersTo) Correct(ctx context.Context, trial int, c broker.Correction) error {
	return o.explain(ctx, o.client.Correct(ctx, o.trial(trial), api.CorrectRequest{Value: c.Value, Cost: c.Cost, Setup: c.Setup, Metrics: c.Metrics, Failed: c.Failed, Note: c.Note}))
}

func (o ordersTo) Stop(ctx context.Context, trial int) error {
	return o.explain(ctx, o.client.Stop(ctx, o.trial(trial)))
}
