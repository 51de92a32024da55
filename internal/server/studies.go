package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

func (s *Server) studyOperations(h huma.API) {
	const of = "/studies/{study}"
	reply(s, h, s.long("/studies", "list-studies", "List studies", Reader), s.listStudies)
	create := operation(http.MethodPost, "/studies", "create-study", "Create a study", Admin)
	create.DefaultStatus, create.RequestBody = http.StatusCreated, definitionBody()
	create.SkipValidateBody = true // the reader of study files explains mistakes better
	reply(s, h, create, s.createStudy)
	reply(s, h, operation(http.MethodGet, of, "get-study", "Get a study", Reader), ofStudy(s, s.getStudy))
	reply(s, h, operation(http.MethodPost, of+"/end", "end-study", "End a study, so that it hands out no more trials", Admin), ofStudy(s, s.endStudy))
	reply(s, h, operation(http.MethodPost, of+"/budget", "add-budget", "Add money to a study's budget", Admin), ofStudy(s, s.addBudget))
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

type copyInput struct {
	OfStudy
	Body api.CopyRequest
}

// copyStudy makes a new study like another one, with changes. It keeps the tags, and the group.
func (s *Server) copyStudy(ctx context.Context, in *copyInput, o *openStudy, r *study.Record) (made api.Study, err error) {
	of := *o.broker.Study()
	of.Budget.Total = r.Ledger.Total // with what was added to it
	defined, err := s.changed(ctx, &of, in.Body)
	if err != nil {
		return made, err
	}
	was := o.broker.Study()
	if now := defined.Objective; in.Body.Results && (now.Name != was.Objective.Name || now.Goal != was.Objective.Goal) {
		return made, api.Invalid("body.results", "the values of %s say nothing of the objective %q, to %s, which the copy has; leave the results out, or import them", in.Study, now.Name, now.Goal)
	}
	if defined.StartFrom == was.StartFrom && defined.Objective.Goal == was.Objective.Goal && defined.Cost.Equal(was.Cost) {
		defined.Earlier = r.Earlier // what was read then: a file, or a study that may be gone, or of another group
	}
	labels := study.Labels{Tags: r.Labels.Tags, Group: r.Labels.Group, Notes: strings.TrimSpace(fmt.Sprintf("A copy of %s.\n\n%s", in.Study, r.Labels.Notes))}
	if made, err = s.add(ctx, defined, labels); err != nil || !in.Body.Results {
		return made, err
	}
	copied, _, err := s.open(ctx, made.Name)
	if err != nil {
		return made, err
	}
	list := broker.Measured(r)
	if !defined.Cost.Equal(was.Cost) {
		for i := range list {
			list[i].Cost = 0 // nobody knows what it would cost by the copy's
		}
	}
	return copied.change(ctx, func(ctx context.Context) error {
		_, err := copied.broker.Import(ctx, copied.broker.Allowed(list), false)
		return err
	})
}

// changed is the definition of a study with another name, and with changes, which are checked like a study file.
func (s *Server) changed(ctx context.Context, of *study.Study, to api.CopyRequest) (*study.Study, error) {
	raw, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	kept := map[string]json.RawMessage{} // which has every digit
	if err := json.Unmarshal(raw, &kept); err != nil {
		return nil, err
	}
	definition := map[string]any{}
	for field, value := range kept {
		definition[field] = value
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

type archiveInput struct {
	OfStudy
	Body *api.ArchiveRequest
}

func (s *Server) archive(ctx context.Context, in *archiveInput, o *openStudy, r *study.Record) (api.Study, error) {
	undo := cmp.Or(in.Body, &api.ArchiveRequest{}).Undo
	if r.Archived == undo { // and not so already
		if err := s.room(ctx, !undo); err != nil {
			return api.Study{}, err
		}
	}
	return o.change(ctx, func(ctx context.Context) error { return o.broker.Archive(ctx, !undo) })
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

type renameInput struct {
	OfStudy
	Body api.RenameRequest
}

func (s *Server) rename(ctx context.Context, in *renameInput, o *openStudy, _ *study.Record) (renamed api.Study, err error) {
	if err := study.CheckName(in.Body.Name); err != nil {
		return renamed, inBody("body.name", err)
	}
	if err := o.lastingly(ctx, func(ctx context.Context) error { return o.broker.Rename(ctx, in.Body.Name) }); err != nil {
		return renamed, err
	}
	s.drop(in.Study)
	return ofStudy(s, s.getStudy)(ctx, &OfStudy{Study: in.Body.Name})
}

func (s *Server) getStudy(ctx context.Context, _ *OfStudy, o *openStudy, r *study.Record) (api.Study, error) {
	return o.view(ctx, r), nil
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

type labelInput struct {
	OfStudy
	Body api.LabelRequest
}

// label changes what people have written on a study. Who may see it, and to whom it belongs, is not for its owner to say.
func (s *Server) label(ctx context.Context, in *labelInput, o *openStudy, _ *study.Record) (changed api.Study, err error) {
	b := in.Body
	switch {
	case b.Owner != nil && !may(ctx, Admin):
		return changed, api.NewProblem(fault.Forbidden, "", "only an admin may change the owner of a study")
	case b.Group != nil && (!may(ctx, Admin) || tokenIn(ctx).Group != ""):
		return changed, api.NewProblem(fault.Forbidden, "", "only an admin whose token has no group may change the group of a study")
	}
	return o.change(ctx, func(ctx context.Context) error { return inBody("body", o.broker.Label(ctx, b.Apply)) })
}

func (s *Server) paused(pause bool) func(context.Context, *OfStudy, *openStudy, *study.Record) (api.Study, error) {
	return func(ctx context.Context, _ *OfStudy, o *openStudy, _ *study.Record) (api.Study, error) {
		return o.change(ctx, func(ctx context.Context) error { return o.broker.Pause(ctx, pause) })
	}
}

type deleteInput struct {
	OfStudy
	Body api.DeleteRequest
}

func (s *Server) deleteStudy(ctx context.Context, in *deleteInput, o *openStudy, _ *study.Record) (api.Deleted, error) {
	if in.Body.Confirm != in.Study {
		return api.Deleted{}, api.Invalid("body.confirm", "this is not the study's name")
	}
	if err := o.lastingly(ctx, o.broker.Delete); err != nil {
		return api.Deleted{}, err
	}
	s.drop(in.Study)
	return api.Deleted{Deleted: in.Study}, nil
}
