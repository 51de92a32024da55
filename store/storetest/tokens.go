package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
)

// Token returns a token of that ID.
func Token(id string) store.Token {
	sum := sha256.Sum256([]byte("the secret of " + id))
	return store.Token{ID: id, Name: "of " + id, Role: "worker", Hash: hex.EncodeToString(sum[:]), Created: noon}
}

// tokensOf is the part of a store that keeps tokens. Every store that can be served has it.
func tokensOf(t *testing.T, s store.Store) store.Tokens {
	t.Helper()
	kept, ok := s.(store.Tokens)
	if !ok {
		t.Fatalf("%T keeps no tokens", s)
	}
	return kept
}

func tokens(t *testing.T, ctx context.Context, s store.Store) {
	kept := tokensOf(t, s)
	if list, err := kept.Tokens(ctx); err != nil || len(list) != 0 {
		t.Fatalf("a new store has tokens %v, %v", list, err)
	}
	b, a, c := Token("b"), Token("a"), Token("c")
	a.Created, a.Name, a.Role = noon.Add(time.Second).In(time.FixedZone("", 3600)), "", "admin"
	c.Created, c.Name, c.Role = noon.Add(time.Minute), "ü '; DROP TABLE tokens; --", "reader"
	for _, token := range []store.Token{b, a, c} {
		if err := kept.AddToken(ctx, token); err != nil {
			t.Fatal(err)
		}
	}
	list, err := kept.Tokens(ctx)
	if err != nil || len(list) != 3 {
		t.Fatalf("tokens: %v, %v", list, err)
	}
	for i, want := range []store.Token{b, a, c} {
		got := list[i]
		if !got.Created.Equal(want.Created) || got.Created.Location() != time.UTC {
			t.Errorf("token %q was made at %v, want %v", want.ID, got.Created, want.Created)
		}
		if got.Created = want.Created; got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	sameHash := Token("d")
	sameHash.Hash = a.Hash
	wantErr(t, "the same ID", kept.AddToken(ctx, Token("a")), store.ErrTokenExists)
	wantErr(t, "the same hash", kept.AddToken(ctx, sameHash), store.ErrTokenExists)

	if err := kept.RevokeToken(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "revoke again", kept.RevokeToken(ctx, "a"), store.ErrNoToken)
	wantErr(t, "revoke nothing", kept.RevokeToken(ctx, ""), store.ErrNoToken)
	if list, err := kept.Tokens(ctx); err != nil || len(list) != 2 || list[0].ID != "b" || list[1].ID != "c" {
		t.Errorf("tokens: %v, %v", list, err)
	}
	if studies, err := s.List(ctx); err != nil || len(studies) != 0 {
		t.Errorf("tokens got among the studies: %v, %v", studies, err)
	}
}

func refusedTokens(t *testing.T, ctx context.Context, s store.Store) {
	kept := tokensOf(t, s)
	for what, change := range map[string]func(*store.Token){
		"no ID":             func(t *store.Token) { t.ID = "" },
		"ID with a line":    func(t *store.Token) { t.ID = "a\nb" },
		"no role":           func(t *store.Token) { t.Role = "" },
		"another role":      func(t *store.Token) { t.Role = "root" },
		"no hash":           func(t *store.Token) { t.Hash = "" },
		"a short hash":      func(t *store.Token) { t.Hash = t.Hash[:62] },
		"hash in capitals":  func(t *store.Token) { t.Hash = strings.ToUpper(t.Hash) },
		"the secret itself": func(t *store.Token) { t.Hash = "eke_secret" },
		"name not in utf8":  func(t *store.Token) { t.Name = "a\xff" },
		"name with a zero":  func(t *store.Token) { t.Name = "a\x00" },
	} {
		token := Token("x")
		if change(&token); kept.AddToken(ctx, token) == nil {
			t.Errorf("%s: it was taken", what)
		}
	}
	if list, err := kept.Tokens(ctx); err != nil || len(list) != 0 {
		t.Errorf("tokens: %v, %v", list, err)
	}
}

// tokensAtOnce lets many add the same token: one of them does.
func tokensAtOnce(t *testing.T, ctx context.Context, s store.Store) {
	kept := tokensOf(t, s)
	var wg sync.WaitGroup
	var added atomic.Int32
	for range 8 {
		wg.Go(func() {
			switch err := kept.AddToken(ctx, Token("x")); {
			case err == nil:
				added.Add(1)
			case !errors.Is(err, store.ErrTokenExists):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if list, err := kept.Tokens(ctx); err != nil || len(list) != 1 || added.Load() != 1 {
		t.Errorf("tokens: %v, %v; added %d times", list, err, added.Load())
	}
}
