package runner

import (
	"context"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Kind says what a piece of news is about.
type Kind string

const (
	Resumed   Kind = "resumed"   // a run continues a study that has trials
	Command   Kind = "command"   // the command that is run from now on
	Thinking  Kind = "thinking"  // a setting is being chosen
	Started   Kind = "started"   // a trial has begun
	Queue     Kind = "queue"     // a trial waits for its turn in the engine; without a text, it waits no more
	Extended  Kind = "extended"  // a trial needs more than was reserved for it, and got it
	Ended     Kind = "ended"     // a trial has ended, and the source knows
	Recovered Kind = "recovered" // a trial of a runner that died has been settled
	Late      Kind = "late"      // the source has given a trial up, which goes on
	Refused   Kind = "refused"   // the source does not take an outcome; it is kept here
	Waiting   Kind = "waiting"   // nothing can be started until other trials end
	Stopping  Kind = "stopping"  // asked to stop: no new trial is started
	Cutting   Kind = "cutting"   // asked twice: running trials are being stopped; the jobs of a detached engine go on
	Trouble   Kind = "trouble"   // something is wrong, and is tried again
	Back      Kind = "back"      // the trouble is over
	Stopped   Kind = "stopped"   // the run has ended; Text says why
)

// News is something that happened in a run.
type News struct {
	Kind   Kind          `json:"kind"`
	At     time.Time     `json:"at"`
	Trial  *study.Trial  `json:"trial,omitempty"`
	Text   string        `json:"text,omitempty"`
	Study  *study.Study  `json:"-"` // nil before the source has said what is studied
	Record *study.Record `json:"-"` // the study as it stands; shared, not to be changed

	// Of the command: what is run, with which further variables, and where; and which variables each slot adds.
	Run     []string          `json:"run,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Workdir string            `json:"workdir,omitempty"`
	Slots   []study.Slot      `json:"slots,omitempty"`
}

// Summary is how a run ended.
type Summary struct {
	Code   fault.Code // why: a code that says the study is over; BudgetPending, see ErrHeld; CannotRun, if trial after trial fails, or reports no quantity that a limit is on; Interrupted, if asked
	Text   string     // in words, with what is left
	Hint   string     // what to do about it; empty: nobody said
	Cause  error      // what the source said; nil: it said nothing of that
	Failed []int      // the trials that failed in a row, if that is why
	Trials int        // that ended in this run, or were settled
	Unsent int        // outcomes that the source does not know yet, and the next run tells
	Study  *study.Study
	Record *study.Record // nil: it cannot be read
}

// tell passes news on, one piece at a time.
func (r *run) tell(kind Kind, trial *study.Trial, text string) {
	r.pass(News{Kind: kind, Trial: trial, Text: text})
}

func (r *run) pass(n News) {
	if r.Tell == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	n.At, n.Study = time.Now(), r.shown.Load()
	if n.Study != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second) // others wait to say something
		n.Record, _ = r.Source.Record(ctx)
		cancel()
	}
	if n.Record != nil && n.Trial != nil && n.Trial.Number <= len(n.Record.Trials) {
		// As it is now, not as it was when it was handed out; unless the record is older than the news.
		if now := &n.Record.Trials[n.Trial.Number-1]; now.State.Ended() || n.Trial.State.Open() {
			n.Trial = now
		}
	}
	r.Tell(n)
}
