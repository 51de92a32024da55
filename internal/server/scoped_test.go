package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// as is the context of a request with a token.
func as(t *testing.T, token store.Token) context.Context {
	return context.WithValue(t.Context(), visitKey{}, &visit{token: token})
}

func newHeader(name string, second int64) store.Header {
	return store.Header{Name: name, Definition: []byte(`{}`), Created: time.Unix(second, 0), Total: 1}
}

// Whatever is done with a study, a token of another group is told that there is none; so is a request that is not admitted.
func TestScopedStore(t *testing.T) {
	s := newScopedStore(store.Memory())
	mine, other := as(t, store.Token{ID: "a", Role: "admin", Group: "physics"}), as(t, store.Token{ID: "b", Role: "admin", Group: "chemistry"})
	if err := s.Create(mine, newHeader("kiln", 1)); err != nil {
		t.Fatal(err)
	}
	files, _ := s.files()
	all := map[string]func(context.Context) error{
		"Read":        func(ctx context.Context) error { _, _, err := s.Read(ctx, "kiln", 0); return err },
		"Append":      func(ctx context.Context) error { return s.Append(ctx, "kiln", 1) },
		"Touch":       func(ctx context.Context) error { return s.Touch(ctx, "kiln", []int{1}, time.Now()) },
		"Touched":     func(ctx context.Context) error { _, err := s.Touched(ctx, "kiln"); return err },
		"Rename":      func(ctx context.Context) error { return s.Rename(ctx, "kiln", "kiln2") },
		"Rename back": func(ctx context.Context) error { return s.Rename(ctx, "kiln2", "kiln") },
		"AppendFile": func(ctx context.Context) error {
			_, err := files.AppendFile(ctx, "kiln", store.File{Trial: 1, Name: "stdout"}, 0, []byte("x"), store.FileLimits{Keep: 9, Most: 9})
			return err
		},
		"ReadFile": func(ctx context.Context) error {
			_, _, err := files.ReadFile(ctx, "kiln", 1, "stdout", 0, 9)
			return err
		},
		"Files":  func(ctx context.Context) error { _, err := files.Files(ctx, "kiln", 1); return err },
		"Delete": func(ctx context.Context) error { return s.Delete(ctx, "kiln") },
	}
	order := []string{"Read", "Append", "Touch", "Touched", "Rename", "Rename back", "AppendFile", "ReadFile", "Files", "Delete"}
	for _, what := range order {
		for who, ctx := range map[string]context.Context{"the other": other, "nobody": as(t, store.Token{})} {
			if err := all[what](ctx); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s, %s: %v", what, who, err)
			}
		}
		if err := all[what](mine); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Lists have what a token sees, and a name that is taken is taken for all.
func TestScopedLists(t *testing.T) {
	s := newScopedStore(store.Memory())
	physics, chemistry, root := as(t, store.Token{ID: "a", Role: "admin", Group: "physics"}), as(t, store.Token{ID: "b", Role: "admin", Group: "chemistry"}), as(t, store.Token{ID: "c", Role: "admin"})
	for name, by := range map[string]context.Context{"p": physics, "c": chemistry, "r": root} {
		if err := s.Create(by, newHeader(name, 1)); err != nil {
			t.Fatal(err)
		}
	}
	for want, ctx := range map[int]context.Context{1: physics, 3: root, 0: as(t, store.Token{})} {
		heads, err := s.Heads(ctx)
		list, err2 := s.List(ctx)
		if err != nil || err2 != nil || len(heads) != want || len(list) != want {
			t.Errorf("%d and %d of %d, %v, %v", len(heads), len(list), want, err, err2)
		}
	}
	if list, _ := s.List(t.Context()); len(list) != 3 {
		t.Errorf("the server itself sees %+v", list)
	}
	if err := s.Create(physics, newHeader("c", 1)); !errors.Is(err, store.ErrExists) {
		t.Error(err)
	}
	if err := s.Rename(physics, "p", "c"); !errors.Is(err, store.ErrExists) {
		t.Error(err)
	}
}

// The group is that of the log as it stands, of the study that has the name now, and a read brings what was asked for.
func TestScopeFollowsTheLog(t *testing.T) {
	s := newScopedStore(store.Memory())
	physics, chemistry := as(t, store.Token{ID: "a", Role: "admin", Group: "physics"}), as(t, store.Token{ID: "b", Role: "admin", Group: "chemistry"})
	sees := func(ctx context.Context, after int64, want int) {
		t.Helper()
		_, events, err := s.Read(ctx, "kiln", after)
		if want < 0 && !errors.Is(err, store.ErrNotFound) || want >= 0 && (err != nil || len(events) != want) {
			t.Errorf("%d events, %v; want %d", len(events), err, want)
		}
	}
	if err := s.Create(physics, newHeader("kiln", 1)); err != nil {
		t.Fatal(err)
	}
	sees(physics, 0, 1)
	sees(physics, 1, 0)
	sees(chemistry, 0, -1)
	move := func(version int64, group string) {
		t.Helper()
		if err := s.Append(t.Context(), "kiln", version, study.Event{Seq: version + 1, Kind: study.EventLabelled, Labels: &study.Labels{Group: group}}); err != nil {
			t.Fatal(err)
		}
	}
	move(1, "chemistry")
	sees(physics, 1, -1)
	sees(chemistry, 1, 1)
	sees(chemistry, 0, 2)
	move(2, "")
	sees(chemistry, 0, -1)
	if err := s.Delete(t.Context(), "kiln"); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(physics, newHeader("kiln", 2)); err != nil {
		t.Fatal(err)
	}
	sees(physics, 0, 1)
	sees(chemistry, 0, -1)
}

// A backup that is restored beneath a server gives a study back to the group that it had then.
func TestScopeOfARestoredLog(t *testing.T) {
	for _, after := range []int{0, 1, 2} { // events since the backup was restored
		backup, later := store.Memory(), store.Memory()
		s := newScopedStore(backup)
		physics, chemistry := as(t, store.Token{ID: "a", Role: "admin", Group: "physics"}), as(t, store.Token{ID: "b", Role: "admin", Group: "chemistry"})
		if err := s.Create(physics, newHeader("kiln", 1)); err != nil {
			t.Fatal(err)
		}
		h, events, err := backup.Read(t.Context(), "kiln", 0)
		if err != nil {
			t.Fatal(err)
		}
		moved := study.Event{Seq: 2, Kind: study.EventLabelled, Labels: &study.Labels{Group: "chemistry"}}
		if err := errors.Join(later.Create(t.Context(), h), later.Append(t.Context(), "kiln", 0, append(events, moved)...)); err != nil {
			t.Fatal(err)
		}
		s.all = later
		if _, _, err := s.Read(chemistry, "kiln", 0); err != nil {
			t.Fatal(err)
		}
		for i := range after {
			if err := backup.Append(t.Context(), "kiln", int64(1+i), study.Event{Seq: int64(2 + i), Kind: study.EventPaused}); err != nil {
				t.Fatal(err)
			}
		}
		s.all = backup
		if _, _, err := s.Read(chemistry, "kiln", 0); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%d events after the backup: the group that the study had later sees it: %v", after, err)
		}
		if _, events, err := s.Read(physics, "kiln", 0); err != nil || len(events) != 1+after {
			t.Errorf("%d events after the backup: %d events, %v", after, len(events), err)
		}
	}
}

// damagedStore is a store whose studies are all damaged.
type damagedStore struct{ store.Store }

func (damagedStore) Read(context.Context, string, int64) (store.Header, []study.Event, error) {
	return store.Header{}, nil, store.ErrDamaged
}

// That a study is damaged is for those who see it.
func TestDamageIsNotSeen(t *testing.T) {
	s := newScopedStore(damagedStore{store.Memory()})
	if _, _, err := s.Read(as(t, store.Token{Role: "reader", Group: "physics"}), "kiln", 0); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if _, _, err := s.Read(as(t, store.Token{Role: "reader"}), "kiln", 0); !errors.Is(err, store.ErrDamaged) {
		t.Error(err)
	}
}
