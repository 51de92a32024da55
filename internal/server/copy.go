package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

type copyInput struct {
	OfStudy
	Body api.CopyRequest
}

// copyStudy makes a new study like another one, with changes. It keeps the tags, and the group.
func (s *Server) copyStudy(ctx context.Context, in *copyInput, o *openStudy, r *study.Record) (made api.Study, err error) {
	defined, err := s.changed(ctx, o.broker.Study(), in.Body)
	if err != nil {
		return made, err
	}
	if was := o.broker.Study(); defined.StartFrom == was.StartFrom && defined.Objective.Goal == was.Objective.Goal && defined.Cost == was.Cost {
		defined.Earlier = r.Prior // what was read then: a file, or a study that may be gone, or of another group
	}
	labels := study.Labels{Tags: r.Labels.Tags, Group: r.Labels.Group, Notes: strings.TrimSpace(fmt.Sprintf("A copy of %s.\n\n%s", in.Study, r.Labels.Notes))}
	if made, err = s.add(ctx, defined, labels); err != nil || !in.Body.Results {
		return made, err
	}
	copied, _, err := s.open(ctx, made.Name)
	if err != nil {
		return made, err
	}
	sp := copied.broker.Advisor().Space()
	var list []broker.Result
	for _, t := range r.Results() {
		if setting := sp.Complete(t.Setting); sp.Allows(setting) == nil {
			if _, err := sp.Encode(setting); err == nil {
				list = append(list, broker.Result{Setting: setting, Value: t.Value, Cost: t.Charged})
			}
		}
	}
	return copied.change(ctx, func(ctx context.Context) error {
		_, err := copied.broker.Import(ctx, list, false)
		return err
	})
}

// changed is the definition of a study with another name, and with changes, which are checked like a study file.
func (s *Server) changed(ctx context.Context, of *study.Study, to api.CopyRequest) (*study.Study, error) {
	raw, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	var definition map[string]any
	if err := json.Unmarshal(raw, &definition); err != nil {
		return nil, err
	}
	definition["name"] = to.Name
	for field, value := range to.Changes {
		if field == "name" {
			return nil, api.Invalid("body.changes.name", "the new name is in body.name")
		}
		definition[field] = value
		if value == nil {
			delete(definition, field)
		}
	}
	if raw, err = json.Marshal(map[string]any{"definition": definition}); err != nil {
		return nil, err
	}
	return s.readDefinition(ctx, "application/json", raw)
}
