// Package cluster says what is known of each kind of cluster without asking one: the options of its jobs, what its accounts count, and
// how much of that a job asks for. A study file names a kind; the engine of that name runs the jobs. To add a cluster, write
// its engine and add its Kind to kinds; CONTRIBUTING.md has all steps.
package cluster

import (
	"regexp"
	"slices"
	"time"
)

// Kind is a kind of cluster.
type Kind struct {
	Name   string // in a study file: engine.type, and cost.source where the cluster's accounts say what a trial costs
	Title  string // for people
	Submit string // the program that gets a job's options

	Keys   []string // of engine in a study file, beside type and time
	In     string   // the key that has what a job asks for
	Priced bool     // its accounts are in resources that have prices of their own

	Units   []string // what its accounts can count, the usual one first
	Option  *regexp.Regexp
	Own     map[string]string                                          // options that eke sets itself, with what to do instead
	Example string                                                     // of options, as a study file has them
	Hints   map[string]string                                          // by unit: what to ask for where a job asks for none
	Asks    func(unit string, option func(name string) string) float64 // how many cores, GPUs or nodes a job asks for; 0 if nobody can tell
}

var kinds = []*Kind{&slurm, &kubernetes}

// Find returns the kind of that name; nil if there is none.
func Find(name string) *Kind {
	if i := slices.IndexFunc(kinds, func(k *Kind) bool { return k.Name == name }); i >= 0 {
		return kinds[i]
	}
	return nil
}

// Names lists the kinds.
func Names() (names []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// What clusters count. Each is per hour, but for energy, which is in kilowatt-hours.
const (
	CoreHours    = "core-hours"
	GPUHours     = "gpu-hours"
	NodeHours    = "node-hours"
	BillingHours = "billing-hours"
	Energy       = "energy"
)

// Spare is the time within a job's limit in which no command runs: the job needs it to start and to end.
const Spare = time.Minute

// LeastMinutes is the shortest time limit of a job. Clusters count whole minutes.
const LeastMinutes = 2
