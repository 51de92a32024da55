package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

func appends(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 1))
	appended(t, ctx, s, "x", 0, Added("1"))
	appended(t, ctx, s, "x", 1, Added("2"), Added("3"), Added("4"))
	appended(t, ctx, s, "x", 4)
	appended(t, ctx, s, "x", 4, Added("5"))
	if got := notes(t, ctx, s, "x"); !slices.Equal(got, []string{"1", "2", "3", "4", "5"}) {
		t.Errorf("log: %q", got)
	}
}

func conflict(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 1))
	appended(t, ctx, s, "x", 0, Added("1"), Added("2"))
	for _, version := range []int64{0, 1, 3, 100} {
		wantErr(t, fmt.Sprint("append after ", version), s.Append(ctx, "x", version, Numbered(version, Added("no"))...), store.ErrConflict)
	}
	wantErr(t, "append nothing", s.Append(ctx, "x", 1), store.ErrConflict)
	if got := notes(t, ctx, s, "x"); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("log: %q", got)
	}
}

func numbering(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 1))
	for _, seqs := range [][]int64{{0}, {2}, {1, 1}, {1, 3}, {2, 1}, {1, 2, 4}, {-1}} {
		var events []study.Event
		for _, seq := range seqs {
			e := Added("no")
			e.Seq = seq
			events = append(events, e)
		}
		if s.Append(ctx, "x", 0, events...) == nil {
			t.Errorf("events numbered %v were taken", seqs)
		}
	}
	if got := notes(t, ctx, s, "x"); len(got) != 0 {
		t.Errorf("log: %q", got)
	}
}

func allOrNothing(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 1))
	bad := Added("no")
	bad.Added = math.NaN() // has no place in JSON
	if s.Append(ctx, "x", 0, Numbered(0, Added("no"), bad)...) == nil {
		t.Error("NaN was taken")
	}
	worse := Asked(1, 1)
	worse.Asked.Why = json.RawMessage("{")
	if s.Append(ctx, "x", 0, Numbered(0, Added("no"), worse)...) == nil {
		t.Error("broken JSON was taken")
	}
	if got := notes(t, ctx, s, "x"); len(got) != 0 {
		t.Errorf("log: %q", got)
	}
}

func readAfter(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 1))
	appended(t, ctx, s, "x", 0, Added("1"), Added("2"), Added("3"))
	for after, want := range map[int64]int{-1: 3, 0: 3, 1: 2, 2: 1, 3: 0, 4: 0, math.MaxInt64: 0} {
		_, events, err := s.Read(ctx, "x", after)
		if err != nil || len(events) != want {
			t.Errorf("after %d: %d events, %v; want %d", after, len(events), err, want)
			continue
		}
		for i, e := range events {
			if e.Seq != max(after, 0)+1+int64(i) {
				t.Errorf("after %d: event %d is numbered %d", after, i, e.Seq)
			}
		}
	}
}

func apart(t *testing.T, ctx context.Context, s store.Store) {
	created(t, ctx, s, Header("x", 1))
	created(t, ctx, s, Header("y", 1))
	appended(t, ctx, s, "x", 0, Added("x1"))
	appended(t, ctx, s, "y", 0, Added("y1"), Added("y2"))
	appended(t, ctx, s, "x", 1, Added("x2"))
	if x, y := notes(t, ctx, s, "x"), notes(t, ctx, s, "y"); !slices.Equal(x, []string{"x1", "x2"}) || !slices.Equal(y, []string{"y1", "y2"}) {
		t.Errorf("logs: %q, %q", x, y)
	}
}

func whole(t *testing.T, ctx context.Context, s store.Store) {
	asked := Asked(1, 0.1+0.2)
	asked.Asked.Why = json.RawMessage(`{"ei":1e-300,"text":"ü🧪"}`)
	asked.Asked.Plan = json.RawMessage(`[0.1,0.30000000000000004,5e-324]`)
	asked.Asked.Thinking = 1.5
	want := Numbered(0,
		asked,
		study.Event{At: noon, Kind: study.EventStarted, Trial: 1, Runner: "host\n\x01 <&> \u2028"},
		study.Event{At: noon, Kind: study.EventExtended, Trial: 1, Reserved: math.Nextafter(1, 2)},
		study.Event{At: noon, Kind: study.EventFinished, Trial: 1, Finished: &study.Finished{State: study.Failed,
			Charged: math.SmallestNonzeroFloat64, Value: -math.MaxFloat64, Note: "no\ttrace", Exit: &study.Exit{Code: -1, Signal: "killed"}}},
		study.Event{At: noon, Kind: study.EventBudget, Added: 1e308},
		study.Event{At: noon, Kind: study.EventKnown, Known: &study.Known{Setting: space.Setting{"x": space.Float(0.1 + 0.2), "opt": space.String("ü")},
			Point: []float64{1.0 / 3, 1}, Value: -math.MaxFloat64, Cost: math.SmallestNonzeroFloat64}},
	)
	created(t, ctx, s, Header("x", 10))
	if err := s.Append(ctx, "x", 0, want...); err != nil {
		t.Fatal(err)
	}
	_, got, err := s.Read(ctx, "x", 0)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d events, %v", len(got), err)
	}
	for i := range want {
		if got[i].Digest == "" {
			t.Errorf("event %d has no digest", got[i].Seq)
		}
		got[i].Digest = "" // which is not kept
		g, _ := json.Marshal(got[i])
		w, err := json.Marshal(want[i])
		if err != nil || !bytes.Equal(g, w) {
			t.Errorf("got  %s\nwant %s (%v)", g, w, err)
		}
	}
}

func largeBodies(t *testing.T, ctx context.Context, s store.Store) {
	const size = 2 << 20
	h := Header("x", 10)
	h.Definition = json.RawMessage(`"` + strings.Repeat("d", size) + `"`)
	created(t, ctx, s, h)
	long := strings.Repeat("é", size/2)
	appended(t, ctx, s, "x", 0, Added("small"), Added(long))
	if got := notes(t, ctx, s, "x"); len(got) != 2 || got[1] != long {
		t.Error("the long note did not come back")
	}
	got, _, err := s.Read(ctx, "x", 2)
	if err != nil {
		t.Fatal(err)
	}
	sameHeader(t, got, h)
}

func manyEvents(t *testing.T, ctx context.Context, s store.Store) {
	const batch, batches = 500, 20
	created(t, ctx, s, Header("x", 1))
	for b := range batches {
		events := make([]study.Event, batch)
		for i := range events {
			events[i] = Added(fmt.Sprint(b*batch + i))
		}
		appended(t, ctx, s, "x", int64(b*batch), events...)
	}
	got := notes(t, ctx, s, "x")
	if len(got) != batch*batches {
		t.Fatalf("%d events, want %d", len(got), batch*batches)
	}
	for i, note := range got {
		if note != fmt.Sprint(i) {
			t.Fatalf("event %d is %q", i+1, note)
		}
	}
}

// What was handed in or out can be changed without changing the store.
func nothingShared(t *testing.T, ctx context.Context, s store.Store) {
	h := Header("x", 10)
	h.Definition = json.RawMessage(`[1]`)
	created(t, ctx, s, h)
	h.Definition[1] = '2'
	e := Numbered(0, Asked(1, 1))
	if err := s.Append(ctx, "x", 0, e...); err != nil {
		t.Fatal(err)
	}
	e[0].Asked.Reserved, e[0].Asked.Point[0] = 9, 9
	for range 2 {
		got, events, err := s.Read(ctx, "x", 0)
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Definition) != `[1]` || events[0].Asked.Reserved != 1 || events[0].Asked.Point[0] != 0.1 {
			t.Fatalf("changed from outside: %s, %+v", got.Definition, events[0].Asked)
		}
		got.Definition[1], events[0].Asked.Reserved, events[0].Asked.Point[0] = '3', 3, 3
	}
}
