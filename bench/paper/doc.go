// Package paper runs the experiments of the paper (Astudillo, Jiang, Balandat, Bakshy, Frazier: Multi-Step Budgeted
// Bayesian Optimization with Unknown Evaluation Costs, NeurIPS 2021) and draws its figures and tables, one file each.
//
// A replication of a problem has one cost function and one initial design, the same for all policies, so that
// they can be compared pair by pair.
package paper
