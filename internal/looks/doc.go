// Package looks decides on cheap looks: evaluations below the top level of fidelity, whose values do not count.
//
// First takes a look in place of the evaluation that was chosen, if looks and the evaluation after them promise more, less their prices
// (Worth). Begin chooses the point of the first evaluation at the top. GoOn says what the rest of a running evaluation is worth for its
// price, and how likely it is to beat the best value; if both are low, the evaluation is stopped early (Stops).
package looks
