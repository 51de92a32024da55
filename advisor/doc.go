// Package advisor turns a study's record into the next trial, with the money to reserve for it and the reasons.
//
// It translates between studies and policies. Settings become points of the unit cube, values that are minimised change their
// sign, and costs become logarithms. Failed trials, trials that were cut at their own limits, and settings that were abandoned three
// times tell the policies where settings fail (isFailure in observe.go). The suggested point becomes a setting again.
//
// Next takes these steps:
//
//  1. If the budget is spent, or budget.trials is reached, there is no trial.
//  2. Settings that the study file or a person wants come first (queue.go). A policy only fills in what they leave out.
//  3. Then come abandoned trials, if the reasons for which they were chosen still hold (queue.go).
//  4. Otherwise a policy suggests a trial; Pick says which policy. It may find none that is likely enough to beat the best value
//     (policy.ErrNoHope, by Hopeful in internal/choose). If a policy that is not a default suggests a trial that is too dear, log-ei-puc
//     is asked instead.
//  5. The money left has to cover the median cost of the trial. If other trials are running, it also has to pay for all of them, mostly nine
//     times in ten (reserve.go). Otherwise the study waits for these trials or, if there are none, ends.
//  6. The rest of the money has to be expected to gain enough (stop.go). A simulation asks that from time to time, after the initial design
//     and unless the study is to spend all.
//  7. Before a study ends with money left, values of choices that were hardly tried get their turn, if the trials may well count; then random
//     settings, if all values lie on a plateau (stop.go).
//
// Reasons are data; package say turns them into sentences. A program that keeps its own log needs New, Next and WhyOf. The rest is for
// the other packages of the module.
package advisor
