// Package show is how the benchmarks show what they found: tables, and pictures that look like one hand's work.
package show
