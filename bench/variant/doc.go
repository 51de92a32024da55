// Package variant reads the labels by which benchmarks name a policy and its preset.
package variant
