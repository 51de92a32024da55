// Package advisor turns a study's record into the next trial, with the money to reserve for it and the reasons.
//
// It translates between studies and policies. Settings become points of the unit cube, values that are minimised change their sign, and costs
// become logarithms. Failed trials, trials that were cut at their own limits, and settings whose trials were lost three times (abandoned, or
// failed because of the machine) tell the policies where settings fail (isFailure in observe.go). The suggested point becomes a setting again.
//
// Next takes these steps:
//
//  1. If the budget is spent, or budget.trials is reached, there is no trial.
//  2. Settings that a person or the study file wants come first, if the budget covers them (queue.go). A setting that it does not cover waits.
//     Models only price them, and a policy fills in what they leave out.
//  3. Then come lost trials, if what is left covers their whole reservation (queue.go). If so, a setting that somebody wanted is always tried
//     again, a point of the initial design while the design is incomplete, and any other point if nothing has ended or been learnt since. They
//     keep their first forecast, raised to what the lost tries have cost.
//  4. Otherwise a policy suggests a trial; Pick says which policy. In place of log-ei-puc, random settings are tried if a study with a fidelity
//     has seen nothing but a plateau and half of its money is left. If a policy that is not a default suggests a trial that is too dear,
//     log-ei-puc is asked instead. The policy may find nothing: no setting is likely enough to beat the best value (policy.ErrNoHope, by
//     Hopeful in internal/choose), and step 7 follows; or the best value is as good as any can be, or every setting was tried, and the study
//     ends. While nothing is known but trials are running, the study may wait for them.
//  5. The money that is neither spent nor reserved has to cover the median cost of the trial. If other trials are running, all that is not
//     spent has to cover them and this one: nine times in ten, or at twice their median costs, or at their limits (reserve.go). Otherwise the
//     study waits for these trials or, if there are none, step 7 follows. At most about the 90 % quantile of its cost is reserved. If a
//     cluster's accounts say the cost, it is the 99 % quantile, or all of engine.time. While no cost is known, it is per_trial or a share.
//  6. The rest of the money has to be expected to gain enough: stop.gain, or a thousandth of the spread of the values or of the hypervolume
//     (stop.go). A simulation says so, before every trial up to 30 results and less often after, or where trials are quick. It is not asked in
//     the initial design, while nothing meets the limits, if the study is to spend all, while results improve much, if the trial alone is
//     expected to gain as much, or in the first own trials of a study that knows results from elsewhere. If the gain is too small, the study
//     waits for running trials or, if there are none, step 7 follows.
//  7. Before a study ends because nothing is worth trying, each value of a choice gets up to 2(p+1) trials, for p parameters. After two tries,
//     a value gets more only if they are likely to count, and none if every try has failed or broken a limit. Then come random settings, if the
//     study has seen nothing but a plateau and half of its money is left (stop.go). Neither happens if the best value is as good as any can be,
//     nor in the paper's preset.
//
// Reasons are data; package say turns them into sentences. A program that keeps its own log needs New, Next and WhyOf. The rest is for
// the other packages of the module.
package advisor
