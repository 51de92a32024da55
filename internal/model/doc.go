// Package model turns observations into beliefs.
//
// A State, the log of a study as numbers, goes in. Fitter.Believe returns Beliefs, everything that is known when a point is chosen. Before the first
// result (with levels of fidelity, a result or two looks with known costs), these hold the state alone. One pipeline (fitAnew in fit.go) fits a list of quantities (quantities in data.go). These
// are the values, perhaps transformed to be more nearly normal, and the logarithms of the costs; then the quantities with limits
// (State.Further), each once it was reported twice, and further objectives (State.Aims). Outside this list, another model gives the chance that an evaluation has a value at all
// (newFails).
//
// Hyperparameters are kept while they are good. If there are few new data, compared with the old, and the last plan's models predict them, the new data are added to these
// models. Otherwise candidate models compete for every quantity, and the likeliest candidate is extended to as many data as a model holds. Levels of fidelity that tell
// nothing are given up, and the models follow an earlier study where it predicts this one (earlier.go).
//
// With noise, the best value is the highest posterior mean, and a noisy quantity meets its limit if its mean does.
//
// Evaluations under way are assumed to return what the models expect, and their expected costs are set aside (believe.go). Forecasts are as wide as past errors suggest
// (forecast.go). A Memory keeps the models while no result comes in.
//
// A new quantity with a limit is an entry of State.Further, and needs nothing here. Another kind of quantity also needs its place in reported
// (aims.go), observed (data.go) and aimed (front.go). Everything that is kept by quantity is a list in the same order: models, plans, tracks and widths of forecasts,
// assumptions about evaluations under way, and the models of an earlier study. Formulas know the first two quantities by name. Gains are
// multiplied by the chance of a value (acq.Fails), and by the chance of meeting the limits (acq.Limit).
package model
