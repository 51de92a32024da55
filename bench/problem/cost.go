package problem

import (
	"math"
	"math/rand/v2"
)

// waves are the synthetic costs of the paper's §5.1,
//
//	ln c(x) = α · mean_i cos(β (x_i − x*_i + γ)),
//
// with x in the problem's own units and x* its maximiser. The phase γ decides whether the neighbourhood of the
// maximiser is expensive or cheap.
type waves struct {
	alpha, beta, gamma float64
	around             []float64 // x*
}

// drawWaves draws the costs of a replication: α from [0.75, 1.5], β = b·β0 with b from [1, 3], and γ from
// [0, 2π]. Problems share the draws of a replication, as in the authors' code.
func drawWaves(replication uint64, beta0 float64, around []float64) waves {
	const stream = 0x77617665 // keeps these draws apart from others of the same replication
	rng := rand.New(rand.NewPCG(replication, stream))
	return waves{
		alpha:  interval{0.75, 1.5}.at(rng.Float64()),
		beta:   interval{1, 3}.at(rng.Float64()) * beta0,
		gamma:  interval{0, 2 * math.Pi}.at(rng.Float64()),
		around: around,
	}
}

// at returns c(x).
func (w waves) at(x []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += math.Cos(w.beta * (v - w.around[i] + w.gamma))
	}
	return math.Exp(w.alpha * sum / float64(len(x)))
}
