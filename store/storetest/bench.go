package storetest

import (
	"testing"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

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
