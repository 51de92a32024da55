// Package flock locks files for as long as a process lives: the system gives a lock back however its owner ends, so whoever can
// take it knows that its owner is gone.
package flock
