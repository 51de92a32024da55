package problem

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func BenchmarkForest(b *testing.B) {
	h := boston()
	for b.Loop() {
		h.score(forestSettings{256, 64, 13, 1})
	}
}
func TestBB(t *testing.T) {
	s := time.Now()
	b, a := searchBoston(func(f, d int) { fmt.Fprintln(os.Stderr, f, d, time.Since(s)) })
	fmt.Printf("BEST %v %+v\n", b, a)
}
