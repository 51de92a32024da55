package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// redefineOperations let people read a study as a study file, and change it, as eke run does with a file that was edited.
func (s *Server) redefineOperations(h huma.API) {
	const path = "/studies/{study}/definition"
	reply(s, h, operation(http.MethodGet, path, "get-definition", "Get a study as a study file", Reader), ofStudy(s, s.getDefinition))
	change := operation(http.MethodPost, path, "change-study", "Change a study that has begun", Admin)
	change.RequestBody, change.SkipValidateBody = definitionBody(), true
	reply(s, h, change, ofStudy(s, s.changeStudy))
}

// getDefinition writes the study as a file. Its budget is the one that the study has now, whoever has added to it.
func (s *Server) getDefinition(ctx context.Context, _ *OfStudy, o *openStudy, r *study.Record) (api.StudyFile, error) {
	now := *visible(ctx, o.broker.Study())
	now.Budget.Total = r.Ledger.Total
	return api.StudyFile{YAML: study.Template(now), Version: r.Version}, nil
}

type changeInput struct {
	OfStudy
	ContentType string `header:"Content-Type"`
	RawBody     []byte
	Version     int64 `query:"version" minimum:"0" doc:"The version of the study that was edited. If its definition or its budget has been changed since, this change is refused. 0: do not check, and leave the budget as it is if the file has the one that the study was last defined with."`
}

func (s *Server) changeStudy(ctx context.Context, in *changeInput, o *openStudy, _ *study.Record) (out api.Redefined, err error) {
	defined, err := s.readDefinition(ctx, in.ContentType, in.RawBody)
	if err != nil {
		return out, err
	}
	if defined.Name != in.Study {
		p := api.Invalid("body.name", "the study is called %s", in.Study)
		p.Errors[0].Value, p.Errors[0].Hint = short(defined.Name), "to give it another name, rename it"
		return out, p
	}
	err = o.lastingly(ctx, func(ctx context.Context) error {
		b, err := broker.Edit(ctx, s.store, defined, in.Version)
		if err != nil {
			return contradiction(defined, err)
		}
		out.Changes = append([]string{}, b.Changes()...)
		return nil
	})
	if err == nil {
		out.Study, err = ofStudy(s, s.getStudy)(ctx, &in.OfStudy)
	}
	return out, err
}

// contradiction names the fields that a study cannot change any more, with the values that were sent.
func contradiction(defined *study.Study, err error) error {
	if differs, ok := errors.AsType[*broker.Differs](err); ok {
		p := api.NewProblem(fault.BadStudy, fault.HintOf(err), "%v", err)
		for _, d := range differs.Fields {
			p.Errors = append(p.Errors, &api.FieldError{Location: "body." + d.Field, Message: d.Problem, Value: short(d.Value), Hint: d.Hint})
		}
		return p
	}
	if fault.CodeOf(err) == fault.BadRequest { // of all that is recorded here, only the budget can be refused
		p := misplaced("body.budget.total", err)
		p.Errors[0].Value = defined.Budget.Total
		return p
	}
	return err
}
