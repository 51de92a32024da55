// Package acq holds the one-step acquisition functions: the Gittins index, and expected improvement, plain, per unit of cost or
// within a budget. While nothing meets the limits, the chance of meeting them, per unit of median cost, takes their place. Each function comes with its
// gradient. With several objectives, improvement is the gain in hypervolume (front.go).
//
// Everything but the index is computed as a logarithm, and the plain value is its exponential.
// A product of probabilities is then a sum, and far from the incumbent, where the
// value underflows, the logarithm and its gradient stay useful (Ament et al. 2023).
package acq
