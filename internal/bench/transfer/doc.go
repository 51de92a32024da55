// Package transfer measures what an earlier study is worth to a new one: a study of a shifted copy of the problem, and one of an
// unrelated problem.
package transfer
