// Package suite compares policies on many problems that they were not tuned on: policies × problems × replications, through the
// public library.
//
// All policies run on the same replication: the same function, costs, noise and seed, and so the same first points. They can
// therefore be compared pair by pair. Some of the problems are for validation and are reported separately.
//
// From the idea to the detail: play.go plays one study, measure.go says what is measured, and run.go how it is kept. experiment.go
// lists the runs, grid.go compares them, and tables.go and page.go show them. anytime.go says what policies are worth with each part of the money.
package suite
