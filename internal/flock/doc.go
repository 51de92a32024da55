// Package flock locks files for as long as a process lives: the system releases a lock when its owner dies, for whatever reason.
// A process that gets the lock knows that the owner is gone.
package flock
