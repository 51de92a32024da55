package lbfgsb

import "math"

// A sample is a step of the line search with the value and the slope there.
type sample struct {
	step, value, slope float64
}

// cubicMinimiser returns where the cubic through two samples has its minimum.
//
// With θ = 3(φ₀ − φ₁)/(t₁ − t₀) + φ′₀ + φ′₁ and γ = ±√(θ² − φ′₀φ′₁), the cubic's
// derivative vanishes at t₀ + ρ(t₁ − t₀), ρ = (γ − φ′₀ + θ)/(2γ − φ′₀ + φ′₁), and
// γ with the sign of t₁ − t₀ picks the minimum. The square root is scaled
// against overflow. If the cubic has no minimum, γ² < 0, zero stands for γ.
func cubicMinimiser(p, q sample) float64 {
	theta := 3*(p.value-q.value)/(q.step-p.step) + p.slope + q.slope
	scale := max(math.Abs(theta), math.Abs(p.slope), math.Abs(q.slope))
	if scale == 0 {
		return q.step
	}
	t := theta / scale
	gamma := scale * math.Sqrt(max(0, t*t-(p.slope/scale)*(q.slope/scale)))
	if q.step < p.step {
		gamma = -gamma
	}
	rho := (gamma - p.slope + theta) / (2*gamma - p.slope + q.slope)
	return p.step + rho*(q.step-p.step)
}

// quadraticMinimiser returns the minimiser of the parabola through p, with its
// slope, and q.
func quadraticMinimiser(p, q sample) float64 {
	h := q.step - p.step
	return p.step + 0.5*h*p.slope/((p.value-q.value)/h+p.slope)
}

// secantMinimiser returns where the straight line through both slopes is zero.
func secantMinimiser(p, q sample) float64 {
	return q.step + q.slope/(q.slope-p.slope)*(p.step-q.step)
}
