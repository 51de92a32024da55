package problem

import "math"

// Dropwave: rings around the maximiser, each lower than the one inside it. The paper's text prints the formula
// without its cosine; the authors' code has it.
var dropwaveFormula = formula{
	box: cube(2, -5.12, 5.12),
	value: func(x []float64) float64 {
		square := x[0]*x[0] + x[1]*x[1]
		return (1 + math.Cos(12*math.Sqrt(square))) / (0.5*square + 2)
	},
	best:   []float64{0, 0},
	beta0:  2 * math.Pi / 5.12,
	budget: 40,
}

func dropwave(replication uint64, _ string) (*Problem, error) {
	return dropwaveFormula.problem(replication), nil
}
