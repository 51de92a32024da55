// Package looks decides on cheap looks: evaluations below the top level of fidelity, whose values do not count themselves.
//
// First says whether a look should come before the evaluation that was chosen, Begin where the first evaluation at the top is, and GoOn whether an
// evaluation that is running should be stopped early. First and GoOn compare what looks and evaluations are worth for their prices (Worth).
package looks
