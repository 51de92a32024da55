// Package sqlite keeps studies in one SQLite file.
//
// A change that succeeded is on disk: every commit is synced (WAL, synchronous=FULL). Any number of processes on one machine may
// use one file at once. Processes on several machines may not share a file over a network, since WAL needs shared memory.
//
// Open inspects a file before it opens it for writing. It refuses a file that is not an eke store, is damaged or was written by
// a newer eke, and changes not a byte of it. A new store is built in a hidden file beside its path and linked there when it is
// complete, so that no process ever sees half a store.
package sqlite
