package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
)

func (s *Server) tokenOperations(h huma.API) {
	reply(s, h, operation(http.MethodGet, "/me", "get-me", "Get what the token of this request allows", Reader), s.getMe)
	reply(s, h, operation(http.MethodGet, "/tokens", "list-tokens", "List the tokens", Admin), s.listTokens)
	create := operation(http.MethodPost, "/tokens", "create-token", "Make a token", Admin)
	create.DefaultStatus = http.StatusCreated
	reply(s, h, create, s.createToken)
	reply(s, h, operation(http.MethodPost, "/tokens/{id}/revoke", "revoke-token", "Revoke a token, at once and for good", Admin), s.revokeToken)
}

func (s *Server) getMe(ctx context.Context, _ *struct{}) (api.Me, error) {
	t := tokenIn(ctx)
	return api.Me{Role: t.Role, ID: t.ID, Name: t.Name, Group: t.Group, Open: t.ID == ""}, nil
}

// keeper returns who keeps the tokens, if the sender of the request may manage them: not one whose token is for a single group.
func (s *Server) keeper(ctx context.Context) (store.Tokens, error) {
	switch {
	case s.guard.tokens == nil:
		return nil, fault.New(fault.Conflict, "", "this store cannot keep tokens")
	case tokenIn(ctx).Group != "":
		return nil, api.NewProblem(fault.Forbidden, "", "only an admin whose token has no group may manage tokens")
	}
	return s.guard.tokens, nil
}

func publicToken(t store.Token) api.Token {
	return api.Token{ID: t.ID, Name: t.Name, Role: t.Role, Group: t.Group, Created: t.Created}
}

func (s *Server) listTokens(ctx context.Context, _ *struct{}) (list api.Tokens, err error) {
	kept, err := s.keeper(ctx)
	if err != nil {
		return list, err
	}
	tokens, err := kept.Tokens(ctx)
	list.Tokens = []api.Token{}
	for _, t := range tokens {
		list.Tokens = append(list.Tokens, publicToken(t))
	}
	return list, err
}

func (s *Server) createToken(ctx context.Context, in *struct{ Body api.TokenRequest }) (made api.NewToken, err error) {
	kept, err := s.keeper(ctx)
	if err != nil {
		return made, err
	}
	if tokenIn(ctx).ID == "" && Role(in.Body.Role) != Admin {
		return made, api.Invalid("body.role", "the first token has to be an admin's: without one, nobody could make another here")
	}
	secret, t := NewToken(Role(in.Body.Role), in.Body.Name)
	t.Group = in.Body.Group
	ctx, cancel := lasting(ctx)
	defer cancel()
	if err := kept.AddToken(ctx, t); err != nil {
		return made, inBody("body.name", err)
	}
	s.guard.forget()
	return api.NewToken{Token: publicToken(t), Secret: secret}, nil
}

type revokeInput struct {
	ID string `path:"id" maxLength:"100" doc:"The token's ID."`
}

func (s *Server) revokeToken(ctx context.Context, in *revokeInput) (gone api.Revoked, err error) {
	kept, err := s.keeper(ctx)
	if err != nil {
		return gone, err
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	if err := kept.RevokeToken(ctx, in.ID); err != nil {
		return gone, err
	}
	s.guard.forget()
	return api.Revoked{Revoked: in.ID}, nil
}

// forget has the tokens read again.
func (g *guard) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.read = g.read.AddDate(-1, 0, 0)
}
