package postgres

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// BenchmarkAppend is one event after another to one study, each on disk before the next.
func BenchmarkAppend(b *testing.B) {
	s := opened(b, newSchema(b))
	if err := s.Create(b.Context(), storetest.Header("x", 1e9)); err != nil {
		b.Fatal(err)
	}
	var version int64
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := s.Append(b.Context(), "x", version, storetest.Numbered(version, storetest.Asked(int(version)+1, 1))...); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
		version++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs/p99")
}

// BenchmarkAppendAtOnce is eight studies side by side: their commits share the disk's syncs.
func BenchmarkAppendAtOnce(b *testing.B) {
	const studies = 8
	s := opened(b, newSchema(b)+"&pool_max_conns=8")
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	for i := range studies {
		name := string(rune('a' + i))
		if err := s.Create(b.Context(), storetest.Header(name, 1e9)); err != nil {
			b.Fatal(err)
		}
		wg.Go(func() {
			for version := int64(0); left.Add(-1) >= 0; version++ {
				if err := s.Append(b.Context(), name, version, storetest.Numbered(version, storetest.Asked(int(version)+1, 1))...); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// large makes a study of 10,000 events.
func large(b *testing.B) string {
	url := newSchema(b)
	storetest.Large(b, opened(b, url))
	return url
}

func BenchmarkOpen(b *testing.B) {
	url := large(b)
	for b.Loop() {
		s := opened(b, url)
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
	s := opened(b, newSchema(b))
	fill(b, s, 3)
	for b.Loop() {
		if _, _, err := s.Read(b.Context(), "x", 3); err != nil {
			b.Fatal(err)
		}
	}
}
