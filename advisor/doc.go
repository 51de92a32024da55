// Package advisor turns a study's record into the next trial, with the money to reserve for it and the reasons.
//
// It translates between studies and policies. Settings become points of the unit cube, values that are minimised change their
// sign, and costs become logarithms. Failed trials, trials that were cut at their own limits, and settings that were abandoned three
// times tell the policies where settings fail (isFailure in observe.go). The suggested point becomes a setting again.
//
// Settings that the study file or a person wants come first; a policy only fills in what they leave out. Then come abandoned trials,
// if nothing was learnt since (queue.go). Otherwise a policy suggests a trial. It may find none that is likely enough to beat the best
// value (policy.ErrNoHope, by Hopeful in internal/choose). Two checks follow: the money has to pay for the trial with a chance of one half
// (reserve.go), and the rest of the money has to be expected to gain enough (stop.go). If a policy that is not a default
// suggests a point that is too dear, log-ei-puc is asked instead. Before a study ends with money left, values of choices that were hardly tried get their turn.
//
// Reasons are data; package say turns them into sentences. A program that keeps its own log needs New, Next and WhyOf. The rest is for
// the other packages of the module.
package advisor
