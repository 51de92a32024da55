// Package choose makes the choice: beliefs go in, and one point comes out.
//
// A Policy decides in these steps. The design, the rule and the look are those of decide, which all policies share; the end game and
// the selection belong to the rules:
//
//   - the initial design, while there is too little to go by. The best point of an earlier study comes first, and where
//     there are cheap looks, they are the design;
//   - the policy's rule: the point that maximises an index (OneStep: EI, EI-PUC, EI-PUC-CC, log EI per cost; Gittins), or
//     the first step of the best plan (MultiStep). Several objectives, limits that nothing meets yet, and plans where changes cost
//     something have rules of their own (ruleFor). Rules are functions of the beliefs, and other packages may have more of them;
//   - the end game of the rules that do not plan: when the money buys fewer than five more tries, expected improvement within the
//     budget takes the place of what the rule maximises, and the price counts less and less;
//   - the selection (Selector), which turns the results of a search into a point that is a setting, that is new, and that is worth
//     its price;
//   - a cheap look in place of the point, where there are levels of fidelity and a look promises more.
//
// A rule knows nothing of files, clocks or networks: equal beliefs give equal points.
package choose
