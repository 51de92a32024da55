package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Run tests a store. Each call of open returns a new, empty store, which Run closes.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	tests := []struct {
		name string
		test func(*testing.T, context.Context, store.Store)
	}{
		{"create", create},
		{"refused headers", refusedHeaders},
		{"names", names},
		{"not found", notFound},
		{"append", appends},
		{"conflict", conflict},
		{"numbering", numbering},
		{"all or nothing", allOrNothing},
		{"read after", readAfter},
		{"studies are apart", apart},
		{"events come back whole", whole},
		{"large bodies", largeBodies},
		{"many events", manyEvents},
		{"nothing is shared", nothingShared},
		{"load", load},
		{"load a log that breaks the law", loadUnlawful},
		{"update", update},
		{"update refused by the law", updateRefused},
		{"update from many goroutines", updateAtOnce},
		{"a cancelled context", cancelled},
		{"touch", touch},
		{"delete", deletes},
		{"rename", renames},
		{"identities", identities},
		{"chained", chained},
		{"followed", followed},
		{"tokens", tokens},
		{"refused tokens", refusedTokens},
		{"tokens added at once", tokensAtOnce},
		{"a store that had tokens", guarded},
		{"heads", heads},
		{"files", files},
		{"closed", closed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t)
			defer s.Close()
			tt.test(t, t.Context(), s)
		})
	}
}

// Large creates a study "x" of 10,000 events in a store, and closes the store.
func Large(b *testing.B, s store.Store) {
	b.Helper()
	if err := s.Create(b.Context(), Header("x", 1e9)); err != nil {
		b.Fatal(err)
	}
	var events []study.Event
	for i := range 10000 {
		events = append(events, Asked(i+1, 1))
	}
	if err := s.Append(b.Context(), "x", 0, Numbered(0, events...)...); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

var noon = time.Date(2026, 11, 15, 12, 0, 0, 123456789, time.UTC)

// Header returns the header of a study with that budget.
func Header(name string, total float64) store.Header {
	return store.Header{Name: name, Definition: json.RawMessage(`{"name":"x"}`), Created: noon, Total: total}
}

// Asked returns the event that a trial was asked for, without its number in the log.
func Asked(trial int, reserved float64) study.Event {
	e := study.Event{At: noon, Kind: study.EventAsked, Trial: trial, Asked: &study.Asked{Point: []float64{0.1, 1.0 / 3}, Reserved: reserved}}
	if err := json.Unmarshal([]byte(`{"lr":0.001,"n":3,"opt":"adam","whole":2.0,"yes":true}`), &e.Asked.Setting); err != nil {
		panic(err)
	}
	return e
}

// Added returns the event that the budget was raised by one, which is always allowed. The note tells it from others.
func Added(note string) study.Event {
	return study.Event{At: noon, Kind: study.EventBudget, Added: 1, Runner: note}
}

func created(t *testing.T, ctx context.Context, s store.Store, h store.Header) {
	t.Helper()
	if err := s.Create(ctx, h); err != nil {
		t.Fatal(err)
	}
}

func appended(t *testing.T, ctx context.Context, s store.Store, name string, version int64, events ...study.Event) {
	t.Helper()
	if err := s.Append(ctx, name, version, Numbered(version, events...)...); err != nil {
		t.Fatal(err)
	}
}

// everyCall makes each of the calls about a study, and checks that all return that error.
func everyCall(t *testing.T, ctx context.Context, s store.Store, name string, want error) {
	t.Helper()
	_, _, read := s.Read(ctx, name, 0)
	_, _, load := store.Load(ctx, s, name)
	_, touched := s.Touched(ctx, name)
	_, update := store.Follow(s, name).Update(ctx, deciding())
	for what, err := range map[string]error{
		"read": read, "load": load, "touched": touched, "update": update,
		"append": s.Append(ctx, name, 0, Numbered(0, Added(""))...), "touch": s.Touch(ctx, name, []int{1}, noon),
		"retire": s.Retire(ctx, name),
	} {
		wantErr(t, what, err, want)
	}
}

// Numbered gives the events their numbers in the log.
func Numbered(version int64, events ...study.Event) []study.Event {
	for i := range events {
		events[i].Seq = version + 1 + int64(i)
	}
	return events
}

func wantErr(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

// deciding returns a decision for these events, whatever the record says.
func deciding(events ...study.Event) func(*study.Record, store.Header) ([]study.Event, error) {
	return func(*study.Record, store.Header) ([]study.Event, error) { return events, nil }
}

// notes returns the log of a study as its events' notes, having seen that they are numbered without gaps.
func notes(t *testing.T, ctx context.Context, s store.Store, name string) (notes []string) {
	t.Helper()
	_, events, err := s.Read(ctx, name, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		if e.Seq != int64(i)+1 {
			t.Fatalf("event %d is numbered %d", i+1, e.Seq)
		}
		notes = append(notes, e.Runner)
	}
	return notes
}
