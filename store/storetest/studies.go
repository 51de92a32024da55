package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
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

// identities are given once and for all. A name is not an identity: whose it was is remembered.
func identities(t *testing.T, ctx context.Context, s store.Store) {
	idOf := func(name string) string {
		t.Helper()
		h, _, err := s.Read(ctx, name, 0)
		if err != nil || h.ID == "" {
			t.Fatalf("%s: %+v, %v", name, h, err)
		}
		return h.ID
	}
	former := func(name string, want ...string) {
		t.Helper()
		if got, err := s.Former(ctx, name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s was retired for %v, want %v; %v", name, got, want, err)
		}
	}
	own := Header("own", 1)
	own.ID = "an identity of its own"
	for _, h := range []store.Header{Header("x", 1), Header("y", 1), own} {
		created(t, ctx, s, h)
	}
	x, y := idOf("x"), idOf("y")
	if x == y || idOf("own") != own.ID {
		t.Errorf("identities: %s, %s, %s", x, y, idOf("own"))
	}
	if heads, err := s.Heads(ctx); err != nil || heads[0].ID != x || heads[1].ID != y {
		t.Errorf("heads: %+v, %v", heads, err)
	}
	former("x")
	if err := s.Rename(ctx, "x", "z"); err != nil {
		t.Fatal(err)
	}
	if idOf("z") != x {
		t.Errorf("renamed, it is %s and was %s", idOf("z"), x)
	}
	former("x", x)
	former("z")
	created(t, ctx, s, Header("x", 1))
	second := idOf("x")
	if second == x {
		t.Error("another study of the name has the same identity")
	}
	if err := s.Delete(ctx, "x"); err != nil {
		t.Fatal(err)
	}
	former("x", x, second)
	for range 2 {
		if err := s.Retire(ctx, "y"); err != nil {
			t.Fatal(err)
		}
	}
	former("y", y)
	wantErr(t, "retire what is not there", s.Retire(ctx, "x"), store.ErrNotFound)
}

// chained are the events that Follower appends: each names the one before, and the first the study. So none can be appended to another log.
func chained(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 100))
	appended(t, ctx, s, "x", 0, Added("of an earlier version"))
	f := store.Follow(s, "x")
	for range 2 {
		if _, err := f.Update(ctx, deciding(Added("a"), Added("b"))); err != nil {
			t.Fatal(err)
		}
	}
	r, err := f.Update(ctx, deciding(Asked(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	_, events, err := s.Read(ctx, "x", 0)
	if err != nil || len(events) != 6 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for i, e := range events[1:] {
		if e.Before == "" || e.Before != events[i].Digest {
			t.Errorf("event %d follows %q, which is not %q", e.Seq, e.Before, events[i].Digest)
		}
	}
	if r.Trials[0].ID == "" || r.Trials[0].ID != events[5].Digest || r.Digest != events[5].Digest {
		t.Errorf("trial %q, record %q, event %q", r.Trials[0].ID, r.Digest, events[5].Digest)
	}
	foreign := Added("of another log")
	foreign.Before = events[0].Digest
	wantErr(t, "an event that does not follow the last", s.Append(ctx, "x", 6, Numbered(6, foreign)...), store.ErrConflict)
	created(t, ctx, s, Header("y", 100))
	foreign.Before = "another study"
	wantErr(t, "an event of another study", s.Append(ctx, "y", 0, Numbered(0, foreign)...), store.ErrConflict)
	if _, err := store.Follow(s, "y").Update(ctx, deciding(Added("first"))); err != nil {
		t.Error(err)
	}
}

// followed goes on with a study that gets another name, and not with another study of its name.
func followed(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 10))
	f := store.Follow(s, "x")
	if _, err := f.Update(ctx, deciding(Added("a"))); err != nil {
		t.Fatal(err)
	}
	// It is renamed between the decision and the append, and another gets its name.
	decided := 0
	r, err := f.Update(ctx, func(*study.Record, store.Header) ([]study.Event, error) {
		if decided++; decided == 1 {
			if err := s.Rename(ctx, "x", "y"); err != nil {
				t.Error(err)
			}
			created(t, ctx, s, Header("x", 5))
			appended(t, ctx, s, "x", 0, Added("of the other"))
		}
		return []study.Event{Added("b")}, nil
	})
	if err != nil || r.Version != 2 || decided != 2 {
		t.Fatalf("%+v, %v, decided %d times", r, err, decided)
	}
	if got := notes(t, ctx, s, "y"); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("the study has %v", got)
	}
	if got := notes(t, ctx, s, "x"); !slices.Equal(got, []string{"of the other"}) {
		t.Errorf("the other has %v", got)
	}
	if _, h, err := f.Record(ctx); err != nil || h.Name != "y" {
		t.Errorf("it is called %q, %v", h.Name, err)
	}
	if err := s.Delete(ctx, "y"); err != nil {
		t.Fatal(err)
	}
	created(t, ctx, s, Header("y", 5))
	appended(t, ctx, s, "y", 0, Added("1"), Added("2"), Added("3"))
	_, _, err = f.Record(ctx)
	wantErr(t, "follow a study that was deleted", err, store.ErrNotFound)
	_, err = f.Update(ctx, deciding(Added("c")))
	wantErr(t, "update a study that was deleted", err, store.ErrNotFound)
}

// deletes removes a study with all of its events, and nothing else. Another study may then have the name, and begins anew.
func deletes(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 1))
	created(t, ctx, s, Header("y", 2))
	appended(t, ctx, s, "x", 0, Added("a"), Added("b"))
	appended(t, ctx, s, "y", 0, Added("c"))
	if err := s.Touch(ctx, "x", []int{1}, noon); err != nil {
		t.Fatal(err)
	}
	follower := store.Follow(s, "x")
	if r, _, err := follower.Record(ctx); err != nil || r.Version != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := s.Delete(ctx, "x"); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "delete again", s.Delete(ctx, "x"), store.ErrNotFound)
	everyCall(t, ctx, s, "x", store.ErrNotFound)
	if list, err := s.List(ctx); err != nil || len(list) != 1 || list[0].Name != "y" {
		t.Errorf("list: %v, %v", list, err)
	}
	if got := notes(t, ctx, s, "y"); len(got) != 1 || got[0] != "c" {
		t.Errorf("the other study has %v", got)
	}
	h := Header("x", 5)
	h.Created = noon.Add(time.Hour)
	created(t, ctx, s, h)
	appended(t, ctx, s, "x", 0, Added("new"), Added("new"), Added("new"))
	if got, err := s.Touched(ctx, "x"); err != nil || len(got) != 0 {
		t.Errorf("touched: %v, %v", got, err)
	}
	_, _, err := follower.Record(ctx)
	wantErr(t, "follow the study that was deleted", err, store.ErrNotFound)
}

// renames keeps the log, the creation and who was alive.
func renames(t *testing.T, ctx context.Context, s store.Store) {
	h := Header("x", 10)
	created(t, ctx, s, h)
	created(t, ctx, s, Header("y", 2))
	appended(t, ctx, s, "x", 0, Asked(1, 4), study.Event{At: noon, Kind: study.EventStarted, Trial: 1, Runner: "me"})
	if err := s.Touch(ctx, "x", []int{1}, noon); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "rename to a name that is taken", s.Rename(ctx, "x", "y"), store.ErrExists)
	wantErr(t, "rename what is not there", s.Rename(ctx, "z", "w"), store.ErrNotFound)
	if err := s.Rename(ctx, "x", ""); err == nil {
		t.Error("a study without a name")
	}
	if err := s.Rename(ctx, "x", "ü"); err != nil {
		t.Fatal(err)
	}
	everyCall(t, ctx, s, "x", store.ErrNotFound)
	h.Name = "ü"
	r, got, err := store.Load(ctx, s, "ü")
	if err != nil || r.Version != 2 || r.Ledger.Reserved != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	sameHeader(t, got, h)
	if touched, err := s.Touched(ctx, "ü"); err != nil || !touched[1].Equal(noon) {
		t.Errorf("touched: %v, %v", touched, err)
	}
	appended(t, ctx, s, "ü", 2, Added("and on"))
	if list, err := s.List(ctx); err != nil || len(list) != 2 {
		t.Errorf("list: %v, %v", list, err)
	}
}
