// Package normal has the standard normal distribution and the functions of expected improvement
// that are built on it. Each is stable over the whole real line, and so is its logarithm.
//
// With φ the density and Φ the distribution function, h(t) = φ(t) + tΦ(t) is
// the expected improvement of a standard normal: E[max(Z+t, 0)]. In the left
// tail the definition of h cancels, and φ, Φ and h all underflow near t = −38
// while their logarithms are ordinary numbers (Ament et al. 2023, "Unexpected
// Improvements to Expected Improvement for Bayesian Optimization").
//
// Everything here rests on one smooth positive function of x ≥ 0,
//
//	D(x) = Φ(−x) / h(−x),
//
// the derivative of ln h at −x. Since h = φ − xΦ at −x, it gives the following ratios without any
// subtraction,
//
//	φ/Φ = x + 1/D      h/φ = 1/(1 + xD)      Φ/φ = 1/(x + 1/D)
//
// so values and derivatives in the tail have full relative accuracy and share one evaluation of D.
package normal
