// Package runner spends a study's budget on this machine: it asks a desk for trials, has the evaluator run their
// commands, several at once, and tells what came of them.
//
//	runner.go     Run: the workers of one run, from the first trial to the reason it ended
//	next.go       what a worker does next: take over, ask, wait, or end the run
//	trial.go      one trial: prepare, start, run, journal, finish
//	charge.go     what a trial is charged when nobody said
//	recover.go    trials of runners that died
//	lock_*.go     how one runner knows that another has died
//	journal.go    what came of a trial, on disk before it is in the store
//	news.go       what a run tells whoever watches
//
// # Nothing is lost
//
// The order of things is the whole secret. The folder of a trial is emptied before the trial starts; the store
// knows that it started before its command runs; what came of it is in the folder before it is in the store. So
// whenever a runner dies, the next one finds in the store which trials it left, and in their folders what became of
// them:
//
//	pending                        it never began: it is run now
//	running, with a journal        it had ended: that is told
//	running, with a result file    the command was through: its result is told
//	running, with neither          it is abandoned, and charged for as long as it was seen alive
//
// What the command of a dead runner left behind is killed before anything is concluded.
package runner
