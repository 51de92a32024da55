package study

import (
	"encoding/json"
	"time"

	"github.com/eke-bo/eke/space"
)

// Kind says what happened.
type Kind string

// The kinds of events.
const (
	EventAsked    Kind = "asked"    // a trial was handed out, and money reserved for it
	EventStarted  Kind = "started"  // the evaluation of a trial began
	EventExtended Kind = "extended" // a trial got a larger reservation
	EventQueued   Kind = "queued"   // a trial waits for its turn in an engine, or does not wait any more
	EventFinished Kind = "finished" // a trial ended, and was charged
	EventBudget   Kind = "budget"   // the budget was raised
	EventClosed   Kind = "closed"   // the study was ended: no further trial is handed out
	EventDefined  Kind = "defined"  // the definition changed in a way that does not affect the trials so far
	EventKnown    Kind = "known"    // a result from elsewhere was added; it is not charged

	EventForgotten  Kind = "forgotten"  // the models ignore a trial, or a known result, from now on
	EventRemembered Kind = "remembered" // what was forgotten counts again
	EventCorrected  Kind = "corrected"  // the figures of an ended trial were wrong, and are replaced
	EventEnqueued   Kind = "enqueued"   // somebody wants a setting to be tried next
	EventWanted     Kind = "wanted"     // somebody wants a setting to be tried next, and leaves a part of it to the policy
	EventDequeued   Kind = "dequeued"   // what was wanted is not wanted any more
	EventStop       Kind = "stop"       // somebody wants a running trial to be stopped
	EventPaused     Kind = "paused"     // no trial is handed out until the study is resumed
	EventResumed    Kind = "resumed"    // trials are handed out again
	EventArchived   Kind = "archived"   // the study is put away: it is not listed, and no trial is handed out
	EventRestored   Kind = "restored"   // it is taken out again
	EventLowered    Kind = "lowered"    // the budget was lowered
	EventReshaped   Kind = "reshaped"   // the definition changed, and with it the parameters
	EventLabelled   Kind = "labelled"   // people have written something else on the study
	EventEarlier    Kind = "prior"      // what an earlier study found was taken over as prior knowledge
	EventStep       Kind = "step"       // a running trial has a value at a lower fidelity, on its way to its own
)

// Kinds lists the kinds of events.
func Kinds() []Kind {
	return []Kind{
		EventAsked, EventStarted, EventExtended, EventQueued, EventFinished, EventBudget, EventClosed, EventDefined, EventKnown,
		EventForgotten, EventRemembered, EventCorrected, EventEnqueued, EventWanted, EventDequeued, EventStop, EventPaused, EventResumed,
		EventArchived, EventRestored, EventLowered, EventReshaped, EventLabelled, EventEarlier, EventStep,
	}
}

// teaches says whether an event may change what a study's results teach. Handing out trials does not.
func (e Event) teaches() bool {
	switch e.Kind {
	case EventStep:
		return e.Step.Look
	case EventAsked, EventStarted, EventExtended, EventQueued, EventClosed, EventEnqueued, EventWanted, EventDequeued, EventStop, EventPaused, EventResumed, EventArchived, EventRestored, EventLabelled:
		return false
	}
	return true
}

// Event is one line of a study's log. The kind decides which of the later fields are set.
type Event struct {
	Seq   int64     `json:"seq"`             // Seq numbers the events of a study from 1, without gaps.
	At    time.Time `json:"at"`              // At is when it happened.
	Kind  Kind      `json:"kind"`            // Kind says what happened.
	Trial int       `json:"trial,omitempty"` // Trial is the number of the trial it happened to, from 1.

	// Before is the digest of the event before, or the study's identity in the first event. So the log is a chain: no event can be taken
	// out of it, and none be appended to another log. Events of versions before 0.2 have none.
	Before string `json:"before,omitempty"`
	Digest string `json:"digest,omitempty"` // Digest tells the event from all others. It is computed from what the store keeps, and is not kept itself.

	Key string `json:"key,omitempty"` // Key identifies the request behind an asked, finished, enqueued or budget event: a repeated request has no further effect.

	Asked    *Asked    `json:"asked,omitempty"`    // Asked is the body of an asked event.
	Runner   string    `json:"runner,omitempty"`   // Runner is who asked for the trial or evaluates it, in asked and started events.
	Place    string    `json:"place,omitempty"`    // Place is where the trial is to be evaluated, in asked and started events, if changes cost something there.
	Token    string    `json:"token,omitempty"`    // Token is the ID of the token of a server that the trial was asked for with, in an asked event; empty: there was none.
	Reason   string    `json:"reason,omitempty"`   // Reason is why a trial waits, in a queued event; empty: it waits no more. In a stop event it is why the trial is stopped early; empty: somebody wants it. In forgotten and remembered events it is why.
	Reserved float64   `json:"reserved,omitempty"` // Reserved is the new reservation, in an extended event.
	Finished *Finished `json:"finished,omitempty"` // Finished is the body of a finished event.
	Added    float64   `json:"added,omitempty"`    // Added is by how much the budget was raised, in a budget event.

	Definition json.RawMessage `json:"definition,omitempty"` // Definition is the new one, in a defined or reshaped event.
	Known      *Known          `json:"known,omitempty"`      // Known is the body of a known event.

	Result    int        `json:"result,omitempty"`    // Result is the number of the known result that was forgotten or remembered, from 1; 0 if it was a trial.
	Corrected *Corrected `json:"corrected,omitempty"` // Corrected is the body of a corrected event.
	Enqueued  *Enqueued  `json:"enqueued,omitempty"`  // Enqueued is the body of an enqueued event.
	Labels    *Labels    `json:"labels,omitempty"`    // Labels is the body of a labelled event.
	Item      int        `json:"item,omitempty"`      // Item is the number in the queue, in a dequeued event.
	Lowered   float64    `json:"lowered,omitempty"`   // Lowered is by how much the budget was lowered.
	Earlier   *Earlier   `json:"prior,omitempty"`     // Earlier is the body of a prior event.
	Step      *Step      `json:"step,omitempty"`      // Step is the body of a step event.
}

// id is the ID of the trial that an asked event hands out. An event that does not follow another in a chain might be of any log.
func (e Event) id() string {
	if e.Before == "" {
		return ""
	}
	return e.Digest
}

// Asked is the body of an asked event.
type Asked struct {
	Setting  space.Setting   `json:"setting"`            // Setting is what to try.
	Point    []float64       `json:"point"`              // Point is the setting's canonical point in the unit cube.
	Reserved float64         `json:"reserved"`           // Reserved is the money held for the trial.
	Why      json.RawMessage `json:"why,omitempty"`      // Why holds the reasons it was chosen for; see advisor.Why.
	Plan     json.RawMessage `json:"plan,omitempty"`     // Plan is what the policy wants to know when it chooses the next trial.
	Thinking float64         `json:"thinking,omitempty"` // Thinking is how many seconds it took to choose.
	Credible float64         `json:"credible,omitempty"` // Credible is how many seconds its forecast makes credible; 0 means that nobody knows.
	Item     int             `json:"item,omitempty"`     // Item is the number in the queue of the setting; 0 if it was not taken from there.
	Look     bool            `json:"look,omitempty"`     // Look says that the fidelity is not the highest.

	Resumes    int `json:"resumes,omitempty"`    // Resumes is the earlier trial that it goes on from; 0: it begins anew.
	Checkpoint int `json:"checkpoint,omitempty"` // Checkpoint is the first of the trials that go on from each other; 0: it is the first.
}

// Finished is how a trial ended. An engine fills it in, a runner keeps it in its journal and passes it on, and as the body of a finished
// event it is booked in the ledger. Whoever saw the trial end says its Cost; what is Charged for that is decided before it is booked, and
// only that is in the log.
type Finished struct {
	State   State    `json:"state"`             // State is done, failed, cut, stopped early or abandoned.
	Value   float64  `json:"value,omitempty"`   // Value is what a trial that is done returned.
	Cost    *float64 `json:"cost,omitempty"`    // Cost is what it cost; nil says that nobody knows, or that it is charged already.
	Charged float64  `json:"charged"`           // Charged is what the budget pays for it.
	Setup   *float64 `json:"setup,omitempty"`   // Setup is the part of the cost that went into changes; nil: nobody said.
	Note    string   `json:"note,omitempty"`    // Note says what went wrong, if anything did, and what to do about it. Its first line stands by itself; the end of what the command printed may follow.
	Remark  string   `json:"-"`                 // Remark is what eke has to add to the note. The end of a trial has it until it is decided what comes of it.
	Stopped bool     `json:"stopped,omitempty"` // Stopped says that it was abandoned because its run was stopped, not because its runner died.
	Metrics Metrics  `json:"metrics,omitempty"` // Metrics are the other numbers that it reported, by name.
	Wall    float64  `json:"wall,omitempty"`    // Wall is how many seconds it took, by a clock that nobody sets; 0 if nobody knows.
	Exit    *Exit    `json:"exit,omitempty"`    // Exit is how its command ended; nil if there was none, or nobody knows.

	Machine bool `json:"machine,omitempty"` // Machine says that it failed because of the machine, not because of its setting: that is tried again.

	Estimated bool `json:"estimated,omitempty"` // Estimated says that the charge could not be measured, and is a guess.
	Lost      bool `json:"lost,omitempty"`      // Lost says that there was no checkpoint to go on from, so that it began anew.
}

// Known is a result from elsewhere, which the study did not pay for. It is the body of a known event.
type Known struct {
	Setting space.Setting `json:"setting"`           // Setting is what was tried.
	Point   []float64     `json:"point"`             // Point is the setting's canonical point in the unit cube.
	Value   float64       `json:"value"`             // Value is what it returned.
	Cost    float64       `json:"cost,omitempty"`    // Cost is what it cost elsewhere; 0 means that nobody knows.
	Metrics Metrics       `json:"metrics,omitempty"` // Metrics are the other numbers that it reported, by name.
	Look    bool          `json:"look,omitempty"`    // Look says that it was evaluated at less than the highest fidelity.
	Row     string        `json:"row,omitempty"`     // Row tells the row of a file that it was read from; empty if it was told otherwise.
	Added   time.Time     `json:"-"`                 // Added is when it was added, the time of the event.

	Forgotten bool     `json:"forgotten,omitempty"` // Forgotten says that it does not count any more. Another event says so.
	Forgot    string   `json:"-"`                   // Forgot is why, if somebody said.
	Violates  []string `json:"-"`                   // Violates are the limits that it is not known to meet, by name.

	Outside bool `json:"-"` // Outside says that the parameters have changed, and do not allow its setting any more.

	event int64 // the event of the log that added it
}

// Corrected is the body of a corrected event: all figures of the trial as they are from now on.
type Corrected struct {
	State   State    `json:"state"`             // State is done, failed, cut, stopped early or abandoned.
	Value   float64  `json:"value,omitempty"`   // Value is what the trial returned, if it is done.
	Charged float64  `json:"charged"`           // Charged is what it cost.
	Setup   *float64 `json:"setup,omitempty"`   // Setup is the part of the charge that went into changes; nil: as it was.
	Metrics Metrics  `json:"metrics,omitempty"` // Metrics replace metrics of the same names; the others stay.
	Without string   `json:"without,omitempty"` // Without is a metric that the trial has no longer: the value has taken its place.
	Note    string   `json:"note,omitempty"`    // Note says why the figures were corrected.
	Exact   bool     `json:"exact,omitempty"`   // Exact says that the charge is no estimate any more.
}

// Enqueued is the body of an enqueued and of a wanted event.
type Enqueued struct {
	Setting space.Setting `json:"setting"`           // Setting is what to try; in a wanted event, the part of it that is given.
	Point   []float64     `json:"point"`             // Point is the setting's canonical point in the unit cube; a part has none.
	Retries int           `json:"retries,omitempty"` // Retries is the trial that is tried again; 0 if it is a new setting.
	Note    string        `json:"note,omitempty"`    // Note is a remark of whoever wants it.
}
