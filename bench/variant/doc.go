// Package variant reads the labels by which benchmarks name policies.
package variant
