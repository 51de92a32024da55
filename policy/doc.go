// Package policy decides what to evaluate next: State → Suggestion, in the unit
// cube, everything maximised. It knows nothing of files, clocks or networks.
//
//	state.go      State: the log of a study as numbers, and what is wrong with one
//	policy.go     Policy, its names, Settings and the two presets
//	suggestion.go Suggestion: the point and its reasons; Plan: what the next call remembers
//	believe.go    two Gaussian processes, pending points included
//	models.go     the same two, to be looked at
//	sensitivity.go how much each coordinate matters to them
//	design.go     the first points, before there is anything to model
//	onestep.go    EI, EI-PUC, EI-PUC-CC
//	multistep.go  B-MS-EI: plan a tree under a fantasy budget
//	budget.go     the fantasy budget
//	search.go     maximising a tree: climb, polish
//	plant.go      where to start: trees grown in rounds
//	pool.go       the points they are grown from
//	blind.go      where the reference starts
//	fresh.go      never the same point twice
//	starts.go     which of many raw points are worth a search
//	maximise.go   many searches at once
//	order.go      sorting points and values
//
// A policy is a function of its State: equal states give equal suggestions, bit
// for bit, on any number of threads, on the same kind of processor.
package policy
