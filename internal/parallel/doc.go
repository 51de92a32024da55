// Package parallel runs a loop on several goroutines.
package parallel
