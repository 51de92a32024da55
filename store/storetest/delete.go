package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

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
