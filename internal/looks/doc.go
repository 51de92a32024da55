// Package looks decides on cheap looks: evaluations below the top level of fidelity, whose values do not count themselves.
//
// First says whether a look should come before the evaluation that was chosen. Begin chooses the point of the first evaluation at the top. GoOn says what the
// rest of a running evaluation is worth, and so whether to stop it early. First and GoOn compare what looks and evaluations are worth for their
// prices (Worth).
package looks
