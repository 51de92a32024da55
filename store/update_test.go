package store_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
	"github.com/eke-bo/eke/study"
)

// rival appends an event of its own before each of the first so many appends, or always if that is negative.
type rival struct {
	store.Store
	first int
}

func (r *rival) Append(ctx context.Context, name string, version int64, events ...study.Event) error {
	if r.first != 0 {
		r.first--
		if err := r.Store.Append(ctx, name, version, storetest.Numbered(version, storetest.Added("rival"))...); err != nil {
			return err
		}
	}
	return r.Store.Append(ctx, name, version, events...)
}

func addMine(seen *[]int64) func(*study.Record, store.Header) ([]study.Event, error) {
	return func(r *study.Record, _ store.Header) ([]study.Event, error) {
		*seen = append(*seen, r.Version)
		return []study.Event{storetest.Added("mine")}, nil
	}
}

func TestUpdateDecidesAnewOnFreshData(t *testing.T) {
	s := &rival{store.Memory(), 3}
	if err := s.Create(t.Context(), storetest.Header("x", 10)); err != nil {
		t.Fatal(err)
	}
	var seen []int64
	r, err := store.Update(t.Context(), s, "x", addMine(&seen))
	if err != nil || r.Version != 4 || r.Ledger.Total != 14 {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(seen) != 4 || seen[0] != 0 || seen[3] != 3 {
		t.Errorf("decided on versions %v", seen)
	}
}

func TestUpdateGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock is the bubble's: waiting costs nothing
		s := &rival{store.Memory(), -1}
		if err := s.Create(t.Context(), storetest.Header("x", 10)); err != nil {
			t.Fatal(err)
		}
		var seen []int64
		if _, err := store.Update(t.Context(), s, "x", addMine(&seen)); !errors.Is(err, store.ErrConflict) {
			t.Errorf("got %v, want a conflict", err)
		}
		if len(seen) != 100 {
			t.Errorf("decided %d times", len(seen))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := store.Update(ctx, s, "x", addMine(&seen)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the end of the deadline", err)
		}
	})
}

func TestUpdateRefusesADecisionThatChangesTheRecord(t *testing.T) {
	s := store.Memory()
	if err := s.Create(t.Context(), storetest.Header("x", 10)); err != nil {
		t.Fatal(err)
	}
	_, err := store.Update(t.Context(), s, "x", func(r *study.Record, _ store.Header) ([]study.Event, error) {
		e := storetest.Numbered(r.Version, storetest.Added(""))
		return e, r.Apply(e[0])
	})
	if err == nil {
		t.Error("it was taken")
	}
}
