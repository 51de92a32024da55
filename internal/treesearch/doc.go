// Package treesearch maximises a scenario tree, MATH.md §6: it finds good points for all nodes at once.
//
// A tree has many variables: the coordinates of all its nodes. Nearly all trees with points spread blindly waste
// nearly all of their nodes. So the search prepares its starts, in three steps.
//
// The pool (pool.go) is a set of points that are good for one step, or cheap, or far from the others.
//
// The rounds (rounds.go) grow whole trees from the pool, a tree for each promising root, and search from the best of
// them. The points of the best trees enter the pool of the next round, so that another tree can use a point that one
// tree found for a node. Searches are short at first; those that look best continue to the end. A few starts are
// fixed: the caller's, the tree's first two levels solved by themselves, and blind ones (blind.go) as in the
// reference. If growing is misled, the search is therefore not worse than the reference's.
//
// The polish (climb.go) searches again from the best trees as the rounded corners of their value
// sharpen.
//
// All choices depend only on values, so no result depends on the number of threads.
package treesearch
