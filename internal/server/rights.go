package server

import (
	"context"
	"net/http"
	"slices"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// A token with a group is for the studies of that group: to it, there are no others. A token without a group is for all studies. The
// owner of a study may do with it what an admin may. A trial belongs to the token that it was asked for with.

// sees reports whether the sender of the current request may know of a study of a group. What no request asked for, the server does
// itself, and it sees everything. A request that is not admitted yet sees nothing.
func sees(ctx context.Context, group string) bool {
	v, ok := ctx.Value(visitKey{}).(*visit)
	return seesAll(ctx) || ok && v.token.Group != "" && v.token.Group == group
}

// seesAll reports whether the sender of the current request may know of all studies.
func seesAll(ctx context.Context) bool {
	v, ok := ctx.Value(visitKey{}).(*visit)
	return !ok || v.token.Role != "" && v.token.Group == ""
}

// asServer is a context in which the server itself reads. It sees all studies, so what it finds must not be sent before it is sifted.
func asServer(ctx context.Context) context.Context {
	return context.WithValue(ctx, visitKey{}, nil)
}

// isOwner reports whether a request comes from the owner of a study.
func (s *Server) isOwner(r *http.Request, at api.Place) bool {
	t, refused := s.admit(r, Worker)
	if refused != nil || t.ID == "" {
		return false
	}
	noteToken(r.Context(), t) // which says what it sees
	_, record, err := s.openAt(r.Context(), at)
	return err == nil && record.Labels.Owner == t.ID
}

// mayReport refuses to let anybody report on a trial, or stop it, but the token that it belongs to, the owner of its study, and admins. A
// trial belongs to nobody if no token was needed to ask for it, or that token is revoked: a worker may get a new one while it runs.
func (s *Server) mayReport(ctx context.Context, r *study.Record, t study.Trial) error {
	me := tokenIn(ctx)
	if t.Token == "" || t.Token == me.ID || may(ctx, Admin) || me.ID != "" && me.ID == r.Labels.Owner {
		return nil
	}
	list, err := s.guard.known(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(other store.Token) bool { return other.ID == t.Token })
	if i < 0 {
		return nil
	}
	whose := "token " + t.Token
	if name := list[i].Name; name != "" {
		whose += " (" + name + ")"
	}
	return api.NewProblem(fault.Forbidden, "use that token, or have the study's owner or an admin do it", "trial %d belongs to %s, which asked for it", t.Number, whose)
}

// ownTrial returns the trial that a request is about, if its sender may report on it.
func (s *Server) ownTrial(ctx context.Context, o *openStudy, r *study.Record, of OfTrial) (study.Trial, error) {
	t, err := o.broker.Own(ctx, of.Number, of.TrialID)
	if err == nil {
		err = s.mayReport(ctx, r, t)
	}
	return t, err
}
