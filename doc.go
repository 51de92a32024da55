// Package eke finds good settings for expensive experiments when every try has its own,
// unknown price and the money is finite.
//
// Say what may vary, how much money there is, and then ask and tell:
//
//	opt, err := eke.New(eke.Config{Lower: lower, Upper: upper, Budget: 40})
//	for {
//		trial, err := opt.Ask(ctx)        // where to try next, and why
//		if errors.Is(err, eke.ErrBudgetSpent) {
//			break
//		}
//		value, cost := experiment(trial.X)
//		err = opt.Tell(trial.Number, value, cost)
//	}
//	best, ok := opt.Best()
//
// Run is that loop. Both what an experiment returns and what it costs are learnt by Gaussian
// processes; where to try next is planned several tries ahead, under the money
// that is left (Astudillo et al. 2021, "Multi-Step Budgeted Bayesian Optimization with
// Unknown Evaluation Costs"). MATH.md has the mathematics.
package eke
