package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

// thoughtOperations are for second thoughts, and for settings of one's own.
func (s *Server) thoughtOperations(h huma.API) {
	of, trial := "/studies/{study}", "/studies/{study}/trials/{number}"
	reply(s, h, operation(http.MethodGet, of+"/queue", "get-queue", "List the settings to try next", Reader), ofStudy(s, s.getQueue))
	reply(s, h, operation(http.MethodPost, of+"/queue", "enqueue", "Have a setting of your own tried next", Worker), ofStudy(s, s.enqueue))
	reply(s, h, operation(http.MethodPost, of+"/queue/{number}/drop", "dequeue", "Take a setting out of the queue", Worker), ofStudy(s, s.dequeue))
	reply(s, h, operation(http.MethodPost, of+"/retry", "retry", "Have the settings of trials tried again", Worker), ofStudy(s, s.retry))
	reply(s, h, onTrial("/stop", "stop-trial", "Have a running trial stopped"), ofStudy(s, s.stopTrial))
	reply(s, h, operation(http.MethodPost, of+"/forget", "forget", "Have trials ignored, or counted again", Admin), ofStudy(s, s.forget))
	reply(s, h, operation(http.MethodPost, trial+"/correct", "correct", "Correct a trial that has ended", Admin), ofStudy(s, s.correct))
}

func (s *Server) getQueue(_ context.Context, _ *OfStudy, _ *openStudy, r *study.Record) (api.Queue, error) {
	return api.Queue{Items: api.NewItems(r.Waiting())}, nil
}

type enqueueInput struct {
	OfStudy
	Keyed
	Body api.EnqueueRequest
}

func (s *Server) enqueue(ctx context.Context, in *enqueueInput, o *openStudy, _ *study.Record) (item api.Item, err error) {
	err = o.lastingly(ctx, func(ctx context.Context) error {
		r, err := o.broker.Record(ctx)
		if err != nil {
			return err
		}
		for _, q := range r.Queue {
			if err := in.reuse(q.Key, in.Body); err != nil {
				return err
			}
			if in.isSame(q.Key, in.Body) {
				item = api.NewItems([]study.Item{q})[0]
				return nil
			}
		}
		q, err := o.broker.Enqueue(ctx, in.Body.Setting, in.Body.Note, in.key(in.Body))
		if err == nil {
			item = api.NewItems([]study.Item{q})[0]
		}
		return inBody("body.setting", err)
	})
	return item, err
}

func (s *Server) dequeue(ctx context.Context, in *OfTrial, o *openStudy, _ *study.Record) (list api.Queue, err error) {
	if err := o.lastingly(ctx, func(ctx context.Context) error { return o.broker.Dequeue(ctx, in.Number) }); err != nil {
		return list, err
	}
	r, err := o.broker.Record(ctx)
	if err != nil {
		return list, err
	}
	return api.Queue{Items: api.NewItems(r.Waiting())}, nil
}

type retryInput struct {
	OfStudy
	Body api.RetryRequest
}

func (s *Server) retry(ctx context.Context, in *retryInput, o *openStudy, _ *study.Record) (list api.Queue, err error) {
	err = o.lastingly(ctx, func(ctx context.Context) error {
		items, err := o.broker.Retry(ctx, in.Body.Trials...)
		list.Items = api.NewItems(items)
		return err
	})
	return list, err
}

func (s *Server) stopTrial(ctx context.Context, in *OfTrial, o *openStudy, r *study.Record) (api.Trial, error) {
	t, err := meantTrial(ctx, o, r, *in)
	if err == nil {
		err = s.mayReport(ctx, r, t)
	}
	if err != nil {
		return api.Trial{}, err
	}
	return o.changeTrial(ctx, in.Number, func(ctx context.Context) error { return o.broker.Stop(ctx, in.Number) })
}

type forgetInput struct {
	OfStudy
	Body api.ForgetRequest
}

func (s *Server) forget(ctx context.Context, in *forgetInput, o *openStudy, _ *study.Record) (api.Study, error) {
	return o.change(ctx, func(ctx context.Context) error {
		if err := o.broker.Forget(ctx, !in.Body.Undo, in.Body.Note, in.Body.Trials...); err != nil {
			return err
		}
		return o.broker.ForgetKnown(ctx, !in.Body.Undo, in.Body.Note, in.Body.Known...)
	})
}

type correctInput struct {
	OfTrial
	Body api.CorrectRequest
}

func (s *Server) correct(ctx context.Context, in *correctInput, o *openStudy, r *study.Record) (api.Trial, error) {
	if _, err := meantTrial(ctx, o, r, in.OfTrial); err != nil {
		return api.Trial{}, err
	}
	b := in.Body
	return o.changeTrial(ctx, in.Number, func(ctx context.Context) error {
		return o.broker.Correct(ctx, in.Number, broker.Correction{Value: b.Value, Cost: b.Cost, Setup: b.Setup, Metrics: b.Metrics, Failed: b.Failed, Note: b.Note})
	})
}
