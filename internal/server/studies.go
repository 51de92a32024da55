package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

func (s *Server) studyOperations(h huma.API) {
	reply(s, h, s.long("/studies", "list-studies", "List studies", Reader), s.listStudies)
	create := operation(http.MethodPost, "/studies", "create-study", "Create a study", Admin)
	create.DefaultStatus, create.RequestBody = http.StatusCreated, definitionBody()
	create.SkipValidateBody = true // the reader of study files explains mistakes better
	reply(s, h, create, s.createStudy)
	reply(s, h, operation(http.MethodGet, "/studies/{study}", "get-study", "Get a study", Reader), ofStudy(s, s.getStudy))
	reply(s, h, operation(http.MethodPost, "/studies/{study}/end", "end-study", "End a study, so that it hands out no more trials", Admin), ofStudy(s, s.endStudy))
	reply(s, h, operation(http.MethodPost, "/studies/{study}/budget", "add-budget", "Add money to a study's budget", Admin), ofStudy(s, s.addBudget))
}

func (s *Server) getStudy(ctx context.Context, _ *OfStudy, o *openStudy, r *study.Record) (api.Study, error) {
	return o.view(ctx, r), nil
}

type createInput struct {
	ContentType string `header:"Content-Type"`
	RawBody     []byte
}

func (s *Server) createStudy(ctx context.Context, in *createInput) (created api.Study, err error) {
	defined, err := s.readDefinition(ctx, in.ContentType, in.RawBody)
	if err != nil {
		return created, err
	}
	return s.add(ctx, defined, study.Labels{})
}

// add puts a new study into the store. It belongs to whoever adds it.
func (s *Server) add(ctx context.Context, defined *study.Study, labels study.Labels) (created api.Study, err error) {
	if err := s.room(ctx, false); err != nil {
		return created, err
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	b, err := broker.Create(ctx, s.store, defined)
	if err != nil {
		return created, err
	}
	token := tokenIn(ctx)
	labels.Owner, labels.Group = token.ID, cmp.Or(token.Group, labels.Group)
	if err := b.Label(ctx, func(l *study.Labels) { *l = labels }); err != nil {
		return created, err
	}
	return ofStudy(s, s.getStudy)(ctx, &OfStudy{Study: defined.Name})
}

// room refuses one more study, active or archived, if there are as many as the server keeps.
func (s *Server) room(ctx context.Context, archived bool) error {
	cards, err := s.look(asServer(ctx))
	if err != nil {
		return err
	}
	count := 0
	for _, c := range cards {
		if c.summary.Archived == archived {
			count++
		}
	}
	switch {
	case archived && count >= s.config.Archived:
		return api.NewProblem(fault.TooMany, "delete archived studies that nobody needs, or start the server with a larger --archived",
			"this server keeps at most %d archived studies", s.config.Archived)
	case !archived && count >= s.config.Studies:
		return api.NewProblem(fault.TooMany, "archive or delete studies that are over, or start the server with a larger --studies",
			"this server keeps at most %d studies that are not archived", s.config.Studies)
	}
	return nil
}

func (s *Server) endStudy(ctx context.Context, _ *OfStudy, o *openStudy, _ *study.Record) (api.Study, error) {
	return o.change(ctx, o.broker.Close)
}

type budgetInput struct {
	OfStudy
	Keyed
	Body api.BudgetRequest
}

func (s *Server) addBudget(ctx context.Context, in *budgetInput, o *openStudy, _ *study.Record) (api.Study, error) {
	return o.change(ctx, func(ctx context.Context) error {
		r, err := o.broker.Record(ctx)
		if err != nil {
			return err
		}
		for _, key := range r.Added {
			if err := in.reuse(key, in.Body); err != nil {
				return err
			}
		}
		key := in.key(in.Body)
		if r.Ledger.Total+in.Body.Add > api.MaxCost && !slices.Contains(r.Added, key) {
			return api.Invalid("body.add", "the budget would exceed %g", float64(api.MaxCost))
		}
		return o.broker.AddBudgetAs(ctx, in.Body.Add, key)
	})
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
