package storetest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

func load(t *testing.T, ctx context.Context, s store.Store) {
	h := Header("x", 10)
	h.Measured = true
	created(t, ctx, s, h)
	appended(t, ctx, s, "x", 0, Asked(1, 4), Asked(2, 5), study.Event{At: noon, Kind: study.EventStarted, Trial: 1, Runner: "me"})
	r, got, err := store.Load(ctx, s, "x")
	if err != nil {
		t.Fatal(err)
	}
	sameHeader(t, got, h)
	if !r.Measured || r.Version != 3 || len(r.Trials) != 2 || r.Trials[0].State != study.Running || r.Ledger.Left() != 1 {
		t.Errorf("record: %+v", r)
	}
}

func loadUnlawful(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 10))
	appended(t, ctx, s, "x", 0, Asked(1, 4), Asked(2, 7))
	_, _, err := store.Load(ctx, s, "x")
	wantErr(t, "load", err, store.ErrDamaged)
	wantErr(t, "load", err, study.ErrUnaffordable)
	if err == nil || !strings.Contains(err.Error(), "event 2") {
		t.Errorf("the error does not name the event: %v", err)
	}
	_, err = store.Follow(s, "x").Update(ctx, func(*study.Record, store.Header) ([]study.Event, error) {
		t.Error("asked to decide on a broken log")
		return nil, nil
	})
	wantErr(t, "update", err, store.ErrDamaged)
}

func update(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 10))
	r, err := store.Follow(s, "x").Update(ctx, func(r *study.Record, h store.Header) ([]study.Event, error) {
		if r.Version != 0 || h.Total != 10 {
			t.Errorf("shown %+v, %+v", r, h)
		}
		return []study.Event{Asked(1, 4), {At: noon, Kind: study.EventStarted, Trial: 1}}, nil
	})
	if err != nil || r.Version != 2 || r.Ledger.Reserved != 4 {
		t.Fatalf("update: %+v, %v", r, err)
	}
	r, err = store.Follow(s, "x").Update(ctx, deciding())
	if err != nil || r.Version != 2 {
		t.Errorf("update with nothing: %+v, %v", r, err)
	}
	no := errors.New("no")
	_, err = store.Follow(s, "x").Update(ctx, func(*study.Record, store.Header) ([]study.Event, error) { return nil, no })
	wantErr(t, "update", err, no)
	if r, _, err := store.Load(ctx, s, "x"); err != nil || r.Version != 2 || r.Trials[0].State != study.Running {
		t.Errorf("record: %+v, %v", r, err)
	}
}

func updateRefused(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 10))
	_, err := store.Follow(s, "x").Update(ctx, deciding(Asked(1, 6), Asked(2, 6)))
	wantErr(t, "update", err, study.ErrUnaffordable)
	if r, _, err := store.Load(ctx, s, "x"); err != nil || r.Version != 0 {
		t.Errorf("record: %+v, %v", r, err)
	}
}

// updateAtOnce lets many ask until the whole budget is reserved. Each gets trials of its own, and no more is handed out than there
// is.
func updateAtOnce(t *testing.T, ctx context.Context, s store.Store) {
	const askers, total = 16, 48
	created(t, ctx, s, Header("x", total))
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := map[int]int{}
	for range askers {
		wg.Go(func() {
			for {
				r, err := store.Follow(s, "x").Update(ctx, func(r *study.Record, _ store.Header) ([]study.Event, error) {
					return []study.Event{Asked(len(r.Trials)+1, 1)}, nil
				})
				if errors.Is(err, study.ErrUnaffordable) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				got[len(r.Trials)]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	r, _, err := store.Load(ctx, s, "x")
	if err != nil {
		t.Fatal(err)
	}
	if r.Version != total || len(r.Trials) != total || r.Ledger.Reserved != total {
		t.Errorf("%d events, %d trials, %v reserved; want %d each", r.Version, len(r.Trials), r.Ledger.Reserved, total)
	}
	for number := 1; number <= total; number++ {
		if got[number] != 1 {
			t.Errorf("trial %d was handed out %d times", number, got[number])
		}
	}
}

func cancelled(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 1))
	done, cancel := context.WithCancel(ctx)
	cancel()
	everyCall(t, done, s, "x", context.Canceled)
	wantErr(t, "create", s.Create(done, Header("y", 1)), context.Canceled)
	_, err := s.List(done)
	wantErr(t, "list", err, context.Canceled)

	// Cancelled at any moment, an append that returned nil is there and one that did not is not.
	var version int64
	for i := range 40 {
		soon, cancel := context.WithTimeout(ctx, time.Duration(i)*100*time.Microsecond)
		err := s.Append(soon, "x", version, Numbered(version, Added("yes"))...)
		cancel()
		got := int64(len(notes(t, ctx, s, "x")))
		if err == nil || strings.Contains(err.Error(), "is not known") && got > version { // a server that was too slow to say it
			version++
		}
		if got != version {
			t.Fatalf("%d events, %d were acknowledged, %v", got, version, err)
		}
	}
	appended(t, ctx, s, "x", version, Added("and it goes on"))
}

func touch(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 1))
	created(t, ctx, s, Header("y", 1))
	if got, err := s.Touched(ctx, "x"); err != nil || len(got) != 0 {
		t.Errorf("touched: %v, %v", got, err)
	}
	for _, touch := range []struct {
		trials []int
		at     time.Time
	}{
		{[]int{1, 2, 3}, noon},
		{[]int{2}, noon.Add(time.Minute).In(time.FixedZone("", 3600))},
		{[]int{3}, noon.Add(-24 * time.Hour)}, // the clock was moved: what comes last counts all the same
		{nil, noon.Add(time.Hour)},
	} {
		if err := s.Touch(ctx, "x", touch.trials, touch.at); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Touched(ctx, "x")
	if err != nil || len(got) != 3 || !got[1].Equal(noon) || !got[2].Equal(noon.Add(time.Minute)) || !got[3].Equal(noon.Add(-24*time.Hour)) {
		t.Errorf("touched: %v, %v", got, err)
	}
	if other, err := s.Touched(ctx, "y"); err != nil || len(other) != 0 {
		t.Errorf("touched: %v, %v", other, err)
	}
	if log := notes(t, ctx, s, "x"); len(log) != 0 {
		t.Errorf("touching got into the log: %v", log)
	}
}
