// Package advisor suggests what to try next: a study's record in, the next trial out, with the money to reserve for
// it and the reasons.
//
// It stands between the words of a study and the numbers of the policies. Settings become points of the unit cube, values that
// are minimised change their sign, and costs become logarithms. A failed trial, a trial that was cut at its own limit, and a setting
// that was abandoned three times become observations of where settings fail (isFailure in observe.go). The suggested point becomes
// a setting again.
//
// Before any policy is asked come the settings that the study file or a person wants and, if nothing was learnt since, those of trials
// that were abandoned (queue.go). A policy that does not plan suggests no trial that is too unlikely to beat the best value (Hopeful in
// internal/choose, which has the exceptions; policy.ErrNoHope). Two checks may still refuse what a policy suggests: what is left has to
// pay for the trial, half of the time at least (reserve.go), and all of it has to be expected to gain enough (stop.go). Before a study
// ends for one of these reasons, the values of choices that were hardly tried get their turn.
//
// Reasons are data, and package say has their sentences; only errors are worded here. A program that keeps its own log needs New, Next
// and WhyOf. The rest is for the other packages of the module.
package advisor
