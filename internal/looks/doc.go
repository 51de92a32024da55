// Package looks decides on cheap looks: evaluations below the top level of fidelity, whose values do not count.
//
// First says whether a look should come before the evaluation that was chosen: whether looks and the evaluation after them, less the prices,
// promise more (Worth). Begin chooses the point of the first evaluation at the top. GoOn says what the rest of a running evaluation is worth for its
// price, and so whether to stop it early.
package looks
