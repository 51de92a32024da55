package study

import (
	"encoding/json"
	"time"

	"github.com/eke-bo/eke/space"
)

// Kind says what happened.
type Kind string

const (
	EventAsked    Kind = "asked"    // a trial was handed out, and money reserved for it
	EventStarted  Kind = "started"  // its evaluation began
	EventExtended Kind = "extended" // it needs more money than was reserved
	EventFinished Kind = "finished" // it ended, and is charged
	EventBudget   Kind = "budget"   // the budget was raised
	EventClosed   Kind = "closed"   // the study was ended: nothing more is asked for
	EventDefined  Kind = "defined"  // its definition has changed, in what the trials so far do not depend on
	EventKnown    Kind = "known"    // a result from elsewhere was added; it is not charged
)

// Event is one line of a study's log. Which of the bodies is set follows from the kind.
type Event struct {
	Seq   int64     `json:"seq"` // from 1, without gaps
	At    time.Time `json:"at"`
	Kind  Kind      `json:"kind"`
	Trial int       `json:"trial,omitempty"` // its number, from 1
	Key   string    `json:"key,omitempty"`   // asked, finished: by which whoever sent it knows it again

	Asked    *Asked    `json:"asked,omitempty"`
	Runner   string    `json:"runner,omitempty"`   // asked, started: who asked for it, who evaluates it
	Reserved float64   `json:"reserved,omitempty"` // extended: the new reservation
	Finished *Finished `json:"finished,omitempty"`
	Added    float64   `json:"added,omitempty"` // budget

	Definition json.RawMessage `json:"definition,omitempty"` // defined
	Known      *Known          `json:"known,omitempty"`      // known
}

// Asked is the body of an asked event.
type Asked struct {
	Setting  space.Setting   `json:"setting"`
	Point    []float64       `json:"point"`
	Reserved float64         `json:"reserved"`
	Why      json.RawMessage `json:"why,omitempty"`
	Plan     json.RawMessage `json:"plan,omitempty"`
	Thinking float64         `json:"thinking,omitempty"`
}

// Finished is the body of a finished event.
type Finished struct {
	State   State   `json:"state"` // done, failed, cut or abandoned
	Value   float64 `json:"value,omitempty"`
	Charged float64 `json:"charged"`
	Note    string  `json:"note,omitempty"`
	Stopped bool    `json:"stopped,omitempty"` // abandoned because the run was stopped, not because it died
	Wall    float64 `json:"wall,omitempty"`    // seconds it took, by a clock that is never set
	Exit    *Exit   `json:"exit,omitempty"`
}

// Known is a result that the study did not pay for: somebody knew it already. It is the body of a known event.
type Known struct {
	Setting space.Setting `json:"setting"`
	Point   []float64     `json:"point"` // its canonical point in the unit cube
	Value   float64       `json:"value"`
	Cost    float64       `json:"cost,omitempty"` // what it cost elsewhere; 0: that is not known
	Added   time.Time     `json:"-"`              // when the record was told, the event's time
}
