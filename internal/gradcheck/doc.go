// Package gradcheck compares analytic gradients with finite differences.
//
// It is the only finite-difference checker in the project: every derivative is
// a func(grad, x []float64) float64, so one checker serves them all.
package gradcheck
