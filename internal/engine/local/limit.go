package local

import (
	"time"

	"github.com/eke-bo/eke/internal/engine"
)

// The grace and the time to think about an extension are small against the limit, so that most of what was paid
// for is used, and long enough for a program to save its work and for a store to write a line.
const (
	longestGrace = 2 * time.Second
	longestLead  = 2 * time.Second
)

// graceFor returns how long before the limit the group is asked to stop.
func graceFor(j *engine.Job, limit time.Duration) time.Duration {
	switch {
	case limit <= 0 && j.Grace <= 0:
		return longestGrace
	case limit <= 0:
		return j.Grace
	case j.Grace <= 0:
		return min(longestGrace, limit/10)
	}
	return min(j.Grace, limit/2) // a grace longer than the limit would stop the command before it began
}

// leadFor returns how long before that Extend is asked.
func leadFor(limit time.Duration) time.Duration { return min(longestLead, limit/4) }
