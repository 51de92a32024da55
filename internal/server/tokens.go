package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"time"

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

// forget has the tokens read again.
func (g *guard) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.read = g.read.AddDate(-1, 0, 0)
}

// Role says what a token allows. Each role may do everything that the roles before it may.
type Role string

const (
	Anyone Role = ""
	Reader Role = "reader" // reads
	Worker Role = "worker" // asks for trials and tells their results
	Admin  Role = "admin"  // creates studies, ends them, and adds money
)

// Roles lists the roles, the weakest first.
func Roles() []Role { return []Role{Reader, Worker, Admin} }

// may reports whether a role includes another.
func (r Role) may(need Role) bool { return rank(r) >= rank(need) }

// rank of anyone, who has no role, is below all others.
func rank(r Role) int { return slices.Index(Roles(), r) }

// tokenPrefix tells people, and scanners for leaked secrets, what this is.
const tokenPrefix = "eke_"

// NewToken makes a token. The secret is for its owner and is kept nowhere. The rest goes into the store.
func NewToken(role Role, name string) (secret string, t store.Token) {
	raw := make([]byte, 32+4)
	rand.Read(raw) // never fails
	secret = tokenPrefix + base64.RawURLEncoding.EncodeToString(raw[:32])
	return secret, store.Token{
		ID: hex.EncodeToString(raw[32:]), Name: name, Role: string(role), Hash: hashOf(secret), Created: time.Now().UTC(),
	}
}

// A secret of 256 random bits needs no slow hash: nobody can try them all.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// match finds the token with a secret. It takes the same time wherever the hashes differ.
func match(list []store.Token, secret string) (found store.Token, ok bool) {
	hash := []byte(hashOf(secret))
	for _, t := range list {
		if subtle.ConstantTimeCompare(hash, []byte(t.Hash)) == 1 {
			found, ok = t, true
		}
	}
	return found, ok
}
