// Package show has the tables and pictures of the benchmarks, in one style.
package show
