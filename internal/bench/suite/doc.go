// Package suite compares policies on many problems that nobody tuned them on: policies × problems × replications, through the front door of the product.
//
// All policies meet the same replication: the same function, costs, noise and seed, so the same first points. So they can be
// compared pair by pair. A third of the problems are for validation and are reported apart.
//
// From the idea to the detail: play.go plays one study; measure.go says what is kept of it, and run.go how; experiment.go lists what is to be run; grid.go compares;
// tables.go and page.go show.
package suite
