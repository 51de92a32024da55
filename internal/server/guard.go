package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// guard knows who may do what.
type guard struct {
	tokens store.Tokens // nil: the store keeps none
	open   bool         // as long as there are no tokens, everybody may do everything: only this machine is served

	mu      sync.Mutex
	list    []store.Token
	guarded bool // there has been a token
	err     error
	read    time.Time
}

// roleKey is where an operation says which role it needs, and ownerKey where it says that the owner of its study may call it as well.
const roleKey, ownerKey = "role", "owner"

// guardOperations lets only those call an operation who have its role.
func (s *Server) guardOperations(h huma.API) {
	h.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) {
		need, _ := ctx.Operation().Metadata[roleKey].(Role)
		r, w := humago.Unwrap(ctx)
		if _, ownable := ctx.Operation().Metadata[ownerKey]; ownable && s.isOwner(r, api.Place{Study: ctx.Param("study"), StudyID: ctx.Header(api.StudyHeader)}) {
			need = Worker
		}
		if !s.admitted(w, r, need) {
			return
		}
		if op := ctx.Operation(); op.RequestBody != nil { // of those who may send one
			release, refused := s.lanes.of(r).fetch(r, senderIn(r.Context()), op.MaxBodyBytes)
			if refused != nil {
				turnAway(w, r, refused)
				return
			}
			defer release()
		} else {
			doNotWait(w, r)
		}
		next(ctx)
	})
}

// guarded is a handler outside huma that only those may call who have the role.
func (s *Server) guarded(need Role, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.admitted(w, r, need) {
			h.ServeHTTP(w, r)
		}
	})
}

func (s *Server) admitted(w http.ResponseWriter, r *http.Request, need Role) bool {
	t, refused := s.admit(r, need)
	noteToken(r.Context(), t)
	if refused != nil {
		turnAway(w, r, refused)
	}
	return refused == nil
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

// admit checks that a request has a role, and returns its token. While the server is open to everybody, that is an admin's.
func (s *Server) admit(r *http.Request, need Role) (t store.Token, refused *api.Problem) {
	if need == Anyone {
		return t, nil
	}
	list, err := s.guard.known(r.Context())
	if err != nil {
		return t, s.explain(err)
	}
	if s.guard.isOpen(list) {
		return store.Token{Role: string(Admin)}, nil
	}
	if r.Header.Get("Authorization") == "" {
		return t, api.NewProblem(fault.Unauthenticated, "send Authorization: Bearer eke_…; eke token new makes a token", "this server needs a token").
			WithHeader("WWW-Authenticate", `Bearer realm="eke"`)
	}
	t, known := tokenOf(r, list)
	if !known {
		return t, api.NewProblem(fault.Unauthenticated, "make a new one: eke token new", "this token is unknown or revoked").
			WithHeader("WWW-Authenticate", `Bearer realm="eke", error="invalid_token"`)
	}
	if !Role(t.Role).may(need) {
		return t, api.NewProblem(fault.Forbidden, "", "this needs the role %s; the token has the role %s", need, t.Role)
	}
	return t, nil
}

// ownTrial returns the trial that a request is about, if its sender may report on it.
func (s *Server) ownTrial(ctx context.Context, o *openStudy, r *study.Record, of OfTrial) (study.Trial, error) {
	t, err := o.broker.Own(ctx, of.Number, of.TrialID, of.ID != "")
	if err == nil {
		err = s.mayReport(ctx, r, t)
	}
	return t, err
}

// meantTrial is ownTrial for what people do, who may know a trial by its number alone, whatever the study's name has meant before.
func meantTrial(ctx context.Context, o *openStudy, r *study.Record, of OfTrial) (study.Trial, error) {
	if of.TrialID == "" {
		return r.Trial(of.Number)
	}
	return o.broker.Own(ctx, of.Number, of.TrialID, of.ID != "")
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

// tokensAge is how long tokens are remembered, and so how long a revoked one may still be accepted. That there has never been one is not remembered:
// the first closes an open server at once.
const tokensAge = time.Second

// known returns the tokens. While one request reads them, others wait, and share what is read after they came. An error they share in any case: a database
// that is away takes long to say so, and they should not wait one after the other.
func (g *guard) known(ctx context.Context) ([]store.Token, error) {
	if g.tokens == nil {
		return nil, nil
	}
	came := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	isLasting := g.guarded || !g.open || g.err != nil
	if !g.read.IsZero() && (isLasting && time.Since(g.read) < tokensAge || g.read.After(came)) {
		return g.list, g.err
	}
	began := time.Now()
	var list []store.Token
	var err error
	if !g.guarded {
		g.guarded, err = g.tokens.Guarded(ctx)
	}
	if g.guarded && err == nil {
		list, err = g.tokens.Tokens(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, err // this request was cancelled, which does not concern the others
		}
		began = time.Now()
	}
	g.list, g.err, g.read = list, err, began
	return list, err
}

// isOpen reports whether everybody may do everything. Whoever revokes the last token wants to keep others out.
func (g *guard) isOpen(list []store.Token) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(list) == 0 && g.open && !g.guarded
}

// tokenOf returns the token of a request, if it has one that is in the list.
func tokenOf(r *http.Request, list []store.Token) (t store.Token, ok bool) {
	scheme, secret, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return t, false
	}
	return match(list, strings.TrimSpace(secret))
}

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
