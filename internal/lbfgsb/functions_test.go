package lbfgsb

import "math"

// negative returns −f: the tests' functions are to be minimised.
func negative(f Func) Func {
	return func(grad, x []float64) float64 {
		value := f(grad, x)
		for i := range grad {
			grad[i] = -grad[i]
		}
		return -value
	}
}

// rosenbrock is Σ a(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)².
func rosenbrock(a float64) Func {
	return func(grad, x []float64) float64 {
		clear(grad)
		sum := 0.0
		for i := range len(x) - 1 {
			bend, rest := x[i+1]-x[i]*x[i], 1-x[i]
			sum += a*bend*bend + rest*rest
			if grad != nil {
				grad[i] -= 4*a*bend*x[i] + 2*rest
				grad[i+1] += 2 * a * bend
			}
		}
		return sum
	}
}

// quadratic is ½xᵀHx − bᵀx.
func quadratic(h [][]float64, b []float64) Func {
	return func(grad, x []float64) float64 {
		sum := 0.0
		for i, row := range h {
			hx := dot(row, x)
			sum += x[i] * (hx/2 - b[i])
			if grad != nil {
				grad[i] = hx - b[i]
			}
		}
		return sum
	}
}

// styblinski is ½Σ(x⁴ − 16x² + 5x).
func styblinski(grad, x []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += (v*v*v*v - 16*v*v + 5*v) / 2
		if grad != nil {
			grad[i] = 2*v*v*v - 16*v + 2.5
		}
	}
	return sum
}

// logSumExp is ln Σ exp(Ax + b).
func logSumExp(a [][]float64, b []float64) Func {
	exponents := make([]float64, len(a))
	return func(grad, x []float64) float64 {
		largest := math.Inf(-1)
		for j, row := range a {
			exponents[j] = dot(row, x) + b[j]
			largest = max(largest, exponents[j])
		}
		sum := 0.0
		for _, e := range exponents {
			sum += math.Exp(e - largest)
		}
		if grad != nil {
			clear(grad)
			for j, row := range a {
				addScaled(grad, math.Exp(exponents[j]-largest)/sum, row)
			}
		}
		return largest + math.Log(sum)
	}
}

// bump is −exp(−‖x − c‖²/(2s²)).
func bump(c []float64, s float64) Func {
	return func(grad, x []float64) float64 {
		square := 0.0
		for i, v := range x {
			square += (v - c[i]) * (v - c[i])
		}
		value := -math.Exp(-square / (2 * s * s))
		for i := range grad {
			grad[i] = -value * (x[i] - c[i]) / (s * s)
		}
		return value
	}
}
