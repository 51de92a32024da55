package problem

import "testing"

func BenchmarkForest(b *testing.B) {
	h := boston()
	for b.Loop() {
		h.score(forestSettings{256, 64, 13, 1})
	}
}
