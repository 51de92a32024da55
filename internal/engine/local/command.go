package local

import (
	"context"
	"time"

	"github.com/eke-bo/eke/space"
)

// Names of the files in a trial's directory.
const (
	ParamsFile = "params.json"
	ResultFile = "result.json"
	StdoutFile = "stdout"
	StderrFile = "stderr"
)

// Command is what is run to try a setting.
type Command struct {
	Argv    []string      // with the values in place; there is no shell
	Setting space.Setting // for the params file and the environment
	Trial   int
	Study   string

	Dir     string   // the trial's own directory, which Prepare makes
	WorkDir string   // where the command runs; "" is the current directory
	Env     []string // what it inherits; nil is the environment of this process

	// Limit is the wall time after which no process of the group is left; 0 means none. Grace is how long before
	// it they are asked to stop; 0 means a tenth of the limit, at most 2 s.
	Limit, Grace time.Duration

	// Extend, if there is one, is asked for more time shortly before the command would be stopped: used
	// is what it has taken, and the new limit counts from the start as well. It is never called twice at
	// once, nor after Run has returned: ctx ends with the command, and Run waits for the answer. An answer
	// that comes after the command was asked to stop changes nothing.
	Extend func(ctx context.Context, used time.Duration) (limit time.Duration, ok bool)

	Objective string // the objective's name: a key like "objective"
	WallTime  bool   // the cost is wall time, in seconds, measured here; a reported cost is ignored
}

// The grace and the time to think about an extension are small against the limit, so that most of what was paid
// for is used, and long enough for a program to save its work and for a store to write a line.
const (
	longestGrace = 2 * time.Second
	longestLead  = 2 * time.Second
)

// graceFor returns how long before the limit the group is asked to stop.
func (c *Command) graceFor(limit time.Duration) time.Duration {
	switch {
	case limit <= 0 && c.Grace <= 0:
		return longestGrace
	case limit <= 0:
		return c.Grace
	case c.Grace <= 0:
		return min(longestGrace, limit/10)
	}
	return min(c.Grace, limit/2) // a grace longer than the limit would stop the command before it began
}

// leadFor returns how long before that Extend is asked.
func leadFor(limit time.Duration) time.Duration { return min(longestLead, limit/4) }
