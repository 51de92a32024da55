//go:build zz

package problem

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestZZCC(t *testing.T) {
	p, _ := New("cnn", 0, "")
	for seed := range 2 {
		s := time.Now()
		at, b, n := Search(p, 100000, 50, uint64(seed))
		fmt.Printf("CNN %v %#v %d %v %+v\n", b, at, n, time.Since(s), trainingAt(at))
	}
	rows, _ := readTable(bytes.NewReader(cnnFile))
	rng := rand.New(rand.NewPCG(1, 1))
	best := candidate{value: -9}
	mw, me := 0., 1.
	h := map[int]int{}
	for _, r := range rows {
		c := candidate{at: r.unit()}
		c.value, _ = p.Evaluate(c.at)
		c.climb(p, rng)
		if c.value > best.value {
			best = c
		}
		mw += r.Work / float64(len(rows))
		me = min(me, r.Error)
		h[int(r.Error*10)]++
	}
	fmt.Println("from table", best, len(rows), mw, me, h)
	// out-of-bag-like: 5 fold
	var e, te, ce, cte []float64
	for k := range 5 {
		var tr, ts []tableRow
		for i, r := range rows {
			if i%5 == k {
				ts = append(ts, r)
			} else {
				tr = append(tr, r)
			}
		}
		s := fitCNN(tr)
		for _, r := range ts {
			e = append(e, s.error.predict(r.unit()))
			te = append(te, r.Error)
			ce = append(ce, s.logHours.predict(r.unit()))
			cte = append(cte, math.Log(r.Work/cnnHour))
		}
	}
	fmt.Println("R2", rSquared(te, e), rSquared(cte, ce))
}
