package problem

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func TestRR(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := time.Now()
	sum := 0.
	lo := 0
	p, _ := New("robot", 0, "")
	for range 1000 {
		_, c := p.Evaluate([]float64{rng.Float64(), rng.Float64(), rng.Float64()})
		sum += c
		if c < .11 {
			lo++
		}
	}
	fmt.Println(time.Since(s)/1000, sum/1000, lo)
	for i := range 20 {
		s := time.Now()
		p, _ := New("robot", uint64(i), "")
		x, y := robotTarget(i)
		at, b, n := Search(p, 1000, 4, 1)
		fmt.Printf("ROBOT %d (%.3f,%.3f) %v %v %d %v\n", i, x, y, b, at, n, time.Since(s))
	}
}
func TestLL(t *testing.T) {
	p, err := New("lda", 0, "/work/shared/data")
	if err != nil {
		t.Fatal(err)
	}
	s := time.Now()
	at, b, n := Search(p, 50000, 50, 1)
	fmt.Printf("LDA %v %v %d %v\n", b, at, n, time.Since(s))
}
