package store_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eke-bo/eke/internal/fault"
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
	r, err := store.Follow(s, "x").Update(t.Context(), addMine(&seen))
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
		if _, err := store.Follow(s, "x").Update(t.Context(), addMine(&seen)); !errors.Is(err, store.ErrConflict) {
			t.Errorf("got %v, want a conflict", err)
		}
		if len(seen) != 100 {
			t.Errorf("decided %d times", len(seen))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := store.Follow(s, "x").Update(ctx, addMine(&seen)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the end of the deadline", err)
		}
	})
}

func TestUpdateRefusesADecisionThatChangesTheRecord(t *testing.T) {
	s := store.Memory()
	if err := s.Create(t.Context(), storetest.Header("x", 10)); err != nil {
		t.Fatal(err)
	}
	_, err := store.Follow(s, "x").Update(t.Context(), func(r *study.Record, _ store.Header) ([]study.Event, error) {
		e := storetest.Numbered(r.Version, storetest.Added(""))
		return e, r.Apply(e[0])
	})
	if err == nil {
		t.Error("it was taken")
	}
}

// faraway is a store that does not say that it is away before so many wait to hear it.
type faraway struct {
	store.Store
	away  atomic.Bool
	wait  int
	reads atomic.Int32
}

func (f *faraway) Read(ctx context.Context, name string, after int64) (store.Header, []study.Event, error) {
	if !f.away.Load() {
		return f.Store.Read(ctx, name, after)
	}
	f.reads.Add(1)
	stacks := make([]byte, 1<<20)
	for strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "[sync.Mutex.Lock") < f.wait {
		time.Sleep(time.Millisecond)
	}
	f.wait = 0 // whoever comes later does not wait
	return store.Header{}, nil, store.ErrAway
}

// Many who wait for one store hear together that it is away, and whoever comes later tries again.
func TestFollowersWaitTogether(t *testing.T) {
	const many = 8
	s := &faraway{Store: store.Memory(), wait: many - 1}
	if err := s.Create(t.Context(), storetest.Header("x", 10)); err != nil {
		t.Fatal(err)
	}
	f := store.Follow(s, "x")
	s.away.Store(true)
	var wg sync.WaitGroup
	for range many {
		wg.Go(func() {
			if _, _, err := f.Record(t.Context()); !errors.Is(err, store.ErrAway) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := s.reads.Load(); n != 1 {
		t.Errorf("it was tried %d times", n)
	}
	if _, _, err := f.Record(t.Context()); !errors.Is(err, store.ErrAway) || s.reads.Load() != 2 {
		t.Errorf("who came later: %v, after %d tries", err, s.reads.Load())
	}
	s.away.Store(false)
	if _, _, err := f.Record(t.Context()); err != nil {
		t.Error(err)
	}
}

// An event of a kind that only a newer version knows does not mean that the store is damaged.
func TestLoadNewerEvent(t *testing.T) {
	m := store.Memory()
	if err := m.Create(t.Context(), storetest.Header("kiln", 1)); err != nil {
		t.Fatal(err)
	}
	if err := m.Append(t.Context(), "kiln", 0, study.Event{Seq: 1, At: time.Now(), Kind: "unheard-of"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.Load(t.Context(), m, "kiln"); !errors.Is(err, store.ErrNewer) || errors.Is(err, store.ErrDamaged) || fault.HintOf(err) != "use the newer eke" {
		t.Errorf("%v, hint %q", err, fault.HintOf(err))
	}
}
