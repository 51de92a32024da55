// Package problem holds the experiments of the paper (Astudillo, Jiang, Balandat, Bakshy, Frazier: Multi-Step Budgeted Bayesian
// Optimization with Unknown Evaluation Costs, NeurIPS 2021): what to maximise, and what each look costs.
//
// One file a problem:
//
//	dropwave.go alpine1.go ackley.go shekel5.go   formulas (formula.go), with the paper's family of costs (cost.go)
//	lda.go                                        Gaussian processes on a grid of runs, read from a folder of the user's
//	cnn.go                                        forests on a table of trained networks
//	boston.go                                     the score of a random forest
//	robot.go                                      a hand pushing a disc
//
// and what they stand on:
//
//	search.go                                     the long search for f*; lda-, cnn-, boston- and robotbest.go keep what it found
//	tree.go forest.go                             regression trees and forests
//	digits.go network.go convolve.go adam.go      pictures, a convolutional network, and how it learns
//	train.go traintable.go                        one training; the table of many
//	push.go                                       the disc's world
//
// Everything is deterministic: a problem is a function of its name and the number of the replication.
package problem
