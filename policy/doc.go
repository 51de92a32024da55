// Package policy decides what to evaluate next: it turns a State, the log of a study as numbers, into a Suggestion, a
// point and the reasons for it. Points lie in the unit cube and values are maximised. The package knows nothing of
// files, clocks or networks.
//
// It is a thin layer over the packages in which a trial is chosen. New looks up a policy by its name; these packages do the work:
//
//   - internal/model: observations in, beliefs out. One pipeline models the values, the logarithms of the costs, the
//     quantities with limits, and further objectives. Another model gives the chance that an evaluation fails.
//   - internal/choose: beliefs in, one point out. The function decide takes a point of the initial design, the point of the policy's
//     rule, or a cheap look. A rule maximises an index or a plan. Without noise, rules that look one step ahead also leave out points
//     that are too unlikely to beat the best value for their price.
//   - internal/looks: cheap looks at lower levels of fidelity: what they are worth, and when an evaluation is stopped early.
//   - internal/rest: what the rest of the money buys, by simulating the rest of the study.
//   - internal/compare: policies for comparison: ASHA, Hyperband, rollout, trees of looks; and paths where changes cost something.
//
// Fit returns the models themselves, to plot them or to find out how much each coordinate matters.
//
// A policy is a function of its State and its settings: equal ones give equal suggestions, bit for bit, on any number of threads, on the same
// kind of processor, unless the context ends first.
package policy
