// Package problem holds the experiments of the paper (Astudillo, Jiang, Balandat, Bakshy, Frazier: Multi-Step
// Budgeted Bayesian Optimization with Unknown Evaluation Costs, NeurIPS 2021): what to maximise, and what each
// look costs.
//
//	dropwave.go alpine1.go ackley.go shekel5.go   formulas, with the cost family of cost.go
package problem
