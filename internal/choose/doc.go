// Package choose makes the choice: beliefs go in, and one point comes out.
//
// All policies share the function decide. It takes the first of these that applies:
//
//  1. The policy's rule, if there are levels of fidelity and it climbs them by itself (ASHA, Hyperband).
//  2. A point of the initial design: until something has a value, and until results from anywhere, failures and running evaluations number as many
//     as its points. If the study asks for no number, and not in the paper's preset, the design also ends when its next point would take it past a quarter of the budget, though
//     not before two results. The best point of an earlier study comes first, and the design ends once that study predicts this one. Where
//     there are cheap looks, they are the design.
//  3. After looks alone, the first evaluation at the top, which package looks chooses.
//  4. The point of the policy's rule, or a cheap look in its place, if there are levels of fidelity and a look promises more.
//
// A rule maximises an index (OneStep: EI, EI-PUC, EI-PUC-CC, EI per median cost; Gittins), or takes the first step of the best plan (MultiStep).
// If the first step of a path gains little, MultiStep takes the step that gains most. In some cases, ruleFor replaces the policy's rule: for several
// objectives, while no evaluation meets the limits, for a setting that somebody wants in part, and for a plan in which changes cost something.
// Other packages may add rules.
//
// Rules share two parts:
//
//   - The end game (endGame) is for rules that do not plan, and not in the paper's preset. When the money buys fewer than five more tries at
//     the price of the best point, expected improvement within
//     the budget takes the place of what the rule maximises; while nothing meets the limits, the chance of meeting them does. The price then
//     counts less and less.
//   - The selection (Selector) turns the results of a search into a point that is a setting, is new, and is not sure to fail. With noise, a
//     point may come up to four times. Rules that look one step ahead also ask that the point is likely enough to have a value, and to beat the best
//     value for its price (Hopeful); with levels of fidelity the price does not matter. Hopeful changes nothing with noise, before anything meets
//     the limits, in the paper's preset, or where all the money is to be spent. In these cases, a point that is sure to fail is taken if no
//     other point is new, though every search one step ahead keeps away from points that are likely to fail.
//
// A rule knows nothing of files, clocks or networks: equal beliefs give equal points.
package choose
