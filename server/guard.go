package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/eke-bo/eke/store"
)

// guard knows who may do what.
type guard struct {
	tokens store.Tokens // nil: the store keeps none
	open   bool         // while there are no tokens everybody may do everything: only this machine is served

	mu   sync.Mutex
	list []store.Token
	read time.Time
}

// tokensAge is how long tokens are remembered: so much later a revoked one is refused at the latest.
const tokensAge = time.Second

func (g *guard) known(ctx context.Context) ([]store.Token, error) {
	if g.tokens == nil {
		return nil, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.read.IsZero() && time.Since(g.read) < tokensAge {
		return g.list, nil
	}
	list, err := g.tokens.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	g.list, g.read = list, time.Now()
	return list, nil
}

// admit says whether a request may do what needs that role, and by which token.
func (s *Server) admit(r *http.Request, need Role) (id string, err error) {
	if need == Anyone {
		return "", nil
	}
	list, err := s.guard.known(r.Context())
	if err != nil {
		return "", s.explain(err)
	}
	if len(list) == 0 && s.guard.open {
		return "", nil
	}
	header := r.Header.Get("Authorization")
	if header == "" {
		return "", problem(http.StatusUnauthorized, Unauthenticated, "a token is needed: Authorization: Bearer eke_…; "+
			"eke token new makes one").with("WWW-Authenticate", `Bearer realm="eke"`)
	}
	secret, ok := bearer(header)
	t, known := match(list, secret)
	if !ok || !known {
		return "", problem(http.StatusUnauthorized, Unauthenticated, "this token is not known here, or was revoked").
			with("WWW-Authenticate", `Bearer realm="eke", error="invalid_token"`)
	}
	if !Role(t.Role).may(need) {
		return t.ID, problem(http.StatusForbidden, Forbidden, "this needs the role %s, and the token has the role %s", need, t.Role)
	}
	return t.ID, nil
}

// roleKey is where an operation says which role it needs.
const roleKey = "role"

// guardOperations lets huma's operations be called by whom they are for.
func (s *Server) guardOperations(api huma.API) {
	api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) {
		need, _ := ctx.Operation().Metadata[roleKey].(Role)
		r, w := humago.Unwrap(ctx)
		if s.admitted(w, r, need) {
			next(ctx)
		}
	})
}

// guarded is a handler outside huma for those who have the role.
func (s *Server) guarded(need Role, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.admitted(w, r, need) {
			h.ServeHTTP(w, r)
		}
	})
}

func (s *Server) admitted(w http.ResponseWriter, r *http.Request, need Role) bool {
	id, err := s.admit(r, need)
	noteToken(r.Context(), id)
	if p, refused := err.(*Problem); refused {
		p.write(w)
		return false
	}
	return true
}
