package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eke-bo/eke/internal/fault"
)

// Token is a right to use the service. The secret itself is kept nowhere, so that nobody who reads the store can use it.
type Token struct {
	ID      string    `json:"id"`      // ID identifies the token, for example to revoke it. It is not secret.
	Name    string    `json:"name"`    // Name says whose it is. It may be empty.
	Role    string    `json:"role"`    // Role is reader, worker or admin.
	Hash    string    `json:"-"`       // Hash is the SHA-256 of the secret, 64 lower-case hexadecimal digits.
	Created time.Time `json:"created"` // Created is when the token was made.

	Group string `json:"group,omitempty"` // Group is whose studies the token is for; empty means everybody's.
}

// Tokens keeps the tokens of the service. Stores that can be served implement it. Many goroutines may call its methods at once.
type Tokens interface {
	// AddToken adds a token. It returns ErrTokenExists if there is already one of that ID or hash.
	AddToken(ctx context.Context, t Token) error

	// Tokens returns the tokens that were not revoked, in the order in which they were added. Created is in UTC, exact to the
	// nanosecond.
	Tokens(ctx context.Context) ([]Token, error)

	// Guarded says whether there has ever been a token. Revoking the last one does not open a store to everybody.
	Guarded(ctx context.Context) (bool, error)

	// RevokeToken removes a token, at once and for good. It returns ErrNoToken if there is none of that ID.
	RevokeToken(ctx context.Context, id string) error
}

// What can go wrong with tokens.
var (
	ErrNoToken     error = fault.New(fault.NotFound, "", "there is no such token")
	ErrTokenExists error = fault.New(fault.Exists, "", "there is already such a token")
)

// NoToken returns ErrNoToken for that token. Every store uses it.
func NoToken(id string) error { return fault.Errorf("", "token %q: %w", id, ErrNoToken) }

// TokenExists returns ErrTokenExists for that token. Every store uses it.
func TokenExists(id string) error { return fault.Errorf("", "token %q: %w", id, ErrTokenExists) }

// Check returns an error if a token cannot be kept. Stores call it first.
func (t Token) Check() error {
	raw, err := hex.DecodeString(t.Hash)
	switch {
	case t.ID == "" || !plain(t.ID):
		return fault.New(fault.BadRequest, "", "%q cannot be the ID of a token", t.ID)
	case t.Role != "reader" && t.Role != "worker" && t.Role != "admin":
		return fault.New(fault.BadRequest, "give reader, worker or admin", "token %q: there is no role %q", t.ID, t.Role)
	case err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != t.Hash:
		return fault.New(fault.BadRequest, "", "token %q: its hash is not a SHA-256", t.ID)
	case !plain(t.Group) || len(t.Group) > 100:
		return fault.New(fault.BadRequest, "give a name of one line", "token %q: its group %.200q is not a name", t.ID, t.Group)
	case !plain(t.Name):
		return fault.New(fault.BadRequest, "", "token %q: its name %q is not text", t.ID, t.Name)
	}
	return nil
}

// plain says whether a text can be kept and printed: UTF-8 without control characters.
func plain(text string) bool {
	isControl := func(r rune) bool { return r < ' ' || r == 0x7f }
	return utf8.ValidString(text) && !strings.ContainsFunc(text, isControl)
}
