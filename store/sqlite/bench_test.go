package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

func BenchmarkAppend(b *testing.B) {
	s := opened(b, filepath.Join(b.TempDir(), "eke.db"))
	if err := s.Create(b.Context(), storetest.Header("x", 1e9)); err != nil {
		b.Fatal(err)
	}
	var version int64
	for b.Loop() {
		if err := s.Append(b.Context(), "x", version, storetest.Numbered(version, storetest.Asked(int(version)+1, 1))...); err != nil {
			b.Fatal(err)
		}
		version++
	}
}

// large makes a file of 10,000 events.
func large(b *testing.B) string {
	path := filepath.Join(b.TempDir(), "eke.db")
	storetest.Large(b, opened(b, path))
	return path
}

func BenchmarkOpen(b *testing.B) {
	path := large(b)
	for b.Loop() {
		s := opened(b, path)
		s.Close()
	}
}

func BenchmarkLoad(b *testing.B) {
	s := opened(b, large(b))
	for b.Loop() {
		if _, _, err := store.Load(b.Context(), s, "x"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNews is what a follower asks many times a second: whether there is anything new.
func BenchmarkNews(b *testing.B) {
	s := opened(b, filepath.Join(b.TempDir(), "eke.db"))
	fill(b, s, 3)
	for b.Loop() {
		if _, _, err := s.Read(b.Context(), "x", 3); err != nil {
			b.Fatal(err)
		}
	}
}
