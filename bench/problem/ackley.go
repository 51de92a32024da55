package problem

import "math"

// Ackley's function, negated, with its usual constants 20, 0.2 and 2π. (D. H. Ackley, A Connectionist Machine for Genetic
// Hillclimbing, 1987.) The paper's box is small, [−1,1]³, where the waves are not yet lost in the funnel.
var ackleyFormula = formula{
	box: cube(3, -1, 1),
	value: func(x []float64) float64 {
		squares, cosines := 0.0, 0.0
		for _, v := range x {
			squares += v * v
			cosines += math.Cos(2 * math.Pi * v)
		}
		n := float64(len(x))
		// The two brackets are each zero at the maximiser, without rounding.
		return 20*(math.Exp(-0.2*math.Sqrt(squares/n))-1) + (math.Exp(cosines/n) - math.Exp(1))
	},
	best:   []float64{0, 0, 0},
	beta0:  2 * math.Pi,
	budget: 60,
}

func ackley(replication uint64, _ string) (*Problem, error) {
	return ackleyFormula.problem(replication), nil
}
