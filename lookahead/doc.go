// Package lookahead is the one-shot scenario tree of budgeted multi-step expected
// improvement (B-MS-EI), MATH.md §4: its layout, its value, its exact gradient.
//
// The tree plans N evaluations ahead. The root is the next point. Each node, once evaluated in
// imagination, has m children, one a fantasy of what its evaluation might
// return; each child has a point of its own. The value is the sum over levels of the
// mean, over the level's nodes, of expected improvement within what money is left on
// the way there. All points are chosen at once, by maximising that value over all of
// them together; the root's point is the answer.
//
//	shape.go    who is whose parent, and where a node stands in memory
//	samples.go  the base samples ε that the fantasies are made of
//	tree.go     Tree: belief, shape and samples; Walk: the scratch memory of one goroutine
//	forward.go  the walk out from the root: posterior, incumbent and money of each node
//	back.go     the walk back: the gradient
//	grow.go     whole trees grown greedily from a pool of points: where a search may start
//	path.go     what the tree would do if all went as expected
//	advance.go  the next tree from the last one, once the root was really evaluated
package lookahead
