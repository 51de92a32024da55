// Package gp is Gaussian-process regression on the unit cube: a Matérn-5/2 kernel
// with a lengthscale per input, hyperparameters by maximum a posteriori, and a
// posterior with exact gradients.
//
// The walk through the package:
//
//	standard.go   targets are standardised first, so that one set of priors fits all units
//	hyper.go      hyperparameters and their priors, MATH.md (2)
//	model.go      Model: data and hyperparameters, factored once, then immutable
//	batch.go      Batch: the posterior of several points at once, and its gradient
//	posterior.go  the same for one point, in the units of the targets
//	evidence.go   what MAP maximises: likelihood and prior with gradient
//	fit.go        MAP: where to start, when to stop, what to fall back on
//
// The kernels themselves, MATH.md (1), are simd.Matern52 and simd.Matern32, a row at a time.
//
// A Model may be shared by any number of goroutines; a Batch belongs to one.
package gp
