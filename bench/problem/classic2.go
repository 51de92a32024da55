package problem

import "math"

// Classics of two parameters.

var branin = classicFunction{
	name: "Branin", box: box{{-5, 10}, {0, 15}},
	value: func(x []float64) float64 {
		a := x[1] - 5.1/(4*math.Pi*math.Pi)*x[0]*x[0] + 5/math.Pi*x[0] - 6
		return a*a + 10*(1-1/(8*math.Pi))*math.Cos(x[0]) + 10
	},
	best: []float64{math.Pi, 2.275},
}

var camel = classicFunction{
	name: "Six-hump camel", box: box{{-3, 3}, {-2, 2}},
	value: func(x []float64) float64 {
		a, b := x[0]*x[0], x[1]*x[1]
		return (4-2.1*a+a*a/3)*a + x[0]*x[1] + (4*b-4)*b
	},
	best: []float64{0.08984201368301331, -0.7126564032704135},
}

var goldstein = classicFunction{
	name: "Goldstein–Price", box: cube(2, -2, 2),
	value: func(x []float64) float64 {
		a, b := x[0], x[1]
		p, q := a+b+1, 2*a-3*b
		return (1 + p*p*(19-14*a+3*a*a-14*b+6*a*b+3*b*b)) * (30 + q*q*(18-32*a+12*a*a+48*b-36*a*b+27*b*b))
	},
	best: []float64{0, -1},
}

var michalewicz2 = classicFunction{
	name: "Michalewicz", box: cube(2, 0, math.Pi),
	value: func(x []float64) float64 {
		sum := 0.0
		for i, v := range x {
			sum -= math.Sin(v) * math.Pow(math.Sin(float64(i+1)*v*v/math.Pi), 20)
		}
		return sum
	},
	best: []float64{2.2029055201726, math.Pi / 2},
}

// Bukin's sixth has a crease along a parabola, and a kink in it.
var bukin = classicFunction{
	name: "Bukin N. 6", box: box{{-15, -5}, {-3, 3}},
	value: func(x []float64) float64 {
		return 100*math.Sqrt(math.Abs(x[1]-0.01*x[0]*x[0])) + 0.01*math.Abs(x[0]+10)
	},
	best: []float64{-10, 1},
}

var beale = classicFunction{
	name: "Beale", box: cube(2, -4.5, 4.5),
	value: func(x []float64) float64 {
		a, b := x[0], x[1]
		p, q, r := 1.5-a+a*b, 2.25-a+a*b*b, 2.625-a+a*b*b*b
		return p*p + q*q + r*r
	},
	best: []float64{3, 0.5},
}

var eggholder = classicFunction{
	name: "Eggholder", box: cube(2, -512, 512),
	value: func(x []float64) float64 {
		a, b := x[0], x[1]+47
		return -b*math.Sin(math.Sqrt(math.Abs(b+a/2))) - a*math.Sin(math.Sqrt(math.Abs(a-b)))
	},
	best: []float64{512, 404.2318051},
}

var schwefel2 = classicFunction{
	name: "Schwefel", box: cube(2, -500, 500),
	value: func(x []float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum -= v * math.Sin(math.Sqrt(math.Abs(v)))
		}
		return sum
	},
	best: []float64{420.968746359982, 420.968746359982},
}
