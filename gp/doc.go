// Package gp is Gaussian-process regression on the unit cube: a Matérn kernel
// with a lengthscale for each input, hyperparameters by maximum a posteriori, and a
// posterior with exact gradients. The mathematics is in MATH.md §2.
//
// Fit standardises the targets (standard.go), so that one set of priors (hyper.go) fits all units, and maximises the
// evidence (evidence.go) to find the hyperparameters (fit.go). Its result is a Model (model.go): data and
// hyperparameters, factored once and then immutable. Ask a Model about one point in the units of the targets
// (posterior.go), draw from it (sample.go), or ask about many points at once with a Batch (batch.go), which also returns gradients.
//
// Targets that are far from normal can be transformed first, with a Warp (warp.go).
//
// A Model may be shared by any number of goroutines; a Batch belongs to one.
package gp
