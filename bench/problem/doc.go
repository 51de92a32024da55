// Package problem has the experiments of the benchmarks: what to optimise, and what each evaluation
// costs.
//
// Problem is one of the paper's (Astudillo, Jiang, Balandat, Bakshy, Frazier: Multi-Step Budgeted Bayesian Optimization with Unknown Evaluation Costs, NeurIPS
// 2021), on the unit cube: formulas with the paper's family of costs, a grid of runs read from a user's folder, forests on a table
// of trained networks, a random forest's score, and a hand that pushes a disc.
//
// Task is a problem of the wide suite, stated as a user would: parameters of all kinds, a goal, a budget, noise. There are samples
// of Gaussian processes (gaussian.go, sample.go), classics of global optimisation (classic.go and those after it), mixed spaces
// (mixed.go and those after it) and the paper's eight (papertask.go). Costs are drawn from a few families (price.go). Some of
// the tasks are for validation; Task.Info says which. Apart from these there are tasks with fidelities (fidelity.go), those of LCBench (lcbench.go), and
// models that are trained whenever a setting is evaluated (live.go).
//
// Everything is deterministic: a problem is a function of its name and the number of the replication.
package problem
