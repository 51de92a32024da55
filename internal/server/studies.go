package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
)

func (s *Server) studyOperations(h huma.API) {
	register(s, h, operation(http.MethodGet, "/studies", "list-studies", "List all studies", Reader), s.listStudies)
	create := operation(http.MethodPost, "/studies", "create-study", "Create a study", Admin)
	create.DefaultStatus, create.RequestBody = http.StatusCreated, definitionBody()
	create.SkipValidateBody = true // the reader of study files explains mistakes better
	register(s, h, create, s.createStudy)
	register(s, h, operation(http.MethodGet, "/studies/{study}", "get-study", "Get a study", Reader), s.getStudy)
	register(s, h, operation(http.MethodPost, "/studies/{study}/end", "end-study", "End a study, so that it hands out no more trials", Admin), s.endStudy)
	register(s, h, operation(http.MethodPost, "/studies/{study}/budget", "add-budget", "Add money to a study's budget", Admin), s.addBudget)
}

func (s *Server) listStudies(ctx context.Context, _ *struct{}) (*body[api.Studies], error) {
	headers, err := s.store.List(ctx)
	if err != nil {
		return nil, err
	}
	list := api.Studies{Studies: []api.Summary{}}
	for _, h := range headers {
		o, r, err := s.open(ctx, h.Name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // one damaged study must not hide the others
			s.log.Warn("a study cannot be read, and is left out of the list", "study", h.Name, "error", err)
			continue
		}
		list.Studies = append(list.Studies, o.summary(r))
	}
	return answer(list)
}

func (s *Server) getStudy(ctx context.Context, in *OfStudy) (*body[api.Study], error) {
	o, r, err := s.open(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	return answer(o.view(ctx, r))
}

type createInput struct {
	ContentType string `header:"Content-Type"`
	RawBody     []byte
}

func (s *Server) createStudy(ctx context.Context, in *createInput) (*body[api.Study], error) {
	defined, err := readDefinition(in.ContentType, in.RawBody)
	if err != nil {
		return nil, err
	}
	headers, err := s.store.List(ctx)
	if err != nil {
		return nil, err
	}
	if len(headers) >= s.config.Studies {
		return nil, api.NewProblem(fault.TooMany, "use another store, or raise the limit of the server", "there are already %d studies, the most that this server keeps", len(headers))
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	if _, err := broker.Create(ctx, s.store, defined); err != nil {
		return nil, err
	}
	o, r, err := s.open(ctx, defined.Name)
	if err != nil {
		return nil, err
	}
	return answer(o.view(ctx, r))
}

func (s *Server) endStudy(ctx context.Context, in *OfStudy) (*body[api.Study], error) {
	return s.change(ctx, in.Study, func(ctx context.Context, b *broker.Broker) error { return b.Close(ctx) })
}

type budgetInput struct {
	OfStudy
	Body api.BudgetRequest
}

func (s *Server) addBudget(ctx context.Context, in *budgetInput) (*body[api.Study], error) {
	return s.change(ctx, in.Study, func(ctx context.Context, b *broker.Broker) error {
		r, err := b.Record(ctx)
		if err != nil {
			return err
		}
		if r.Ledger.Total+in.Body.Add > api.MaxCost {
			return api.Invalid("body.add", "the budget would exceed %g", float64(api.MaxCost))
		}
		return b.AddBudget(ctx, in.Body.Add)
	})
}

// change changes a study and answers with it.
func (s *Server) change(ctx context.Context, name string, do func(context.Context, *broker.Broker) error) (*body[api.Study], error) {
	o, _, err := s.open(ctx, name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	if err := o.write(ctx, func(ctx context.Context) error { return do(ctx, o.broker) }); err != nil {
		return nil, err
	}
	r, err := o.broker.Record(ctx)
	if err != nil {
		return nil, err
	}
	return answer(o.view(ctx, r))
}
