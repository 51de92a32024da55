// Package sqlite keeps studies in one SQLite file.
//
// What is acknowledged is on disk: every commit is synced (WAL, synchronous=FULL). Any number of processes on one machine
// may use one file at once; on a network file system they may not, as WAL needs memory that they share.
//
// A file is looked at before it is opened for writing. What is not ours, is damaged, or was written by a newer eke is
// refused and not a byte of it is changed. A new file is made beside its place and linked into it when it is complete, so
// that no process ever sees half a store.
package sqlite
