package problem

import "math"

// Alpine1: ridges along every axis, −Σ |x_i sin x_i + 0.1 x_i|. In the paper the costs have the base frequency 2π.
// The authors' code, which made the paper's figures, has 2π/10: a tenth as many waves over the box of width 20. We
// follow the code.
var alpine1Formula = formula{
	box: cube(3, -10, 10),
	value: func(x []float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum -= math.Abs(v*math.Sin(v) + 0.1*v)
		}
		return sum
	},
	best:   []float64{0, 0, 0},
	beta0:  2 * math.Pi / 10,
	budget: 60,
}

func alpine1(replication uint64, _ string) (*Problem, error) {
	return alpine1Formula.problem(replication), nil
}
