package storetest

import (
	"context"
	"slices"
	"testing"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

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
