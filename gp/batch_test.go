package gp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
)

// weighted is a random weighted sum of everything that a Batch computes, with its gradient by Pull.
func weighted(m *Model, rows int, pairs [][2]int, rng *rand.Rand) gradcheck.Func {
	return weightedOf(m.NewBatch(rows, pairs), rows, pairs, rng)
}

func weightedOf(b *Batch, rows int, pairs [][2]int, rng *rand.Rand) gradcheck.Func {
	draw := func(n int) []float64 {
		w := make([]float64, n)
		for i := range w {
			w[i] = rng.NormFloat64()
		}
		return w
	}
	mean, variance, cov := draw(rows), draw(rows), draw(len(pairs))
	return func(grad, x []float64) float64 {
		b.Forward(x, grad != nil)
		sum := 0.0
		for i := range rows {
			sum += mean[i]*b.Mean[i] + variance[i]*b.Var[i]
		}
		for i := range pairs {
			sum += cov[i] * b.Cov[i]
		}
		if grad != nil {
			copy(b.MeanBar, mean)
			copy(b.VarBar, variance)
			copy(b.CovBar, cov)
			clear(grad)
			b.Pull(grad)
		}
		return sum
	}
}

func TestPullIsTheGradientOfForward(t *testing.T) {
	for _, c := range []struct{ n, dim, rows int }{{0, 2, 2}, {1, 1, 1}, {3, 2, 4}, {8, 3, 3}, {25, 5, 4}, {60, 2, 6}} {
		for _, kernel := range kernels {
			t.Run(fmt.Sprintf("n=%d,d=%d,rows=%d,kernel=%d", c.n, c.dim, c.rows, kernel), func(t *testing.T) {
				rng := newRand(uint64(7 + c.n))
				m := modelWith(kernel, rng, c.n, c.dim)
				for _, pairs := range [][][2]int{nil, {{c.rows - 1, 0}}, allPairs(c.rows)} {
					f := weighted(m, c.rows, pairs, rng)
					gradcheck.Check(t, f, flatten(cloud(rng, c.rows, c.dim)), gradcheck.Settings{})
				}
			})
		}
	}
}

// At a datum, and at another row's point, distances are zero. A division by r would show there.
func TestPullAtDataAndAtDuplicates(t *testing.T) {
	for dim := 1; dim <= 4; dim++ {
		rng := newRand(uint64(dim))
		x := cloud(rng, 12, dim)
		x[3] = x[2] // a datum observed twice
		y := wavy(x)
		y[3]++
		m := New(x, y, Standardise(y), someHyper(rng, dim))
		free := cloud(rng, 1, dim)[0]
		points := [][]float64{x[0], x[2], x[0], free, free}
		gradcheck.Check(t, weighted(m, len(points), allPairs(len(points)), rng), flatten(points), gradcheck.Settings{})
	}
}

// Pull adds to the contents of grad.
func TestPullAdds(t *testing.T) {
	m := someModel(newRand(1), 9, 2)
	f := weighted(m, 2, nil, newRand(2))
	x := []float64{0.1, 0.2, 0.3, 0.4}
	want := make([]float64, 4)
	f(want, x)
	b := m.NewBatch(2, nil)
	b.Forward(x, true)
	rng := newRand(2)
	for _, bar := range [][]float64{b.MeanBar, b.VarBar} {
		for i := range bar {
			bar[i] = rng.NormFloat64()
		}
	}
	grad := []float64{10, 20, 30, 40}
	b.Pull(grad)
	var off worst
	for i, v := range grad {
		off.see(v-10*float64(i+1), want[i], 1)
	}
	if off > 1e-12 {
		t.Errorf("grad %v, want %v more than it was", grad, want)
	}
	b.ClearBars()
	b.Forward(x, true)
	clear(grad)
	b.Pull(grad)
	for _, v := range grad {
		if v != 0 {
			t.Errorf("a gradient %v after ClearBars", grad)
		}
	}
}

func TestForwardRefusesWrongLength(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	someModel(newRand(1), 5, 2).NewBatch(2, nil).Forward(make([]float64, 3), false)
}

func TestForwardAndPullDoNotAllocate(t *testing.T) {
	rng := newRand(1)
	const rows, dim = 6, 3
	b := someModel(rng, 30, dim).NewBatch(rows, allPairs(rows))
	x, grad := flatten(cloud(rng, rows, dim)), make([]float64, rows*dim)
	for i := range b.CovBar {
		b.CovBar[i] = 1
	}
	if n := testing.AllocsPerRun(50, func() {
		b.Forward(x, true)
		b.Pull(grad)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkForwardPull(b *testing.B) {
	for _, dim := range []int{3, 5} {
		for _, n := range []int{50, 100, 200} {
			for _, rows := range []int{1, 4, 53} {
				b.Run(fmt.Sprintf("d=%d/n=%d/rows=%d", dim, n, rows), func(b *testing.B) {
					rng := newRand(1)
					batch := someModel(rng, n, dim).NewBatch(rows, nil)
					x, grad := flatten(cloud(rng, rows, dim)), make([]float64, rows*dim)
					for i := range rows {
						batch.MeanBar[i], batch.VarBar[i] = 1, 1
					}
					for b.Loop() {
						batch.Forward(x, true)
						batch.Pull(grad)
					}
				})
			}
		}
	}
}
