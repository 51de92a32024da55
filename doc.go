// Package eke finds good settings for expensive experiments when every try has its own, unknown
// price and the money is finite.
//
// Say what may vary and how much money there is, and run the experiment:
//
//	opt, err := eke.New(eke.Config{Parameters: eke.Box([2]float64{0, 1}, [2]float64{800, 1300}), Budget: 40})
//	err = opt.Run(ctx, func(ctx context.Context, t eke.Trial) (value, cost float64, err error) {
//		return fire(t.X())
//	})
//	best, err := opt.Best(ctx)
//
// Ask and Tell put the loop into the caller's hands: Ask says where to try next, and why; Tell says what the try
// returned and what it cost. Parameters may be whole numbers, choices and conditional ones (package space). With a Store
// the study outlives the program: New continues the one that is there, and `eke status`, `eke report` and the server
// read it, too.
//
// Both what an experiment returns and what it costs are learnt by Gaussian processes; where to try next is planned
// several tries ahead, under the money that is left (Astudillo et al. 2021, "Multi-Step Budgeted Bayesian
// Optimization with Unknown Evaluation Costs"). MATH.md has the mathematics.
//
// # Where things are
//
//	what a trial is charged           study/record.go, by the ledger's law; internal/engine/local/engine.go, what it cost;
//	                                  internal/broker/estimate.go, if nobody knows
//	what is tried next                advisor/advisor.go, Next; then policy/policy.go
//	how a trial is run                internal/runner/doc.go, the loop
//	where a trial is run              internal/engine/engine.go, what to implement for another place
//	what is sent over HTTP            internal/api/tell.go, internal/api/ask.go and beside them
//	what an error is                  internal/fault/code.go
//	how amounts are written           internal/say/doc.go
//
// CONTRIBUTING.md has a line for every package, and the steps to add a policy, a store, an engine or a verb.
package eke
