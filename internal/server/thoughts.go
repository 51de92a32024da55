package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// thoughtOperations are for second thoughts, and for settings and results of one's own.
func (s *Server) thoughtOperations(h huma.API) {
	of, trial := "/studies/{study}", "/studies/{study}/trials/{number}"
	reply(s, h, operation(http.MethodGet, of+"/queue", "get-queue", "List the settings to try next", Reader), ofStudy(s, s.getQueue))
	reply(s, h, operation(http.MethodPost, of+"/queue", "enqueue", "Have a setting of your own tried next", Worker), ofStudy(s, s.enqueue))
	reply(s, h, operation(http.MethodPost, of+"/queue/{number}/drop", "dequeue", "Take a setting out of the queue", Worker), ofStudy(s, s.dequeue))
	reply(s, h, operation(http.MethodPost, of+"/retry", "retry", "Have the settings of trials tried again", Worker), ofStudy(s, s.retry))
	reply(s, h, onTrial("/stop", "stop-trial", "Have a running trial stopped"), ofStudy(s, s.stopTrial))
	reply(s, h, operation(http.MethodPost, of+"/forget", "forget", "Have trials ignored, or counted again", Admin), ofStudy(s, s.forget))
	reply(s, h, operation(http.MethodPost, trial+"/correct", "correct", "Correct a trial that has ended", Admin), ofStudy(s, s.correct))
	reply(s, h, operation(http.MethodPost, of+"/results", "import-results", "Add results that were obtained elsewhere", Admin), ofStudy(s, s.importResults))
	reply(s, h, operation(http.MethodPost, of+"/import", "import-file", "Add the results in a file", Admin), ofStudy(s, s.importFile))
	reply(s, h, operation(http.MethodPost, of+"/pause", "pause-study", "Hand out no trials until the study is resumed", Admin), ofStudy(s, s.paused(true)))
	reply(s, h, operation(http.MethodPost, of+"/resume", "resume-study", "Hand out trials again", Admin), ofStudy(s, s.paused(false)))
	reply(s, h, operation(http.MethodPost, of+"/archive", "archive-study", "Put a study away, or take it out again", Admin), ofStudy(s, s.archive))
	reply(s, h, operation(http.MethodPost, of+"/labels", "label-study", "Change the tags, the notes, the owner or the group of a study", Admin), ofStudy(s, s.label))
	copying := operation(http.MethodPost, of+"/copy", "copy-study", "Make a new study like this one, with changes", Admin)
	copying.DefaultStatus, copying.Description = http.StatusCreated, "Role: admin."
	delete(copying.Metadata, ownerKey) // who may not create a study may not copy one
	reply(s, h, copying, ofStudy(s, s.copyStudy))
	reply(s, h, operation(http.MethodPost, of+"/rename", "rename-study", "Give a study another name", Admin), ofStudy(s, s.rename))
	reply(s, h, operation(http.MethodPost, of+"/delete", "delete-study", "Delete a study for good", Admin), ofStudy(s, s.deleteStudy))
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
	t, err := r.Trial(in.Number)
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
		if err := o.broker.Forget(ctx, !in.Body.Undo, in.Body.Trials...); err != nil {
			return err
		}
		return o.broker.ForgetKnown(ctx, !in.Body.Undo, in.Body.Known...)
	})
}

type correctInput struct {
	OfTrial
	Body api.CorrectRequest
}

func (s *Server) correct(ctx context.Context, in *correctInput, o *openStudy, _ *study.Record) (api.Trial, error) {
	b := in.Body
	return o.changeTrial(ctx, in.Number, func(ctx context.Context) error {
		return o.broker.Correct(ctx, in.Number, broker.Correction{Value: b.Value, Cost: b.Cost, Failed: b.Failed, Note: b.Note})
	})
}

// inBody turns an error about a setting or a name into a problem at a place of the body.
func inBody(location string, err error) error {
	if fault.CodeOf(err) != fault.BadRequest || err == nil {
		return err
	}
	return misplaced(location, err)
}

// lastingly changes the study, even if the client goes away meanwhile.
func (o *openStudy) lastingly(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := lasting(ctx)
	defer cancel()
	return o.write(ctx, do)
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
