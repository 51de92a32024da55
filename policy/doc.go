// Package policy decides what to evaluate next: it turns a State, the log of a study as numbers, into a Suggestion, a
// point and the reasons for it. Points lie in the unit cube and values are maximised. The package knows nothing of
// files, clocks or networks.
//
// A suggestion is made in four steps. Suggest in policy.go follows this list.
//
// The history (history.go) says which points not to suggest again, and which observations are modelled.
//
// The models (fit.go) are two Gaussian processes, of the values and of the logarithms of the costs. Several candidates
// compete for the values. At pending points they are assumed to be right (believe.go). While no result comes in, a Memory keeps them
// for the next suggestion (memory.go).
//
// A policy makes the choice: the initial design (design.go), the best point for one step (onestep.go, gittins.go), or the
// first step of the best plan (multistep.go) under a separate budget (budget.go). One-step searches keep to the values of choices (choices.go).
//
// The selection (selector.go) turns the results of a search into a point that is a setting, and a new
// one.
//
// Where evaluations have several levels of fidelity (levels.go), cheap looks compete with what was chosen (look.go, lookbundle.go,
// lookplan.go), or the levels are climbed by successive halving (halving.go, asha.go, hyperband.go).
//
// Fit returns the models themselves (models.go), to plot them or to find out how much each coordinate matters
// (sensitivity.go). They also say what the rest of the money would buy (rest.go), by simulating the rest of the study
// (rehearsal.go, walk.go) with several models that may be true (possible.go).
//
// A policy is a function of its State: equal states give equal suggestions, bit
// for bit, on any number of threads, on the same kind of processor.
package policy
