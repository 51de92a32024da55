// Package study is a study as people speak of it: what may vary, what it may cost, the trials and the
// money.
//
//	study.go   Study: what the study file says
//	trial.go   Trial and its states
//	event.go   Event: one line of the log, all that ever happens to a study
//	record.go  Record: the log folded into trials, and the law that every event must keep
//	ledger.go  Ledger: the budget, what is spent of it and what is reserved
//
// A study's log is the truth; everything else follows from it. A store keeps events and nothing
// else, so what was acknowledged cannot be lost in part, and the history of every cent can be read.
package study
