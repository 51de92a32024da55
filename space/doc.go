// Package space translates parameters to points of the unit cube and back. It is the only place where units
// change. On one side are learning rates, numbers of layers and names of solvers. On the other are coordinates
// between 0 and 1. Nothing but this package knows both.
//
// A parameter is a float, an int, a choice, an ordered choice, a bool or a fixed value, and may
// exist only under conditions on others. A setting gives a value to every parameter that exists.
//
// # The canonical point
//
// Many points of the cube mean the same setting: an int has as many points as its cell is wide, and a parameter that does not
// exist is not changed by its coordinates. Encode returns the canonical one. A model should only ever see canonical points, so
// that the point it learns from is the point that was tried, and so that equal settings are equal points. The laws, bit for bit:
//
//	Decode(Encode(x)) = x         for every setting x that Decode can return
//	Snap(u) = Encode(Decode(u))   for every point u, inside the cube or not
//	Snap(Snap(u)) = Snap(u)
//
// # Coordinates
//
//	float           1   the place between min and max; with log, between ln min and ln max
//	int             1   n values have n cells of equal width; the canonical point is the centre
//	int, log        1   cells end half-way between two values, seen through the logarithm
//	ordered choice  1   as int
//	bool            1   0 or 1
//	choice of two   1   0 or 1
//	choice of k     k   one-hot: 1 for the value, 0 for the others; the largest coordinate wins
//	fixed           0   as is every int and choice with a single value
//
// The coordinates of a parameter that does not exist are all 0.5.
//
// A float has cells as well, very narrow ones: 2⁵⁰ in a usual range. Its value is the shortest decimal
// in the cell, for which see float.go.
package space
