// Package eke finds good settings for expensive experiments when each trial has its own unknown cost and the budget is
// limited.
//
// Say what may vary and how much you can spend, and run the experiment:
//
//	opt, err := eke.New(eke.Config{Parameters: eke.Box([2]float64{0, 1}, [2]float64{800, 1300}), Budget: 40})
//	err = opt.Run(ctx, func(ctx context.Context, t eke.Trial) (value, cost float64, err error) {
//		return fire(t.X())
//	})
//	best, err := opt.Best(ctx)
//
// Use Ask and Tell to write your own loop: Ask returns the next trial, and why it was chosen; Tell records its value and its
// cost. Parameters may also be whole numbers, choices, and conditional on others (package space). With a Store the study
// outlives the program: New continues the study that is there, and `eke status`, `eke report` and the server can read it.
//
// Gaussian processes learn both the value and the cost of a trial. The policies with bmsei in their names plan several trials ahead
// (Astudillo et al. 2021, "Multi-Step Budgeted Bayesian Optimization with Unknown Evaluation Costs"). MATH.md has the mathematics.
//
// # How the default chooses a trial
//
//  1. A study.Record is the sum of the study's log. Package advisor turns it into a State of numbers: points of the unit cube, values to
//     maximise, logarithms of costs, points that failed, looks, trials under way, and the last plan.
//  2. Settings that the study file or a person wants come first. Models only say what they will cost, and a policy fills in what a person has
//     left open. Then come trials that were abandoned or that failed because of the machine, if the reasons for which they were chosen still
//     hold. If none of these can run, a policy chooses.
//  3. Package internal/model fits a Gaussian process to the values, to the logarithms of the costs, to each further objective, and to each
//     quantity with a limit that was reported at least twice. Once a trial has failed, another model gives the chance that the next one fails.
//     Trials under way are assumed to return what is expected. Every gain is multiplied by the chance that the trial has a value and meets the
//     limits.
//  4. First comes an initial design: points spread over the space and, once two costs are known, cheap points far from all results. Once a
//     value is known, it ends at 2(p+1) results, failures and running trials, for p parameters, or, after two results, where it would pass a
//     quarter of the budget. Then the policy takes the setting with the highest Gittins index (gittins-d): the level above which the expected
//     gain of a trial would just pay its expected cost. The price of money begins at the gain expected from finding the best of all settings,
//     divided by the money left. It is halved when the best value reaches the last index. With noise (the study file says so, or a setting that
//     was tried twice had two values), several fidelities or several objectives, the policy takes the setting with the highest expected
//     improvement per median cost (log-ei-puc); with several fidelities, perhaps a look in its place: a cheap trial at a lower fidelity, if
//     that promises more. While no trial meets the limits on quantities that were reported twice, it searches for a trial that does.
//  5. When the money buys fewer than five more trials, expected improvement within the budget takes over, in which the cost counts less and
//     less. By itself, the policy takes at most one full value of each setting, or four with noise. Without noise, and after the design, a
//     setting must be likely enough to beat the best value: at least 0.9 %, a tenth of its share of the budget, and 5 % among the last five;
//     with several fidelities, 0.9 %; less where failures are cheap. After two failures in a row, or once failures, even one, have taken a
//     tenth of the money spent, it must also be likely to have a value. Neither is asked if all the money is to be spent, or while nothing
//     meets the limits. If a wider search finds no such setting, there is no suggestion.
//  6. The money that is neither spent nor reserved has to cover the median cost. If trials are under way, all unspent money has to cover them
//     and this one. Unless all of it is to be spent, the rest of the money has to be expected to gain enough: what the study asks for, or a
//     thousandth of the spread of the values or of the hypervolume. Simulations tell, after the design. If either fails, the study waits for
//     the trials under way, or ends. Before a study ends because nothing is worth trying, each value of a choice gets up to 2(p+1) trials, if
//     the money covers them; where no setting was likely enough, they begin beside the trials under way. After these, if no value stands out
//     and half of the money is left, come random settings; with several fidelities, they do not wait for the end.
//
// # Where things are
//
//	what a trial is charged           internal/broker/charge.go: its cost, or an estimate; study/record.go has the rules of the ledger
//	what a trial has cost             Cost of its engine; for a command on this machine, internal/engine/local/judge.go
//	what is tried next                advisor/advisor.go, Next; then internal/choose/decide.go, decide
//	what is modelled                  internal/model/data.go, quantities
//	the paper's method, and its Q_N   lookahead/doc.go; Q_N is Walk.Value, lookahead/value.go
//	limits on what a trial reports    add one under limits: in the study file. A new kind of limit begins at Bound, study/metrics.go;
//	                                  advisor/limits.go makes each limit an entry of State.Further. The choice uses them in
//	                                  WithinLimits and Feasibility, acq/function.go; usual, internal/choose/decide.go
//	when a study stops                advisor/stop.go, by internal/rest
//	how a trial is run                internal/runner/doc.go, the loop; Run is this loop, with an engine that calls a function, run.go
//	where a trial is run              internal/engine/engine.go; a new engine implements Engine, and is named in `engines`,
//	                                  cmd/eke/run.go; a cluster also has a Kind, internal/cluster/cluster.go; all steps:
//	                                  CONTRIBUTING.md, Add an engine
//	what is sent over HTTP            internal/api/worker.go and internal/api/trial.go; internal/server/tell.go answers "tell"
//	what an error is                  internal/fault/code.go, with exit codes and HTTP statuses
//	how amounts are written           internal/say/doc.go
//
// CONTRIBUTING.md has a line for every package, and the steps to add a policy, a store, an engine or a verb.
package eke
