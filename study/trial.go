package study

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/eke-bo/eke/space"
)

// State is where a trial stands.
type State string

const (
	Pending   State = "pending"   // asked for, not begun
	Running   State = "running"   // being evaluated
	Done      State = "done"      // returned a value
	Failed    State = "failed"    // ended without one
	Cut       State = "cut"       // stopped at a limit
	Abandoned State = "abandoned" // its runner died
)

// Open reports whether a trial in this state holds a reservation.
func (s State) Open() bool { return s == Pending || s == Running }

// Ended reports whether a trial in this state has been charged.
func (s State) Ended() bool { return s == Done || s == Failed || s == Cut || s == Abandoned }

// Trial is one try of a setting.
type Trial struct {
	Number  int           `json:"number"`          // from 1; 0: a known result
	Known   bool          `json:"known,omitempty"` // a result from elsewhere, see Record.Best
	State   State         `json:"state"`
	Setting space.Setting `json:"setting"`
	Point   []float64     `json:"point"` // its canonical point in the unit cube

	Reserved float64 `json:"reserved,omitempty"` // held while the trial is open
	Charged  float64 `json:"charged,omitempty"`  // once it has ended; of a known result, what it cost elsewhere
	Value    float64 `json:"value"`              // of a trial that is done
	Beyond   bool    `json:"beyond,omitempty"`   // its cost went past the budget: its value does not count

	Asked    time.Time `json:"asked"`
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	Wall     float64   `json:"wall,omitempty"`    // seconds it took
	Runner   string    `json:"runner,omitempty"`  // who asked for it, and then who evaluates it
	Note     string    `json:"note,omitempty"`    // what went wrong
	Stopped  bool      `json:"stopped,omitempty"` // abandoned because its run was stopped
	Exit     *Exit     `json:"exit,omitempty"`

	AskKey    string `json:"ask_key,omitempty"`    // of the request that asked for it
	FinishKey string `json:"finish_key,omitempty"` // of the one that ended it

	Why      json.RawMessage `json:"why,omitempty"`      // the reasons it was chosen for
	Plan     json.RawMessage `json:"plan,omitempty"`     // what the policy remembers
	Thinking float64         `json:"thinking,omitempty"` // seconds it took to choose
}

// Title names a trial in a sentence.
func (t Trial) Title() string {
	if t.Known {
		return "a known result"
	}
	return "trial " + strconv.Itoa(t.Number)
}

// Exit is how a command ended.
type Exit struct {
	Code   int    `json:"code"`
	Signal string `json:"signal,omitempty"`
}
