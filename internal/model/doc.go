// Package model turns observations into beliefs.
//
// A State goes in: the log of a study as numbers. Fitter.Believe returns Beliefs, everything that is known when a point is chosen. One
// pipeline (fitAnew in fit.go) fits a list of quantities (quantities in data.go): the values, as they are or transformed to be more nearly
// normal, the logarithms of the costs, and whatever else evaluations report. The chance that an evaluation has a value at all has a model
// of its own, outside this list (newFails).
//
// Hyperparameters are kept while they are good. If there are few new data and the last plan's models predict them, these models gain the data, and
// nothing is searched. Otherwise candidates compete for every quantity, and the likeliest one is extended to all data. Levels of fidelity that tell
// nothing are given up, and the models follow an earlier study where it predicts this one (earlier.go).
//
// Evaluations under way are believed to return what is expected of them (believe.go). Forecasts are as wide as past forecasts were wrong
// (forecast.go). A Memory keeps the models while no result comes in.
//
// A new quantity is an entry of that list. Everything that is kept by quantity is a list in the same order: models, plans, tracks and
// widths of forecasts, what is assumed about evaluations under way, and the models of an earlier study. Formulas know the first two by
// name. Quantities with limits come next (State.Further): a gain counts as much as the chance to meet them (acq.Limit). Further
// objectives come last (State.Aims).
package model
