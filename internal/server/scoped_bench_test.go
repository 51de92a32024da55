package server

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// What a group costs: a read that brings nothing new, and a write, of a token with a group and of one without.
func BenchmarkScopedStore(b *testing.B) {
	for name, group := range map[string]string{"group": "physics", "all": ""} {
		ctx := context.WithValue(b.Context(), visitKey{}, &visit{token: store.Token{ID: "a", Role: "admin", Group: group}})
		all, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "eke.db"))
		if err != nil {
			b.Fatal(err)
		}
		s := newScopedStore(all)
		if err := s.Create(ctx, newHeader("kiln", 1)); err != nil {
			b.Fatal(err)
		}
		heads, err := s.Heads(ctx)
		if err != nil || len(heads) != 1 {
			b.Fatal(heads, err)
		}
		version := heads[0].Version
		b.Run("write/"+name, func(b *testing.B) {
			for b.Loop() {
				if err := s.Append(ctx, "kiln", version, study.Event{Seq: version + 1, Kind: study.EventPaused}); err != nil {
					b.Fatal(err)
				}
				version++
			}
		})
		b.Run("read/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := s.Read(ctx, "kiln", version); err != nil {
					b.Fatal(err)
				}
			}
		})
		_ = all.Close()
	}
}
