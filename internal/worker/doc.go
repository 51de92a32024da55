// Package worker evaluates trials of a study that a server far away keeps: it asks for them, has the evaluator run the
// study's command here, says meanwhile that it is alive, and tells what came of them.
//
//	client.go     one request to the server, and what may be wrong with its answer
//	calls.go      the requests a worker needs
//	retry.go      what passes by itself is waited for
//	worker.go     Run: from the first request to the reason it ended
//	ending.go     the ways to end
//	next.go       asking: what to do next
//	trial.go      one trial: prepare, journal, run, journal, tell
//	outcome.go    what came of a trial, as the server is told
//	heartbeat.go  signs of life, more time, and the order to stop
//	command.go    which command is run, and that it stays the same
//	journal.go    what is under way, on disk before anybody depends on it
//	seat.go       whose journal it is: one living worker's
//	settle.go     telling what is in the journal, also that of a worker which died
//	news.go       what a worker tells whoever watches
//
// # Nothing is lost
//
// A file in the journal follows a trial from before it is asked for until the server has acknowledged what came of it. Its
// name is the Idempotency-Key of both requests, so either may be repeated by whoever finds it:
//
//	no trial's number          the answer may have been lost: it is asked for again, and run
//	a number and no outcome    the worker died while it ran: what the command left is killed, and its result told if there is
//	                           one; otherwise the trial is abandoned
//	an outcome                 it is told
package worker
