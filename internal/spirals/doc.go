// Package spirals is a small training run, real enough to be tuned: a multi-layer perceptron learns which of two
// intertwined spirals a point belongs to. It is what the quickstart spends its budget on, so that nothing but
// eke itself has to be installed.
//
//	spirals.go  Options, Train, Result: the run, and how it goes on where another ended
//	network.go  the perceptron: its loss and gradient, its data, its steps
//
// Width, layers and epochs decide what a run costs, from milliseconds to seconds; the rate decides whether it is worth it. The
// same options give the same result, bit for bit, on the same kind of processor, and a short run equals the beginning of a longer
// one.
package spirals
