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
// Gaussian processes learn both the value and the cost of a trial. A study begins with an initial design. After that, by default, it
// tries the setting with the highest Gittins index (gittins-d), which weighs what a trial may gain against its expected
// cost. If values have noise, or there are several fidelities or objectives, it tries the setting with the highest expected improvement per
// cost (log-ei-puc). When the money buys fewer than five more trials, both give way to the expected improvement within the budget, in which
// the cost counts less and less. While no trial meets the limits of a study, it looks for one that does. The policies with bmsei in
// their names plan several trials ahead instead (Astudillo et al. 2021, "Multi-Step Budgeted Bayesian Optimization with Unknown Evaluation
// Costs"). MATH.md has the mathematics.
//
// # Where things are
//
//	what a trial is charged           internal/broker/charge.go; study/record.go has the rules of the ledger
//	what a command's trial has cost   internal/engine/local/judge.go
//	what is tried next                advisor/advisor.go, Next; then internal/choose/decide.go, decide
//	what is modelled                  internal/model/data.go, quantities
//	the paper's method, and its Q_N   lookahead/doc.go; Q_N is Walk.Value, lookahead/value.go
//	limits on what a trial reports    study/metrics.go, Limits; advisor/limits.go makes each an entry of State.Further
//	when a study stops                advisor/stop.go, by internal/rest
//	how a trial is run                internal/runner/doc.go, the loop; Run is an engine of it, run.go
//	where a trial is run              internal/engine/engine.go; a new engine implements Engine and is named in `engines`,
//	                                  cmd/eke/run.go; all steps: CONTRIBUTING.md, Add an engine
//	what is sent over HTTP            internal/api/worker.go, internal/api/trial.go and beside them
//	what an error is                  internal/fault/code.go
//	how amounts are written           internal/say/doc.go
//
// CONTRIBUTING.md has a line for every package, and the steps to add a policy, a store, an engine or a verb.
package eke
