package problem

import "math"

// Shekel's function with five foxholes, Σ_j 1/(‖x − C_j‖² + b_j), as in Dixon and Szegő, Towards Global
// Optimisation 2, 1978.
var (
	shekelHoles = [5][4]float64{{4, 4, 4, 4}, {1, 1, 1, 1}, {8, 8, 8, 8}, {6, 6, 6, 6}, {3, 7, 3, 7}}
	shekelDepth = [5]float64{0.1, 0.2, 0.2, 0.4, 0.4}
)

var shekel5Formula = formula{
	box: cube(4, 0, 10),
	value: func(x []float64) float64 {
		sum := 0.0
		for j, hole := range shekelHoles {
			distance := shekelDepth[j]
			for i, v := range x {
				distance += (v - hole[i]) * (v - hole[i])
			}
			sum += 1 / distance
		}
		return sum
	},
	// The other holes pull the maximiser a little away from (4,4,4,4). From the fixed point of ∇f = 0, that is
	// x = Σ_j C_j w_j / Σ_j w_j with w_j = (‖x−C_j‖²+b_j)⁻², in 200-bit arithmetic; f* = 10.153199679058227.
	best: []float64{4.0000371528196762, 4.0001332765915601, 4.0000371528196762, 4.0001332765915601},
	// The costs are centred on the hole itself, as in the authors' code.
	around: []float64{4, 4, 4, 4},
	beta0:  2 * math.Pi / 4,
	budget: 80,
}

func shekel5(replication uint64, _ string) (*Problem, error) {
	return shekel5Formula.problem(replication), nil
}
