package server

import (
	"context"
	"errors"
	"testing"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

func oven() *study.Study {
	return &study.Study{Name: "oven", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported}, Budget: study.Budget{Total: 9},
		Policy: study.Policy{Name: "auto"}, Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}}}
}

// changing is a store in which somebody changes a study after it was read for the first time.
type changing struct {
	store.Store
	change func()
}

func (c *changing) Read(ctx context.Context, name string, after int64) (store.Header, []study.Event, error) {
	h, events, err := c.Store.Read(ctx, name, after)
	if change := c.change; change != nil {
		c.change = nil
		change()
	}
	return h, events, err
}

// A study that is changed while the server opens it is opened once more, with what it is now.
func TestChangedWhileItIsOpened(t *testing.T) {
	st := store.Memory()
	if _, err := broker.Create(t.Context(), st, oven()); err != nil {
		t.Fatal(err)
	}
	s := New(Config{Rate: 1e6, Store: &changing{st, func() {
		edited := oven()
		edited.Parallel = 7
		if _, err := broker.Redefine(t.Context(), st, edited); err != nil {
			t.Fatal(err)
		}
	}}})
	defer s.Close()
	for range 2 {
		o, _, err := s.open(t.Context(), "oven")
		if err != nil {
			t.Fatal(err)
		}
		t.Log(o.broker.Study().Parallel)
	}
	if o, _, err := s.open(t.Context(), "oven"); err != nil || o.broker.Study().Parallel != 7 {
		t.Errorf("%+v, %v", o.broker.Study(), err)
	}
}

// A token of another group is told that there is no such study. It stays open for its own group.
func TestOthersCloseNothing(t *testing.T) {
	s := New(Config{Rate: 1e6, Store: store.Memory()})
	defer s.Close()
	mine, other := as(t, store.Token{ID: "a", Role: "admin", Group: "physics"}), as(t, store.Token{ID: "b", Role: "admin", Group: "chemistry"})
	if _, err := broker.Create(mine, s.store, oven()); err != nil {
		t.Fatal(err)
	}
	before, _, err := s.open(mine, "oven")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.open(other, "oven"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%v", err)
	}
	if after, _, err := s.open(mine, "oven"); err != nil || after != before {
		t.Errorf("it was opened anew: %v", err)
	}
	if err := s.store.Delete(mine, "oven"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.open(mine, "oven"); !errors.Is(err, store.ErrNotFound) || s.studies["oven"] != nil {
		t.Errorf("it is open although it was deleted: %v", err)
	}
}
