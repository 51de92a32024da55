// Package broker hands out trials and takes their results, over a store. It connects the advisor with the log of a study, and keeps
// the ledger correct while several processes work on one study.
//
// Every change is one append to the log, against the version that it was decided on. If another process was faster, the decision is
// made again on the newer log. So no trial is handed out twice and no money is reserved twice, although no process holds a lock
// while it thinks.
//
// No trial is handed out while a study is paused or archived, or after it was closed. Whoever asks the broker looks at the deadline first.
//
// The file charge.go decides what a trial is charged.
package broker
