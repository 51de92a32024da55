// Package transfer measures what an earlier study is worth to a new one: studies of copies of the problem that are more or less alike, and one of an
// unrelated problem.
package transfer
