package problem

import (
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
)

func TestNetworkGradient(t *testing.T) {
	pictures, _ := digits()
	n := newNetwork([3]int{3, 2, 4}, 5)
	rng := rand.New(rand.NewPCG(1, 1))
	x := n.initial(rng)
	for i := range x {
		x[i] += 0.1 * rng.NormFloat64() // with biases of zero the blank corners stand on the rectifier's kink
	}
	for _, count := range []int{5, 3} { // a full batch, and the rest at the end of an epoch
		part := pictures.slice(0, count)
		gradcheck.Check(t, func(grad, x []float64) float64 { return n.loss(grad, x, part) }, x, gradcheck.Settings{Step: 1e-5})
	}
}
