package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

func (s *Server) studyOperations(h huma.API) {
	reply(s, h, operation(http.MethodGet, "/studies", "list-studies", "List all studies", Reader), s.listStudies)
	create := operation(http.MethodPost, "/studies", "create-study", "Create a study", Admin)
	create.DefaultStatus, create.RequestBody = http.StatusCreated, definitionBody()
	create.SkipValidateBody = true // the reader of study files explains mistakes better
	reply(s, h, create, s.createStudy)
	reply(s, h, operation(http.MethodGet, "/studies/{study}", "get-study", "Get a study", Reader), ofStudy(s, s.getStudy))
	reply(s, h, operation(http.MethodPost, "/studies/{study}/end", "end-study", "End a study, so that it hands out no more trials", Admin), ofStudy(s, s.endStudy))
	reply(s, h, operation(http.MethodPost, "/studies/{study}/budget", "add-budget", "Add money to a study's budget", Admin), ofStudy(s, s.addBudget))
}

// listFits is how long a list may fit models, to say what the best of studies with noise are. Each is fitted once for the same results,
// so that the next list goes on where this one stops.
const listFits = time.Second

func (s *Server) listStudies(ctx context.Context, _ *struct{}) (list api.Studies, err error) {
	headers, err := s.store.List(ctx)
	if err != nil {
		return list, err
	}
	list.Studies = []api.Summary{}
	fits, cancel := context.WithTimeout(ctx, listFits)
	defer cancel()
	for _, h := range headers {
		o, r, err := s.open(ctx, h.Name)
		if ctx.Err() != nil {
			return list, ctx.Err()
		}
		if err != nil { // one damaged study must not hide the others
			s.log.Warn("a study cannot be read, and is left out of the list", "study", h.Name, "error", err)
			continue
		}
		list.Studies = append(list.Studies, o.summary(fits, r))
	}
	return list, nil
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
	headers, err := s.store.List(ctx)
	if err != nil {
		return created, err
	}
	if len(headers) >= s.config.Studies {
		return created, api.NewProblem(fault.TooMany, "use another store, or raise the limit of the server", "there are already %d studies, the most that this server keeps", len(headers))
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	if _, err := broker.Create(ctx, s.store, defined); err != nil {
		return created, err
	}
	return ofStudy(s, s.getStudy)(ctx, &OfStudy{defined.Name})
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
