package problem

import (
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
)

func TestNetworkGradient(t *testing.T) {
	pictures, _ := digits()
	n := newNetwork([3]int{3, 2, 4}, 5)
	x := n.initial(rand.New(rand.NewPCG(1, 1)))
	for _, count := range []int{5, 3} { // a full batch, and the rest at the end of an epoch
		part := pictures.slice(0, count)
		gradcheck.Check(t, func(grad, x []float64) float64 { return n.loss(grad, x, part) }, x, gradcheck.Settings{Step: 1e-5})
	}
}

func BenchmarkTrain(b *testing.B) {
	for b.Loop() {
		Train(Training{0.003, 16, [3]int{16, 16, 16}})
	}
}

func TestTryTrain(t *testing.T) {
	for _, u := range []int{4, 16, 64} {
		for _, lr := range []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1} {
			for _, b := range []int{4, 64} {
				r := Train(Training{lr, b, [3]int{u, u, u}})
				t.Logf("u %d lr %g b %d: %.4f  %.3g  %.2fs  %.3g/s", u, lr, b, r.Error, r.Work, r.Seconds, r.Work/r.Seconds)
			}
		}
	}
}
