package server

import (
	"context"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

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
