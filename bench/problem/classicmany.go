package problem

import (
	"math"
	"slices"
)

// Classics of three and more parameters. Where the usual box is symmetric about the minimiser, it is shifted: the middle of a box is too
// easy to guess.

var hartmann3 = classicFunction{
	name: "Hartmann", box: cube(3, 0, 1),
	value: func(x []float64) float64 {
		return hartmann(x, [][]float64{{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}},
			[][]float64{{3689, 1170, 2673}, {4699, 4387, 7470}, {1091, 8732, 5547}, {381.5, 5743, 8828}})
	},
	best: []float64{0.11461434, 0.55564885, 0.85254695},
}

var hartmann6 = classicFunction{
	name: "Hartmann", box: cube(6, 0, 1),
	value: func(x []float64) float64 {
		return hartmann(x, hartmannA, hartmannP)
	},
	best: []float64{0.20168952, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730054},
}

// The shapes and the centres of the peaks of hartmann6.
var (
	hartmannA = [][]float64{{10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}}
	hartmannP = [][]float64{{1312, 1696, 5569, 124, 8283, 5886}, {2329, 4135, 8307, 3736, 1004, 9991},
		{2348, 1451, 3522, 2883, 3047, 6650}, {4047, 8828, 8732, 5743, 1091, 381}}
)

// hartmann takes its centres in ten-thousandths.
func hartmann(x []float64, a, p [][]float64) float64 {
	sum := 0.0
	for i, weight := range []float64{1, 1.2, 3, 3.2} {
		distance := 0.0
		for j, v := range x {
			distance += a[i][j] * (v - p[i][j]/1e4) * (v - p[i][j]/1e4)
		}
		sum -= weight * math.Exp(-distance)
	}
	return sum
}

var rastrigin3 = classicFunction{
	name: "Rastrigin", box: cube(3, -1.5, 2.5),
	value: func(x []float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += v*v + 10*(1-math.Cos(2*math.Pi*v))
		}
		return sum
	},
	best: []float64{0, 0, 0},
}

var griewank3 = classicFunction{
	name: "Griewank", box: cube(3, -5, 10),
	value: func(x []float64) float64 {
		sum, product := 0.0, 1.0
		for i, v := range x {
			sum += v * v / 4000
			product *= math.Cos(v / math.Sqrt(float64(i+1)))
		}
		return sum - product + 1
	},
	best: []float64{0, 0, 0},
}

var rosenbrock4 = classicFunction{
	name: "Rosenbrock", box: cube(4, -2.048, 2.048),
	value: func(x []float64) float64 {
		sum := 0.0
		for i, v := range x[:len(x)-1] {
			a := x[i+1] - v*v
			sum += 100*a*a + (v-1)*(v-1)
		}
		return sum
	},
	best: []float64{1, 1, 1, 1},
}

func levy(dim int) classicFunction {
	return classicFunction{
		name: "Levy", box: cube(dim, -10, 10),
		value: func(x []float64) float64 {
			w := func(i int) float64 { return 1 + (x[i]-1)/4 }
			last := len(x) - 1
			sine := math.Sin(math.Pi * w(0))
			sum := sine * sine
			for i := range last {
				s := math.Sin(math.Pi*w(i) + 1)
				sum += (w(i) - 1) * (w(i) - 1) * (1 + 10*s*s)
			}
			s := math.Sin(2 * math.Pi * w(last))
			return sum + (w(last)-1)*(w(last)-1)*(1+s*s)
		},
		best: slices.Repeat([]float64{1}, dim),
	}
}

var styblinski4 = classicFunction{
	name: "Styblinski–Tang", box: cube(4, -5, 5),
	value: func(x []float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += (v*v*v*v - 16*v*v + 5*v) / 2
		}
		return sum
	},
	best: slices.Repeat([]float64{-2.903534027771177}, 4),
}

var colville = classicFunction{
	name: "Colville", box: cube(4, -10, 10),
	value: func(x []float64) float64 {
		p, q := x[0]*x[0]-x[1], x[2]*x[2]-x[3]
		b, d := x[1]-1, x[3]-1
		return 100*p*p + (x[0]-1)*(x[0]-1) + (x[2]-1)*(x[2]-1) + 90*q*q + 10.1*(b*b+d*d) + 19.8*b*d
	},
	best: []float64{1, 1, 1, 1},
}

var powell4 = classicFunction{
	name: "Powell", box: cube(4, -4, 5),
	value: func(x []float64) float64 {
		a, b, c, d := x[0]+10*x[1], x[2]-x[3], x[1]-2*x[2], x[0]-x[3]
		return a*a + 5*b*b + c*c*c*c + 10*d*d*d*d
	},
	best: []float64{0, 0, 0, 0},
}

var zakharov4 = classicFunction{
	name: "Zakharov", box: cube(4, -5, 10),
	value: func(x []float64) float64 {
		squares, sum := 0.0, 0.0
		for i, v := range x {
			squares += v * v
			sum += 0.5 * float64(i+1) * v
		}
		return squares + sum*sum + sum*sum*sum*sum
	},
	best: []float64{0, 0, 0, 0},
}

// Trid's minimiser is x_i = i(d+1−i).
var trid6 = classicFunction{
	name: "Trid", box: cube(6, -36, 36),
	value: func(x []float64) float64 {
		sum := 0.0
		for i, v := range x {
			sum += (v - 1) * (v - 1)
			if i > 0 {
				sum -= v * x[i-1]
			}
		}
		return sum
	},
	best: []float64{6, 10, 12, 12, 10, 6},
}
