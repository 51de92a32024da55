// Package acq holds the one-step acquisition functions: expected improvement, expected
// improvement per unit of cost, expected improvement within a budget, the Gittins index and, while
// nothing meets the limits, the chance to meet them per cost. Each comes with its gradient. With
// several objectives, improvement is the gain in hypervolume (front.go).
//
// Everything but the index is computed as a logarithm, and the plain value is its exponential.
// A product of probabilities is then a sum, and far from the incumbent, where the
// value underflows, the logarithm and its gradient stay useful (Ament et al. 2023).
package acq
