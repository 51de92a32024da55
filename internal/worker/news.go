package worker

import (
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Kind says what a piece of news is about.
type Kind string

const (
	Command   Kind = "command"   // the command that is run, and goes on to be
	Started   Kind = "started"   // a trial has begun
	Ended     Kind = "ended"     // a trial has ended, and the server knows
	Recovered Kind = "recovered" // what a worker that died had left is settled
	Late      Kind = "late"      // the lease was lost, and the trial goes on
	Refused   Kind = "refused"   // the server does not take what came of a trial; it is kept here
	Waiting   Kind = "waiting"   // nothing can be started now
	Trouble   Kind = "trouble"   // something is wrong, and is tried again
	Back      Kind = "back"      // the server answers again
	Stopping  Kind = "stopping"  // no new trial is asked for
	Cutting   Kind = "cutting"   // running trials are being stopped
	Stopped   Kind = "stopped"   // the worker ends; Text says why
)

// News is something that happened.
type News struct {
	Kind  Kind      `json:"kind"`
	At    time.Time `json:"at"`
	Trial *Trial    `json:"trial,omitempty"`
	Text  string    `json:"text,omitempty"`

	Run     []string          `json:"run,omitempty"` // of news of the command: what is run, with which further variables, and where
	Env     map[string]string `json:"env,omitempty"`
	Workdir string            `json:"workdir,omitempty"`
}

// Trial is what news tells of a trial.
type Trial struct {
	Number  int           `json:"number"`
	State   study.State   `json:"state"`
	Setting space.Setting `json:"setting"`
	Charged float64       `json:"charged"`
	Value   float64       `json:"value"`
	Note    string        `json:"note"`
}

func brief(t api.Trial) *Trial {
	return &Trial{t.Number, t.State, t.Setting, t.Charged, t.Value, t.Note}
}

// Reason is why a worker ended.
type Reason string

const (
	Over    Reason = "over"    // nothing more is to be had: Code says in the server's word why
	Asked   Reason = "stopped" // by whoever watches
	Failing Reason = "failing" // one trial after the other fails
)

// Summary is how a worker ended.
type Summary struct {
	Reason Reason `json:"reason"`
	Code   string `json:"code,omitempty"` // budget_spent, not_worth, exhausted or closed
	Text   string `json:"text"`
	Trials int    `json:"trials"` // that ended here, or were settled
	Unsent int    `json:"unsent"` // outcomes that the server has not acknowledged, and the next worker tells
}

// tell passes news on.
func (w *worker) tell(kind Kind, t *Trial, text string) {
	w.pass(News{Kind: kind, Trial: t, Text: text})
}

// show says what will be run, before it is.
func (w *worker) show() {
	w.pass(News{Kind: Command, Run: w.pinned.Command, Env: w.pinned.Env, Workdir: w.pinned.Workdir})
}

// pass passes one piece of news on at a time.
func (w *worker) pass(n News) {
	if w.Tell == nil {
		return
	}
	w.telling.Lock()
	defer w.telling.Unlock()
	n.At = time.Now()
	w.Tell(n)
}
