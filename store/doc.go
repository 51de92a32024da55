// Package store keeps the logs of studies.
//
// A study is a header, written once, and a log of events that only grows. The log is the truth: whatever is known of
// trials and money follows from folding it into a [study.Record], which Load does. Update is how a log grows: read,
// decide, append; and once more on fresh data when somebody else appended meanwhile, so that any number of
// processes may decide at once and no decision rests on a stale budget.
//
// The heartbeats of running trials are kept beside the log, not in it: they are overwritten many times and
// nobody asks for their history.
package store
