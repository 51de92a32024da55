// Package maximise finds maxima in the unit cube by local searches from many starts.
//
// The usual way is three steps: spread raw points over the cube (RawPoints) and evaluate them (Evaluate); choose the
// promising ones as starts (PickStarts); run a local search from each (From) and take the best end point
// (Result.Top).
//
// No result depends on the number of threads. When the context ends, a maximisation returns what it has found so far.
package maximise
