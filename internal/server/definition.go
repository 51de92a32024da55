package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

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
	Version     int64 `query:"version" minimum:"0" doc:"The version of the study that was edited. If its definition or its budget has been changed since, this change is refused. 0: do not check; and leave the budget as it is if the file still has the budget with which the study was last defined."`
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

// definitionBody describes the ways to send a study.
func definitionBody() *huma.RequestBody {
	text := func(about string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: about} }
	return &huma.RequestBody{Required: true, Description: "A study file, or JSON with either yaml or definition.", Content: map[string]*huma.MediaType{
		"application/yaml": {Schema: text("The study file.")},
		"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
			"yaml":       text("The study file."),
			"definition": {Type: huma.TypeObject, Description: "The study file as JSON, in the form of Definition.", AdditionalProperties: true},
			"earlier":    {Type: huma.TypeObject, Description: "The results that start_from names, if they are not of a study on the server: {from, noisy, results: [{setting, value, cost}]}.", AdditionalProperties: true},
		}, AdditionalProperties: false}},
	}}
}

// readDefinition reads a study from a request, when it is the request's turn: a file with ten thousand keys costs a second and much
// memory before it is refused.
func (s *Server) readDefinition(ctx context.Context, contentType string, raw []byte) (*study.Study, error) {
	release, err := s.parsing.take(ctx, senderIn(ctx), 1)
	if err != nil {
		return nil, err
	}
	defer release()
	return readDefinition(contentType, raw)
}

// readDefinition reads a study from a request. Whatever its form, it is checked like a study file.
func readDefinition(contentType string, raw []byte) (*study.Study, error) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = contentType
	}
	switch kind {
	case "application/yaml", "text/yaml", "application/x-yaml", "text/x-yaml":
		return study.Parse(raw, "study.yaml")
	case "application/json", "":
	default:
		return nil, api.NewProblem(fault.BadRequest, "send application/yaml or application/json", "a study cannot be sent as %.100q", contentType).WithStatus(http.StatusUnsupportedMediaType)
	}
	var in map[string]json.RawMessage
	if err := readJSON(raw, &in); err != nil {
		return nil, unreadable("body", err)
	}
	for field := range in {
		if field != "yaml" && field != "definition" && field != "earlier" {
			return nil, api.Invalid("body."+field, "this field is unknown")
		}
	}
	s, err := defined(in["yaml"], in["definition"])
	if raw := in["earlier"]; err == nil && raw != nil {
		err = takeEarlier(s, raw)
	}
	return s, err
}

// takeEarlier reads the results that a study starts from.
func takeEarlier(s *study.Study, raw json.RawMessage) error {
	if s.StartFrom == "" {
		return api.Invalid("body.earlier", "there are earlier results, but the study has no start_from")
	}
	if err := json.Unmarshal(raw, &s.Earlier); err != nil {
		return unreadable("body.earlier", err)
	}
	if s.Earlier != nil {
		s.Earlier.From = s.StartFrom
	}
	return nil
}

// defined reads one of the forms of a study.
func defined(file, definition json.RawMessage) (*study.Study, error) {
	switch {
	case file != nil && definition != nil:
		return nil, api.Invalid("body", "both yaml and definition are there; send one of them")
	case file != nil:
		var text string
		if err := json.Unmarshal(file, &text); err != nil {
			return nil, unreadable("body.yaml", err)
		}
		return study.Parse([]byte(text), "study.yaml")
	case definition != nil:
		return fromJSON(definition)
	}
	return nil, api.Invalid("body.definition", "the definition is missing; send it, or yaml")
}

// unreadable says what is wrong with JSON without the names of our types.
func unreadable(at string, err error) *api.Problem {
	if errors.Is(err, errTooComplex) {
		return errTooComplex
	}
	if wrongType, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrongType.Field != "" {
			at += "." + wrongType.Field
		}
		return api.Invalid(at, "this cannot be a %s", wrongType.Value)
	}
	return api.Invalid(at, "this is not JSON").WithStatus(http.StatusBadRequest)
}

// fromJSON reads the JSON form of a study. It writes it as a study file and reads that, so that it accepts no study that a
// file could not describe. Nothing that was given may be lost on the way.
func fromJSON(raw []byte) (*study.Study, error) {
	const at = "body.definition"
	var given any
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, unreadable(at, err)
	}
	var s study.Study
	if err := json.Unmarshal(raw, &s); err != nil {
		if p := unreadable(at, err); p.Status != http.StatusBadRequest {
			return nil, p
		}
		return nil, misplaced(at, err) // a duration, or a value
	}
	if s.Several() && s.Objective == (study.Objective{}) {
		s.Objective = s.Objectives[0].Objective
	}
	for _, need := range []struct {
		missing bool
		field   string
	}{
		{s.Name == "", "name"}, {s.Objective.Goal == "", "objective.goal"}, {s.Cost.Source == "", "cost.source"},
		{s.Budget.Total == 0, "budget.total"}, {len(s.Parameters) == 0, "parameters"},
	} {
		if need.missing {
			return nil, api.Invalid(at+"."+need.field, "this is missing")
		}
	}
	parsed, err := study.Parse([]byte(study.Template(s)), "definition")
	if err != nil {
		p := mistaken(at, err)
		for _, f := range p.Errors { // the lines would be those of a file that nobody has
			f.Line, f.Column = 0, 0
		}
		return nil, p
	}
	again, err := json.Marshal(parsed)
	if err != nil {
		return nil, err
	}
	var kept any
	if err := json.Unmarshal(again, &kept); err != nil {
		return nil, err
	}
	all, lost := map[string]any{}, map[string]any{}
	flatten(kept, at, all)
	flatten(given, at, lost)
	maps.DeleteFunc(lost, func(where string, v any) bool {
		isDuration := where == at+".budget.timeout" || where == at+".budget.deadline" // which may be written in several ways
		limit, _ := strings.CutPrefix(where, at+".limits.")
		_, isLimit := parsed.Limits[limit] // which may be a comparison, such as <= 8
		return isDuration || isLimit || all[where] == v
	})
	if len(lost) > 0 {
		return nil, api.Invalid(slices.Min(slices.Collect(maps.Keys(lost))), "this field is unknown, or cannot have this value")
	}
	return parsed, nil
}

// flatten lists values by their places, except for empty ones, which may be left out.
func flatten(v any, at string, into map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inside := range v {
			flatten(inside, at+"."+name, into)
		}
	case []any:
		for i, inside := range v {
			flatten(inside, fmt.Sprintf("%s[%d]", at, i), into)
		}
	default:
		if v != nil && v != false && v != 0.0 && v != "" {
			into[at] = v
		}
	}
}
