// Package gp is Gaussian-process regression on the unit cube. Kernels are Matérn or Gaussian, with a lengthscale for each input.
// Hyperparameters are found by maximum a posteriori, and the posterior has exact gradients. The mathematics is in MATH.md §2.
//
// Fit standardises the targets, so that one set of priors (hyper.go) fits all units, and maximises the
// evidence times the prior (evidence.go) to find the hyperparameters (fit.go). Its result is a Model (model.go): data and
// hyperparameters, factored once and then immutable. Ask a Model about one point in the units of the targets,
// draw from it, or ask about many points at once with a Batch (batch.go), which also returns gradients. A Pool is for points
// at which many observations are imagined one after the other.
//
// Data may be of several levels of fidelity (fading.go). If only the sign of a function is seen, signs are data (signs.go). A model
// may follow another model, such as that of an earlier study (trend.go), or a law, as costs do (law.go). Targets that are far from
// normal can be transformed first, with a Warp (warp.go).
//
// A Model may be shared by any number of goroutines; a Batch or a Pool belongs to one.
package gp
