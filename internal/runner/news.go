package runner

import (
	"time"

	"github.com/eke-bo/eke/study"
)

// Kind says what a piece of news is about.
type Kind string

const (
	Resumed   Kind = "resumed"   // a run goes on where an earlier one ended
	Thinking  Kind = "thinking"  // a setting is being chosen
	Started   Kind = "started"   // a trial has begun
	Extended  Kind = "extended"  // a trial needs more than was reserved for it, and got it
	Ended     Kind = "ended"     // a trial has ended: done, failed or cut
	Recovered Kind = "recovered" // a trial of a runner that died has been ended
	Waiting   Kind = "waiting"   // nothing can be started until other trials end
	Stopping  Kind = "stopping"  // asked to stop: no new trial is started
	Cutting   Kind = "cutting"   // asked twice: running trials are being stopped
	Trouble   Kind = "trouble"   // something is wrong, and is tried again
	Stopped   Kind = "stopped"   // the run has ended; Text says why
)

// News is something that happened in a run.
type News struct {
	Kind   Kind          `json:"kind"`
	At     time.Time     `json:"at"`
	Trial  *study.Trial  `json:"trial,omitempty"`
	Text   string        `json:"text,omitempty"` // of recovered, waiting, trouble and stopped
	Record *study.Record `json:"-"`              // the study as it stands; shared, not to be changed
}

// Summary is how a run ended.
type Summary struct {
	Reason Reason        `json:"reason"`
	Text   string        `json:"text"`   // in words, with what is left and why
	Trials int           `json:"trials"` // that ended in this run
	Record *study.Record `json:"-"`
}

// Reason is why a run ended.
type Reason string

const (
	BudgetSpent Reason = "budget spent"     // nothing is left
	NotWorth    Reason = "not worth trying" // no affordable setting is worth trying
	Exhausted   Reason = "exhausted"        // every setting has been tried
	Closed      Reason = "closed"           // the study was ended
	Deadline    Reason = "deadline"         // of the study
	Asked       Reason = "stopped"          // by whoever watches
	Held        Reason = "held"             // what is left is reserved by trials that were asked for by hand
	Failing     Reason = "failing"          // one trial after the other fails
)
