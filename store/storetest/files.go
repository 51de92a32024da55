package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
)

func files(t *testing.T, ctx context.Context, s store.Store) {
	kept := filesOf(t, s)
	created(t, ctx, s, Header("a", 100))
	created(t, ctx, s, Header("b", 100))
	limits := store.FileLimits{Keep: 20, Most: 50}
	out := store.File{Trial: 1, Name: "stdout"}
	add := func(study string, f store.File, offset int64, data string, want int64) {
		t.Helper()
		if size, err := kept.AppendFile(ctx, study, f, offset, []byte(data), limits); err != nil || size != want {
			t.Errorf("%s of %s is %d bytes large, want %d: %v", f.Name, study, size, want, err)
		}
	}
	add("a", out, 0, "one ", 4)
	add("a", out, 0, "one ", 4) // again
	add("a", out, 2, "e two ", 8)
	add("a", out, 9, "a gap", 8)
	add("a", store.File{Trial: 2, Name: "stdout"}, 0, "other", 5)
	add("b", out, 0, "\x00\xff", 2)
	if got := text(t, ctx, kept, "a", "stdout"); got != "one two " {
		t.Errorf("%q", got)
	}
	if got := text(t, ctx, kept, "b", "stdout"); got != "\x00\xff" {
		t.Errorf("%q", got)
	}
	skipping := store.File{Trial: 1, Name: "skipped"}
	add("b", skipping, 0, "begin", 5)
	if size, err := kept.AppendFile(ctx, "b", skipping, 10, []byte("end"), store.FileLimits{Keep: 20, Most: 50, Skip: true}); err != nil || size != 13 {
		t.Errorf("%d, %v", size, err)
	}
	if got := text(t, ctx, kept, "b", "skipped"); got != "begin|5|end" {
		t.Errorf("%q", got)
	}
	for i := range 10 {
		add("a", out, int64(8+4*i), fmt.Sprintf("%03d ", i), int64(12+4*i))
	}
	if got := text(t, ctx, kept, "a", "stdout"); got != "one two |28|007 008 009 " {
		t.Errorf("of a long file %q is kept", got)
	}
	list, err := kept.Files(ctx, "a", 1)
	if err != nil || len(list) != 1 || list[0] != (store.File{Trial: 1, Name: "stdout", Size: 48, Kept: 20}) {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = kept.AppendFile(ctx, "a", store.File{Trial: 1, Name: "plot.png"}, 0, make([]byte, 30), limits)
	wantErr(t, "too much", err, store.ErrFilesFull)
	_, err = kept.AppendFile(ctx, "none", out, 0, []byte("x"), limits)
	wantErr(t, "no study", err, store.ErrNotFound)
	_, _, err = kept.ReadFile(ctx, "a", 1, "none", 0, 100)
	wantErr(t, "no file", err, store.ErrNoFile)
	for _, name := range []string{"", "../x", "a/b", `a\b`, ".hidden", "a\x00", "a\xff"} {
		if _, err := kept.AppendFile(ctx, "a", store.File{Trial: 1, Name: name}, 0, []byte("x"), limits); err == nil {
			t.Errorf("%q was taken for a name", name)
		}
	}

	must(t, s.Rename(ctx, "b", "c"))
	if got := text(t, ctx, kept, "c", "stdout"); got != "\x00\xff" {
		t.Errorf("after the study was renamed: %q", got)
	}
	must(t, s.Delete(ctx, "a"))
	created(t, ctx, s, Header("a", 100))
	if list, err := kept.Files(ctx, "a", 1); err != nil || len(list) != 0 {
		t.Errorf("a new study has files of a deleted one: %+v, %v", list, err)
	}
}

func heads(t *testing.T, ctx context.Context, s store.Store) {
	if list, err := s.Heads(ctx); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	created(t, ctx, s, Header("b", 100))
	created(t, ctx, s, Header("a", 100))
	appended(t, ctx, s, "a", 0, Added("one"), Added("two"))
	list, err := s.Heads(ctx)
	if err != nil || len(list) != 2 || list[0].Name != "b" || list[0].Version != 0 || list[1].Name != "a" || list[1].Version != 2 || !list[1].Created.Equal(Header("a", 100).Created) {
		t.Errorf("%+v, %v", list, err)
	}
	for range 2 {
		must(t, s.Ready(ctx))
	}
}

// filesOf is the part of a store that keeps files. Every store that can be served has it.
func filesOf(t *testing.T, s store.Store) store.Files {
	t.Helper()
	kept, ok := s.(store.Files)
	if !ok {
		t.Fatalf("%T keeps no files", s)
	}
	return kept
}

// text is what is kept of a file, with a line for each gap.
func text(t *testing.T, ctx context.Context, kept store.Files, study, name string) string {
	t.Helper()
	f, parts, err := kept.ReadFile(ctx, study, 1, name, 0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	end := int64(0)
	for i, p := range parts {
		if i > 0 && p.Offset != end {
			fmt.Fprintf(&b, "|%d|", p.Offset-end)
		}
		b.Write(p.Data)
		end = p.Offset + int64(len(p.Data))
	}
	if end != f.Size {
		t.Errorf("the last part of %s ends at %d of %d", name, end, f.Size)
	}
	return b.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// guarded: a store that has had a token stays guarded.
func guarded(t *testing.T, ctx context.Context, s store.Store) {
	kept := tokensOf(t, s)
	is := func(want bool) {
		t.Helper()
		if got, err := kept.Guarded(ctx); err != nil || got != want {
			t.Errorf("guarded: %v, %v, want %v", got, err, want)
		}
	}
	is(false)
	token := Token("x")
	token.Group = "physics"
	must(t, kept.AddToken(ctx, token))
	is(true)
	if list, err := kept.Tokens(ctx); err != nil || len(list) != 1 || list[0].Group != "physics" {
		t.Errorf("%+v, %v", list, err)
	}
	must(t, kept.RevokeToken(ctx, "x"))
	is(true)
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
