// Package rest measures forecasts of what the rest of the money would buy, and the rule that ends a study when that is not worth
// it. Studies of the suite's problems are played to the end of their money and kept (course.go). At some shares of the budget, the
// forecast of the best value at the end is compared with what came (judge.go), and the rule is asked before every trial.
package rest
