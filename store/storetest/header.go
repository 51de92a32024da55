package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
)

func create(t *testing.T, ctx context.Context, s store.Store) {
	if list, err := s.List(ctx); err != nil || len(list) != 0 {
		t.Fatalf("a new store lists %v, %v", list, err)
	}
	want := []store.Header{
		// The definition is kept byte for byte, with its spaces and what JSON would escape.
		{Name: "z", Definition: json.RawMessage("{ \"a\": 1.0,\n\t\"b\": \"<&>\u2028ü\" }"), Created: noon, Total: 200, Measured: true},
		{Name: "a", Definition: json.RawMessage(`null`), Created: noon.In(time.FixedZone("", 3600)).Add(-time.Hour), Total: 0.1 + 0.2},
		{Name: "m", Definition: json.RawMessage(`{}`)},
	}
	for _, h := range want {
		created(t, ctx, s, h)
	}
	wantErr(t, "create again", s.Create(ctx, Header("a", 7)), store.ErrExists)

	list, err := s.List(ctx)
	if err != nil || len(list) != len(want) {
		t.Fatalf("list: %v, %v", list, err)
	}
	for i, w := range want {
		sameHeader(t, list[i], w)
		got, events, err := s.Read(ctx, w.Name, 0)
		if err != nil || len(events) != 0 {
			t.Errorf("read %q: %v, %v", w.Name, events, err)
		}
		sameHeader(t, got, w)
	}
}

func sameHeader(t *testing.T, got, want store.Header) {
	t.Helper()
	if got.Name != want.Name || !bytes.Equal(got.Definition, want.Definition) || !got.Created.Equal(want.Created) ||
		got.Total != want.Total || got.Measured != want.Measured {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func refusedHeaders(t *testing.T, ctx context.Context, s store.Store) {
	for what, change := range map[string]func(*store.Header){
		"no name":          func(h *store.Header) { h.Name = "" },
		"name not in utf8": func(h *store.Header) { h.Name = "a\xff" },
		"name with a zero": func(h *store.Header) { h.Name = "a\x00b" },
		"no definition":    func(h *store.Header) { h.Definition = nil },
		"not json":         func(h *store.Header) { h.Definition = json.RawMessage("name: x") },
		"total is nan":     func(h *store.Header) { h.Total = math.NaN() },
		"total is endless": func(h *store.Header) { h.Total = math.Inf(1) },
		"negative total":   func(h *store.Header) { h.Total = -1 },
	} {
		h := Header("x", 1)
		change(&h)
		if s.Create(ctx, h) == nil {
			t.Errorf("%s: it was taken", what)
		}
	}
	if list, err := s.List(ctx); err != nil || len(list) != 0 {
		t.Errorf("list: %v, %v", list, err)
	}
}

func names(t *testing.T, ctx context.Context, s store.Store) {
	all := []string{"a", "A", " a", "a ", "é", "e\u0301", "研究", "🧪", "'; DROP TABLE events; --", "a%", "a_", "../a", "a\nb", `"`, "1", "01"}
	for _, name := range all {
		created(t, ctx, s, Header(name, 10))
		appended(t, ctx, s, name, 0, Added("of "+name))
	}
	for _, name := range all {
		h, _, err := s.Read(ctx, name, 0)
		if err != nil || h.Name != name {
			t.Errorf("read %q: %q, %v", name, h.Name, err)
		}
		if got := notes(t, ctx, s, name); len(got) != 1 || got[0] != "of "+name {
			t.Errorf("log of %q: %q", name, got)
		}
	}
}

func notFound(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("here", 1))
	everyCall(t, ctx, s, "there", store.ErrNotFound)
}

func closed(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	everyCall(t, ctx, s, "x", store.ErrClosed)
	_, err := s.List(ctx)
	wantErr(t, "list", err, store.ErrClosed)
	wantErr(t, "create", s.Create(ctx, Header("y", 1)), store.ErrClosed)
	if err := s.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}
