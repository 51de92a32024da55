// Package choose makes the choice: beliefs go in, and one point comes out.
//
// A Policy decides in these steps. All policies share decide, which takes the design, the rule or the look; the end game and the selection
// are parts of the rules:
//
//   - the initial design, while too little is known. The best point of an earlier study comes first. If there are cheap looks,
//     they are the design;
//   - the policy's rule: the point that maximises an index (OneStep: EI, EI-PUC, EI-PUC-CC, log EI per cost; Gittins), or
//     the first step of the best plan (MultiStep). Several objectives, limits that no evaluation meets yet, and plans in
//     which changes cost something have rules of their own (ruleFor). Other packages may add rules;
//   - the end game of the rules that do not plan: when the money buys fewer than five more tries, expected improvement within the
//     budget takes the place of what the rule maximises, and the price counts less and less;
//   - the selection (Selector), which turns the results of a search into a point that is a setting, is new and, unless the rule plans, is
//     likely enough to beat the best value for its price;
//   - a cheap look in place of the point, if there are levels of fidelity and a look promises more.
//
// A rule knows nothing of files, clocks or networks: equal beliefs give equal points.
package choose
