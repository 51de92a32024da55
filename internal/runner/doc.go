// Package runner is the trial loop: it takes trials from a source, has an engine evaluate them, several at once, and settles
// them with the source. eke run is this loop over a store on this machine, and eke worker this loop over a server; see
// internal/source. The engine decides where trials are evaluated; see internal/engine. Run of package eke is this loop with an
// engine that calls a Go function.
//
//	take      a line in the journal; the source hands out a trial, and reserves money for it      next.go
//	evaluate  the engine finds that the trial can run; the line says that it is about to;         evaluate.go
//	          the source knows that it begins; the engine gets the job
//	watch     the engine is polled, the source hears that the trial is alive, and may say stop    watch.go
//	settle    the outcome is in the journal; the source is told, and acknowledges; the line goes  settle.go
//
// # Starting is recovering
//
// A runner may die at any moment. All that it knew is in its source, its engine and its journal, and each step above is on disk
// before anybody depends on it. So the next runner in the same folder finds what was left (recover.go):
//
//	a line without a trial        the answer may have been lost: the trial is asked for again, by the same key
//	a line without an outcome     the engine is asked: the result is settled if the job left one, the job is watched if it
//	                              still runs, and otherwise the trial is abandoned, and charged up to its last sign of life,
//	                              plus half of the usual interval between two
//	a line with an outcome        it is settled
//	a trial that never began      it is run now
//
// A runner whose jobs are calls in its own process has no folder and no journal: its jobs end with it. The next such runner abandons
// its trials once they have been silent for a minute.
//
// No runner takes over the work of one that is still alive: each holds the lock of its workspace (workspace.go), and the system gives the
// lock back however the runner ends.
package runner
