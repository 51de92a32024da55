package slurm

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/study"
)

// lost is a job that was submitted, perhaps, and is not in the queue.
type lost struct {
	at int // in the list of statuses
	x  *job
	in *intent
	q  []queued // ended a moment ago
}

// settle finds out what became of jobs that squeue knows no more, by one sacct for all of them.
func (e *Engine) settle(ctx context.Context, missing []lost, list []engine.Status, full *bool) error {
	if len(missing) == 0 {
		return nil
	}
	c, err := e.look(ctx)
	if err != nil {
		return err
	}
	intents := make([]*intent, len(missing))
	for i, m := range missing {
		intents[i] = m.in
	}
	found, asked := map[string][]record{}, !c.accounting
	if c.accounting {
		found, err = sacct(ctx, intents)
		asked = err == nil
	}
	for _, m := range missing {
		m.x.mu.Lock()
		list[m.at] = e.settled(ctx, m, found[m.in.Name], asked, full)
		m.x.mu.Unlock()
	}
	return nil
}

// settled is how one of them stands. Asked says that accounting has answered, or that there is none.
func (e *Engine) settled(ctx context.Context, m lost, records []record, asked bool, full *bool) engine.Status {
	in := m.in
	_, _ = os.ReadDir(in.dir) // has a shared file system look again
	if end := in.ended(); end != nil {
		return ended(end.outcome())
	}
	state, exit := "", ""
	for _, q := range m.q {
		if q.id == in.ID || state == "" {
			state = q.state
		}
	}
	for _, r := range records {
		if in.ID == "" && r.id != "" { // the answer to its submission was lost
			in.ID = r.id
			_ = in.write()
		}
		if r.id == in.ID && isOver(r.state) {
			state, exit = r.state, r.exit
		}
	}
	if m.x.gone.IsZero() {
		m.x.gone = time.Now()
	}
	waited := time.Since(m.x.gone) > e.doubt()
	switch {
	case state == "" && !asked:
		return engine.Status{Phase: engine.Queued, Reason: "Slurm's accounting does not answer, and nothing else knows the job"}
	case state == "" && in.ID == "" && (!waited || time.Since(in.Tried) <= e.doubt()):
		return engine.Status{Phase: engine.Queued, Reason: "Slurm did not confirm the job, and does not know it yet"}
	case state == "" && in.ID == "" && in.Cancelled != "":
		return ended(engine.Outcome{State: study.Cut, Note: in.Cancelled})
	case state == "" && in.ID == "": // now it is sure that no job is on its way
		m.x.gone = time.Time{}
		return in.submitNow(ctx, full)
	case !waited && (in.Cancelled == "" || state == ""), // the end file may be on its way
		(in.Cancelled == "" || state == "") && in.isAlive(): // whatever Slurm believes, it runs
		return engine.Status{Phase: engine.Running}
	}
	return ended(in.outcome(state, exit, records))
}

// outcome is the end of a trial whose job left no end file: by the result that it left, or by its state.
func (in *intent) outcome(state, exit string, records []record) engine.Outcome {
	o, _ := local.Found(in.job())
	for _, r := range records {
		o.Wall += time.Duration(r.elapsed) * time.Second
	}
	if o.Wall == 0 {
		o.Wall = in.ran()
	}
	if o.State == study.Done {
		o.Note = strings.TrimPrefix(o.Note+"; its job ended as "+plain(state)+", and left a result", "; ")
		return o
	}
	o.State, o.Note = endOf(state, exit)
	switch {
	case state == "":
		o.State, o.Note = study.Abandoned, fmt.Sprintf("neither squeue nor sacct knows its job %s any more", in.ID)
	case in.Cancelled != "":
		o.State, o.Note = study.Cut, in.Cancelled
	case plain(state) == "FAILED" && in.isUnseen():
		o.Note += "; it left nothing in " + in.dir + ": the trials' folder must be on a file system that all nodes share (eke run --dir FOLDER)"
	}
	o.Value = 0
	return o
}

// isUnseen reports whether a job that has ended left no trace in its folder, as if its node did not see it.
func (in *intent) isUnseen() bool {
	_, err := os.Stat(in.path(outputFile))
	return os.IsNotExist(err) && len(in.runs()) == 0
}
