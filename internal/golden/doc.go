// Package golden reads figures computed by the reference implementation: states of a study with
// models, acquisition functions and trees evaluated on them.
//
// The tests read every botorch_states*.json and optima*.jsonl in the folder named by
// EKE_GOLDEN, or in testdata/golden: to add states, add files.
package golden
