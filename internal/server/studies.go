package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/broker"
)

func (s *Server) studyOperations(api huma.API) {
	register(s, api, operation(http.MethodGet, "/studies", "list-studies", "All studies", Reader), s.listStudies)
	create := operation(http.MethodPost, "/studies", "create-study", "Create a study", Admin)
	create.DefaultStatus, create.RequestBody = http.StatusCreated, definitionBody()
	create.SkipValidateBody = true // the study's own reader says more of what is wrong
	register(s, api, create, s.createStudy)
	register(s, api, operation(http.MethodGet, "/studies/{study}", "get-study", "A study", Reader), s.getStudy)
	register(s, api, operation(http.MethodPost, "/studies/{study}/end", "end-study", "End a study: nothing more is asked for", Admin), s.endStudy)
	register(s, api, operation(http.MethodPost, "/studies/{study}/budget", "add-budget", "Add to a study's budget", Admin), s.addBudget)
}

// List is the answer to a request for all studies.
type List struct {
	Studies []Summary `json:"studies"`
}

func (s *Server) listStudies(ctx context.Context, _ *struct{}) (*body[List], error) {
	headers, err := s.store.List(ctx)
	if err != nil {
		return nil, err
	}
	list := List{Studies: []Summary{}}
	for _, h := range headers {
		at, r, err := s.open(ctx, h.Name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // one that cannot be read keeps nobody from the others
			s.log.Warn("a study is left out of the list", "study", h.Name, "error", err)
			continue
		}
		list.Studies = append(list.Studies, at.summary(r))
	}
	return answer(list)
}

func (s *Server) getStudy(ctx context.Context, in *OfStudy) (*body[Study], error) {
	at, r, err := s.open(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	return answer(at.view(ctx, r))
}

type createInput struct {
	ContentType string `header:"Content-Type"`
	RawBody     []byte
}

func (s *Server) createStudy(ctx context.Context, in *createInput) (*body[Study], error) {
	defined, err := readDefinition(in.ContentType, in.RawBody)
	if err != nil {
		return nil, err
	}
	headers, err := s.store.List(ctx)
	if err != nil {
		return nil, err
	}
	if len(headers) >= s.config.Studies {
		return nil, problem(http.StatusTooManyRequests, TooMany, "there are %d studies, and no more can be created here", len(headers))
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	if _, err := broker.Create(ctx, s.store, defined); err != nil {
		return nil, err
	}
	at, r, err := s.open(ctx, defined.Name)
	if err != nil {
		return nil, err
	}
	return answer(at.view(ctx, r))
}

func (s *Server) endStudy(ctx context.Context, in *OfStudy) (*body[Study], error) {
	return s.change(ctx, in.Study, func(ctx context.Context, d *broker.Broker) error { return d.Close(ctx) })
}

// mostMoney is the largest amount that a ledger takes: 1e15, as sums of more would not be exact.
const mostMoney = 1e15

type budgetInput struct {
	OfStudy
	Body struct {
		Add float64 `json:"add" exclusiveMinimum:"0" maximum:"1e15" doc:"In the unit of the study's cost"`
	}
}

func (s *Server) addBudget(ctx context.Context, in *budgetInput) (*body[Study], error) {
	return s.change(ctx, in.Study, func(ctx context.Context, d *broker.Broker) error {
		r, err := d.Record(ctx)
		if err == nil && r.Ledger.Total+in.Body.Add > mostMoney {
			return invalid("body.add", "the budget would be more than %g", mostMoney)
		}
		if err != nil {
			return err
		}
		return d.AddBudget(ctx, in.Body.Add)
	})
}

// change changes a study as a whole, and answers with it.
func (s *Server) change(ctx context.Context, name string, do func(context.Context, *broker.Broker) error) (*body[Study], error) {
	at, err := s.seat(ctx, name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	if err := at.write(ctx, func(ctx context.Context) error { return do(ctx, at.broker) }); err != nil {
		return nil, err
	}
	r, err := at.broker.Record(ctx)
	if err != nil {
		return nil, err
	}
	return answer(at.view(ctx, r))
}
