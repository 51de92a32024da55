package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// openStudy is a study that the server has open: its broker, and the turns that all requests to it share.
type openStudy struct {
	broker  *broker.Broker
	id      string
	created time.Time
	initial float64 // the budget that it began with
	asking  turn    // to choose the next trial, among those who ask
	judging turn    // to judge a running trial, among those who report
	models  turn    // to use the models, among the first of both
	writing turn    // to change the log
	watch   *watch
	insight *kept[*insight.Insight]
	ahead   *forecasts
	refusal *atomic.Pointer[refusal]
	shown   atomic.Pointer[shown]

	definition json.RawMessage // the broker's, if it has changed since the study was created
}

// openAt is open for a request that may say by its ID which study it means. Then a study that has another name by now is found.
func (s *Server) openAt(ctx context.Context, at api.Place) (*openStudy, *study.Record, error) {
	o, r, err := s.open(ctx, at.Study)
	if at.StudyID == "" || err == nil && o.id == at.StudyID || err != nil && !errors.Is(err, store.ErrNotFound) {
		return o, r, err
	}
	heads, err := s.store.Heads(ctx)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(heads, func(h store.Head) bool { return h.ID == at.StudyID })
	switch {
	case i >= 0:
		return s.open(ctx, heads[i].Name)
	case at.TrialID != "":
		return nil, nil, api.NewProblem(fault.UnknownLease, "keep what it found elsewhere", "study %q, of which trial %d was, is not here any more", at.Study, at.Trial)
	}
	return nil, nil, fault.Errorf("it was deleted, or its store was replaced", "study %q: %w that has the ID %.100q", at.Study, store.ErrNotFound, at.StudyID)
}

// peek returns a study and its record. One that nobody has open is not kept.
func (s *Server) peek(ctx context.Context, name string) (*openStudy, *study.Record, error) {
	s.mu.Lock()
	_, isOpen := s.studies[name]
	s.mu.Unlock()
	if isOpen {
		return s.open(ctx, name)
	}
	return s.read(ctx, name)
}

// open returns an open study and its record. The first call opens it.
func (s *Server) open(ctx context.Context, name string) (*openStudy, *study.Record, error) {
	s.mu.Lock()
	o := s.studies[name]
	s.mu.Unlock()
	if o == nil {
		return s.load(ctx, name)
	}
	r, err := o.broker.Record(ctx)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrReplaced) { // there may be another of that name, or an older log of it
		return s.load(ctx, name)
	}
	if err != nil {
		return o, r, err
	}
	header, err := o.broker.Header(ctx)
	if err == nil && (!bytes.Equal(r.Definition, o.definition) || header.Name != name) { // eke run has changed it, or it was renamed
		return s.load(ctx, name)
	}
	return o, r, err
}

// load opens a study, or opens it anew. The new one takes over the turns, which must be the same for all requests.
func (s *Server) load(ctx context.Context, name string) (*openStudy, *study.Record, error) {
	o, r, err := s.read(ctx, name)
	gone := false
	if errors.Is(err, store.ErrNotFound) { // or it is of another group than the sender, and stays open for its own
		_, _, look := s.store.Read(asServer(ctx), name, math.MaxInt64)
		gone = errors.Is(look, store.ErrNotFound)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.studies[name]
	if err != nil {
		if gone {
			delete(s.studies, name)
		}
		return nil, nil, err
	}
	if before != nil {
		o.asking, o.judging, o.models, o.writing, o.watch = before.asking, before.judging, before.models, before.writing, before.watch
	}
	s.studies[name] = o
	return o, r, nil
}

// read opens a study. If it is changed meanwhile, the next request opens it anew.
func (s *Server) read(ctx context.Context, name string) (*openStudy, *study.Record, error) {
	b, err := broker.Open(ctx, s.store, name)
	if err != nil {
		return nil, nil, err
	}
	header, err := b.Header(ctx)
	if err != nil {
		return nil, nil, err
	}
	r, err := b.Record(ctx)
	if err != nil {
		return nil, nil, err
	}
	return &openStudy{broker: b, definition: b.Definition(), id: header.ID, created: header.Created, initial: header.Total, asking: newTurn(), judging: newTurn(), models: newTurn(), writing: newTurn(), watch: newWatch(), insight: &kept[*insight.Insight]{}, ahead: &forecasts{}, refusal: s.refusals.place(name)}, r, nil
}

// drop forgets a study that is not there any more, or has another name.
func (s *Server) drop(name string) {
	s.mu.Lock()
	o := s.studies[name]
	delete(s.studies, name)
	s.refusals.of.Delete(name)
	s.mu.Unlock()
	if o != nil {
		o.watch.poke()
	}
}

// change changes a study and answers with it.
func (o *openStudy) change(ctx context.Context, do func(context.Context) error) (changed api.Study, err error) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	if err := o.write(ctx, do); err != nil {
		return changed, err
	}
	r, err := o.broker.Record(ctx)
	if err != nil {
		return changed, err
	}
	return o.view(ctx, r), nil
}

// changeTrial changes a trial and answers with it.
func (o *openStudy) changeTrial(ctx context.Context, number int, do func(context.Context) error) (api.Trial, error) {
	if err := o.lastingly(ctx, do); err != nil {
		return api.Trial{}, err
	}
	r, err := o.broker.Record(ctx)
	if err != nil {
		return api.Trial{}, err
	}
	t, err := r.Trial(number)
	return api.NewTrial(t), err
}

// lastingly changes the study, even if the client goes away meanwhile.
func (o *openStudy) lastingly(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := lasting(ctx)
	defer cancel()
	return o.write(ctx, do)
}

// write changes a study when it is the request's turn.
//
// The broker would allow a change at any time, and decide again if another was faster. But if many tried at once, all but one
// would have worked in vain, and a setting might have to be chosen again.
func (o *openStudy) write(ctx context.Context, change func(context.Context) error) error {
	release, err := o.writing.take(ctx)
	if err != nil {
		return err
	}
	defer o.watch.poke()
	defer release()
	return change(ctx)
}

// longestHold is how long the choice of a trial may keep others from changing the study. Most choices take a tenth of that.
const longestHold = time.Second

// ask hands out the next trial, unless the study as it stands then forbids it. The context may cut the choice short.
func (o *openStudy) ask(ctx context.Context, thinkers *shares, to broker.Asker, may func(*study.Record) error) (study.Trial, error) {
	release, err := o.asking.take(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	defer release()
	mine, err := o.models.take(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	defer mine()
	chosen, err := thinkers.take(ctx, senderIn(ctx), 1)
	if err != nil {
		return study.Trial{}, err
	}
	defer chosen()
	r, err := o.broker.Record(ctx)
	if err == nil {
		err = may(r)
	}
	if err != nil {
		return study.Trial{}, err
	}
	letOthers, err := o.writing.take(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	defer o.watch.poke()
	defer letOthers()
	patience := time.AfterFunc(longestHold, letOthers)
	defer patience.Stop()
	return o.broker.Lease(ctx, to)
}

// lasting is a context for what must be finished even if the client is gone: a result that has arrived is kept.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
}

// turn is held by one request at a time. The others wait in order, until their contexts end.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) (release func(), err error) {
	select {
	case t <- struct{}{}:
		return sync.OnceFunc(func() { <-t }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
