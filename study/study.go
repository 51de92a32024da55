package study

import (
	"time"

	"github.com/eke-bo/eke/space"
)

// Study is what a study file says, with all defaults filled in.
type Study struct {
	Name       string
	Objective  Objective
	Cost       Cost
	Budget     Budget
	Parameters []space.Param     // in the order of the file
	Command    []string          // the program and its arguments; none: trials are asked for and told by hand
	Env        map[string]string // further environment variables of the command
	Workdir    string            // where the command runs; empty: the study file's folder
	Parallel   int               // how many trials may run at once
	Policy     Policy
	Seed       uint64
	Noisy      bool // the same setting may return another value
}

// Objective is the number that a trial returns.
type Objective struct {
	Name string `json:"name"`
	Goal Goal   `json:"goal"`
}

// Goal says which values are good.
type Goal string

const (
	Minimize Goal = "minimize"
	Maximize Goal = "maximize"
)

// Better reports whether value a is better than b.
func (g Goal) Better(a, b float64) bool {
	if g == Minimize {
		return a < b
	}
	return a > b
}

// Cost is what a trial is charged.
type Cost struct {
	Unit   string `json:"unit"`
	Source Source `json:"source"`
}

// Source says where a trial's cost comes from.
type Source string

const (
	Reported Source = "reported" // the command says it
	Walltime Source = "walltime" // it is the time the command takes, in seconds
)

// Budget is how much may be spent. Amounts are in the cost's unit.
type Budget struct {
	Total    float64
	PerTrial float64       // no trial may cost more; 0: no such limit
	Timeout  time.Duration // no trial may take longer, whatever it costs; 0: no such limit
	Deadline time.Duration // no trial is started this long after the first; 0: no such limit
}

// Policy says who chooses the trials.
type Policy struct {
	Name      string `json:"name"` // "auto", or one of PolicyNames
	Preset    Preset `json:"preset"`
	Fantasies []int  `json:"fantasies,omitempty"` // of the policy "bmsei"
	Design    int    `json:"design,omitempty"`    // trials before the policy begins; 0: as many as suit the parameters
}

// Preset is a set of choices within a policy.
type Preset string

const (
	PresetDefault Preset = "default"
	PresetPaper   Preset = "paper" // faithful to the paper, where the default is not
)

// What is not in a study file.
const (
	defaultObjective = "objective"
	defaultParallel  = 1
	defaultPolicy    = "auto"
	walltimeUnit     = "seconds"
	reportedUnit     = "units"
)

// Space returns the space of the parameters.
func (s *Study) Space() (*space.Space, error) { return space.New(s.Parameters) }

// Measured reports whether the cost is measured and its limits enforced, not merely reported.
func (s *Study) Measured() bool { return s.Cost.Source == Walltime }
