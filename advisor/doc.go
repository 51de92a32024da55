// Package advisor suggests what to try next: a study's record in, the next trial out, with the money to reserve for
// it and the reasons.
//
// It stands between the words of a study and the numbers of the policies. Settings become points of the unit cube, values that
// are minimised change their sign, costs become logarithms; a failed trial, a trial that was cut at its own limit, and a setting
// that was abandoned three times become observations of where settings fail (isFailure in observe.go). Before any policy is asked
// come the settings that the study file or a person wants, and settings whose trials were abandoned. The suggested point becomes
// a setting again. A policy that does not plan suggests no trial that is too unlikely to be the best, unless values have noise or all the
// money is to be spent (Hopeful in internal/choose, policy.ErrNoHope). Two checks may still refuse what a policy suggests: the money left
// has to be likely enough to pay for the trial (reserve.go), and all of it has to be expected to gain enough (stop.go).
//
// Reasons are data, and package say has their sentences; only errors are worded here. A program that keeps its own log needs New, Next
// and WhyOf. The rest is for the other packages of the module.
package advisor
