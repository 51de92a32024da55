package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// Token is a right to use the service. The secret itself is kept nowhere: whoever reads the store cannot become
// whoever it was given to.
type Token struct {
	ID      string    `json:"id"`   // by which it is named and revoked; no secret
	Name    string    `json:"name"` // whose it is, in their own words; may be empty
	Role    string    `json:"role"` // reader, worker or admin
	Hash    string    `json:"-"`    // SHA-256 of the secret, 64 lower-case hexadecimal digits
	Created time.Time `json:"created"`
}

// Tokens keeps the rights to use the service. It is a part of stores that can be served; its methods may be called from
// many goroutines at once.
type Tokens interface {
	// AddToken keeps one more. ErrTokenExists if there is one of that ID or hash.
	AddToken(ctx context.Context, t Token) error

	// Tokens returns those that were not revoked, in the order of their making. Created comes back in UTC, to the
	// nanosecond.
	Tokens(ctx context.Context) ([]Token, error)

	// RevokeToken forgets one, at once and for good. ErrNoToken if there is none of that ID.
	RevokeToken(ctx context.Context, id string) error
}

var (
	ErrNoToken     = errors.New("there is no such token")
	ErrTokenExists = errors.New("there is such a token already")
)

// NoToken returns ErrNoToken in the words of every store.
func NoToken(id string) error {
	return fmt.Errorf("store: token %q: %w; the list of tokens has those it knows", id, ErrNoToken)
}

// TokenExists returns ErrTokenExists in the words of every store.
func TokenExists(id string) error {
	return fmt.Errorf("store: token %q: %w", id, ErrTokenExists)
}

// Check says what is wrong with a token. Stores call it before they keep one.
func (t Token) Check() error {
	raw, err := hex.DecodeString(t.Hash)
	switch {
	case t.ID == "" || !plain(t.ID):
		return fmt.Errorf("store: %q cannot name a token", t.ID)
	case t.Role != "reader" && t.Role != "worker" && t.Role != "admin":
		return fmt.Errorf("store: token %q: there is no role %q; give reader, worker or admin", t.ID, t.Role)
	case err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != t.Hash:
		return fmt.Errorf("store: token %q: its hash is none", t.ID)
	case !plain(t.Name):
		return fmt.Errorf("store: token %q: its name %q is not text", t.ID, t.Name)
	}
	return nil
}

// plain says whether a text can be kept and printed: UTF-8 without control characters.
func plain(text string) bool {
	for _, r := range text {
		if r < ' ' || r == 0x7f {
			return false
		}
	}
	return utf8.ValidString(text)
}
