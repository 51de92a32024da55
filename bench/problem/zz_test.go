//go:build zz

package problem

import (
	"fmt"
	"testing"
	"time"
)

func BenchmarkForest(b *testing.B) {
	h := boston()
	for b.Loop() {
		h.score(forestSettings{256, 64, 13, 1})
	}
}
func TestZZBB(t *testing.T) {
	s := time.Now()
	a, b, n := searchBoston()
	fmt.Printf("BEST %v %+v %d %v\n", b, a, n, time.Since(s))
}
