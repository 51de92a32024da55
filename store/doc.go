// Package store keeps the logs of studies.
//
// A study is a header, which is written once, and a log of events, which only grows. The log is the truth: Load adds its events
// up to a [study.Record], from which everything about trials and money follows. Follower.Update makes a log grow: it reads, decides and
// appends, and starts over with fresh data if somebody else has appended in between. So any number of processes may decide at
// once, and no decision rests on a stale budget.
//
// The heartbeats of running trials are kept beside the log, not in it. They are overwritten many times, and nobody needs their
// history.
package store
