package policy

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/lookahead"
)

// A plan's first step must earn its price.
//
// On a path the fantasies sit on the posterior means. Conditioning on them moves no mean and only takes variance
// away, so a step can teach the steps after it nothing: it earns by its own improvement, or not at all. A
// path whose worth lies in its later steps is therefore the same plan in a worse order, and the money for its first step
// is better spent on the step that earns. A tree is another matter: there a first step may be worth its price
// for what it tells.

// earningFirst returns a path with its most valuable step moved to the front, if the first step holds less than
// the given part of the path's value.
func earningFirst(path maximise.Peak, walk *lookahead.Walk, t selector, part float64) maximise.Peak {
	d := t.state.Dim
	improvement := acq.Budgeted(walk.Belief()).Log()
	if improvement.Eval(nil, path.X[:d])-path.Value >= math.Log(part) {
		return path
	}
	first, highest := 0, math.Inf(-1)
	for k := 0; k*d < len(path.X); k++ {
		x := path.X[k*d : (k+1)*d]
		if v := improvement.Eval(nil, x); v > highest && t.isFresh(x) {
			first, highest = k, v
		}
	}
	if first == 0 {
		return path
	}
	x := slices.Concat(path.X[first*d:(first+1)*d], path.X[:first*d], path.X[(first+1)*d:])
	return maximise.Peak{X: x, Value: walk.LogValue(nil, x)}
}
