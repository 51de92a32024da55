// Package stats has the statistics of the benchmarks: intervals by Student's t and by the bootstrap, tests of paired differences,
// and ranks.
package stats
