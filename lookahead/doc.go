// Package lookahead is the one-shot scenario tree of budgeted multi-step expected
// improvement (B-MS-EI), MATH.md §4: its layout, its value, its exact gradient.
//
// The tree plans N evaluations ahead. The root is the next point. A fantasy is an imagined outcome of a
// node's evaluation; each node has one child for each of its fantasies, and each child has a point of its
// own. The value of the tree is the sum over levels of the
// mean, over the level's nodes, of expected improvement within the money that is left on
// the way there. All points are chosen at once, by maximising that value over all of them together. The
// result is the root's point.
//
// A Shape (shape.go) and base Samples (samples.go) make a Tree (tree.go). A Walk through it computes its value (forward.go)
// and its gradient (back.go). Good starting trees for a maximisation are grown from a Pool of points (grow.go), or made
// from the last tree by Advance (advance.go) once its root has been evaluated. LikeliestPath (path.go) says what a tree
// would do if all went as expected.
package lookahead
