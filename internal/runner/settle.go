package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// settle tells the source an outcome of the journal, and says whether that is done. What the source will never take is kept
// beside the journal.
func (r *run) settle(ctx context.Context, e *entry) (t study.Trial, told bool) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	err := r.insist(ctx, func() (err error) {
		t, err = r.Source.Finish(ctx, e.ref(), e.Key, e.Outcome.Finished)
		return err
	})
	switch code := fault.CodeOf(err); {
	case err == nil && e.Outcome.Late:
		e.late()
		return t, true
	case err == nil:
		e.done()
		return t, true
	case code == fault.Conflict && e.Outcome.State == study.Abandoned: // somebody was faster, and knows as much
		e.done()
	case r.Runner == "" && slices.Contains([]fault.Code{fault.Conflict, fault.UnknownLease, fault.BadRequest, fault.TooLarge, fault.NotFound}, code):
		r.tell(Refused, nil, fmt.Sprintf("the outcome of trial %d (%s) is not taken: %v; it is kept in %s", e.Trial, e.Outcome, err, e.refuse()))
	default:
		r.mu.Lock()
		r.unsent++
		r.mu.Unlock()
		err = e.unsettled(err)
		r.tell(Trouble, nil, withHint(err))
		if !passes(err) || e.unkept != nil { // unkept: it is kept nowhere, so it cannot be recorded later
			r.fail(err)
		}
	}
	return t, false
}

// unsettled says where the outcome is that the source could not be told.
func (e *entry) unsettled(err error) error {
	if e.unkept != nil {
		return fault.New(fault.CodeOf(err), fmt.Sprintf("write it down, and record it when this is fixed: eke tell %d", e.Trial),
			"trial %d ended as %s, which could be recorded neither at its source nor in the journal (%v): %w", e.Trial, e.Outcome, e.unkept, err)
	}
	return fault.New(fault.CodeOf(err), "", "the outcome of trial %d could not be recorded. It is kept in %s and will be recorded on the next run: %w", e.Trial, e.path(), err)
}

// leave notes that a trial has ended. A run gives up when trial after trial fails.
func (r *run) leave(ctx context.Context, trial int, o *outcome) {
	var record *study.Record
	worked, failed := true, o.State == study.Failed || o.State == study.Cut && !o.onRequest // if nobody can tell, it has worked
	if failed {
		if now, err := r.Source.Record(context.WithoutCancel(ctx)); err == nil {
			record, worked = now, now.Worked()
			failed = o.State == study.Failed || ranIntoLimit(r.shown.Load(), record, trial)
		}
	}
	r.mu.Lock()
	delete(r.running, trial)
	r.ended++
	switch {
	case o.State == study.Done:
		r.failures = nil
		r.results++
		if r.reported == nil {
			r.reported = study.Metrics{}
		}
		maps.Copy(r.reported, o.Metrics)
	case failed:
		r.failures = append(r.failures, trial)
	}
	failures := r.failures
	worked = worked || r.results > 0 // what the source shows may be old
	r.change()
	r.mu.Unlock()
	if o.State == study.Done {
		r.checkLimits(ctx)
	}
	if failed && givesUp(record, failures, worked) {
		r.end(Summary{Code: fault.CannotRun, Text: fmt.Sprintf("%d trials in a row failed, the last with: %s", len(failures), o.Note), Failed: failures}, nil)
	}
}

// checkLimits ends the run if its results lack a quantity that a limit is on, and nobody has ever reported it: the money would buy nothing that counts.
func (r *run) checkLimits(ctx context.Context) {
	r.mu.Lock()
	results, reported := r.results, maps.Clone(r.reported)
	r.mu.Unlock()
	if len(r.shown.Load().Limits.Unreported(&study.Record{}, results, reported)) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	now, _, err := r.Source.Study(ctx) // somebody may have taken the limit out
	if err != nil {
		return
	}
	if record, err := r.Source.Record(ctx); err == nil {
		r.endUnreported(now.Limits.Unreported(record, results, reported), results)
	}
}

func (r *run) endUnreported(names []string, results int) {
	if len(names) > 0 {
		text, hint := say.Unreported(results, names)
		r.end(Summary{Code: fault.CannotRun, Text: text, Hint: hint}, nil)
	}
}

// givesUp reports whether a run gives up after these trials in a row. A record that is old, or cannot be read, does not know all of them.
func givesUp(record *study.Record, failures []int, worked bool) bool {
	list, ledger := make([]study.Trial, len(failures)), study.Ledger{}
	if record != nil {
		for i, number := range failures {
			list[i], _ = record.Trial(number)
		}
		ledger = record.Ledger
	}
	return ledger.GiveUp(list, worked)
}

// giveUp ends a run of one step if trial after trial has failed in the steps before, or none of their results has a quantity that a limit is on.
func (r *run) giveUp(ctx context.Context) {
	record, err := r.Source.Record(ctx)
	if err != nil {
		return
	}
	results := 0
	for _, t := range record.Trials {
		if t.State == study.Done {
			results++
		}
	}
	r.endUnreported(r.shown.Load().Limits.Unreported(record, results, nil), results)
	var failures []study.Trial
	note := ""
	for _, t := range slices.Backward(record.Trials) {
		if t.State == study.Done {
			break
		}
		if t.State == study.Failed || t.State == study.Cut && r.shown.Load().ReachedLimit(t) {
			failures = append(failures, t)
			note = cmp.Or(note, t.Note)
		}
	}
	if record.Ledger.GiveUp(failures, record.Worked()) {
		r.end(Summary{Code: fault.CannotRun, Text: fmt.Sprintf("%d trials in a row failed, the last with: %s; run without --once to try again", len(failures), note)}, nil)
	}
}

// ranIntoLimit reports whether a trial was cut at a limit of its own. One that was cut because the money was gone is no
// failure: the next answer of the source says that the budget is spent.
func ranIntoLimit(s *study.Study, record *study.Record, trial int) bool {
	t, err := record.Trial(trial)
	return err != nil || s.ReachedLimit(t)
}

// Pauses between attempts: short at first, as a restart takes a moment, and never so long that a server which is back
// waits for its workers.
const firstPause, longestPause = 100 * time.Millisecond, 10 * time.Second

// passes says whether waiting may help: a server is being restarted, a disk is full, an account is late, a database fails over
// and cannot be written to for a moment.
func passes(err error) bool {
	code := fault.CodeOf(err)
	return code.Retryable() && code != fault.BudgetPending && code != fault.Paused || code == fault.StoreDenied
}

// insist repeats a request until it is answered with something that waiting does not change, or ctx ends, or patience does.
func (r *run) insist(ctx context.Context, request func() error) error {
	begin, failing := time.Now(), false
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := request()
		if err == nil || !passes(err) || ctx.Err() != nil || r.Patience > 0 && time.Since(begin) > r.Patience {
			r.over(&failing, err)
			return err
		}
		r.trouble(&failing, err)
		wait(ctx, nil, max(askedToWait(err), pause/2+rand.N(pause))) // not all runners at once
		if ctx.Err() != nil {
			r.over(&failing, err)
			return err
		}
	}
}

// trouble says that something fails and is tried again; failing is the caller's own mark of that.
func (r *run) trouble(failing *bool, err error) {
	r.mu.Lock()
	if !*failing {
		*failing = true
		r.troubles++
	}
	r.mu.Unlock()
	r.tell(Trouble, nil, withHint(err)+"; it is tried again, and running trials go on")
}

// withHint is an error and its hint in one line.
func withHint(err error) string {
	if hint := fault.HintOf(err); hint != "" {
		return err.Error() + "; " + hint
	}
	return err.Error()
}

// over ends the caller's trouble, and says that all trouble is over once nothing fails. A request that was given up while it failed does not show that.
func (r *run) over(failing *bool, err error) {
	if !*failing {
		return
	}
	*failing = false
	r.mu.Lock()
	r.troubles--
	isOver := r.troubles == 0 && !passes(err)
	r.mu.Unlock()
	if isOver {
		r.tell(Back, nil, "the trouble is over")
	}
}

// partingGrace is how long a run that is told twice to stop tries to tell what it knows. The journal has it anyway.
const partingGrace = 5 * time.Second

// lasting returns a context that outlives ctx by the parting grace.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	undo := context.AfterFunc(ctx, func() { time.AfterFunc(partingGrace, cancel) })
	return inner, func() { undo(); cancel() }
}

// late keeps an entry whose trial was charged an estimate, or by accounts that may yet change, until the engine is sure what it has cost.
func (e *entry) late() {
	to := filepath.Join(e.in.dir, lateFolder, e.Key+".json")
	if os.MkdirAll(filepath.Dir(to), 0o700) != nil || os.Rename(e.path(), to) != nil {
		e.done() // the estimate stays
	}
}

// reconcileEvery is how often the accounts of ended trials are asked for again.
const reconcileEvery = time.Minute

// reconcile is called by one goroutine at a time. It charges trials of these workspaces what the engine's accounts say, as far as they are closed. All are asked for at once: the
// engine may need one question for them.
func (r *run) reconcile(ctx context.Context, list []*workspace) {
	var all sync.WaitGroup
	defer all.Wait()
	for _, w := range list {
		if w.dir == "" {
			continue
		}
		files, _ := filepath.Glob(filepath.Join(w.dir, lateFolder, "*.json"))
		for _, file := range files {
			if time.Since(r.reconciled[file]) < reconcileEvery {
				continue
			}
			r.reconciled[file] = time.Now()
			all.Go(func() {
				if r.isReconciled(ctx, w, file) {
					_ = os.Remove(file)
				}
			})
		}
	}
}

func (r *run) isReconciled(ctx context.Context, w *workspace, file string) bool {
	e := &entry{in: w}
	raw, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(raw, e) != nil || e.Outcome == nil {
		return false
	}
	cost, err := r.Engine.Cost(ctx, r.bareJob(e))
	switch {
	case err != nil || cost.Late || !cost.Known:
		return false
	case cost.Guess: // it stays an estimate
		return true
	case e.Outcome.Estimated || e.Outcome.Cost == nil || *e.Outcome.Cost != cost.Amount:
		err = r.Source.Correct(ctx, e.ref(), w.Runner, cost.Amount)
	}
	return !cost.Fresh && (err == nil || !passes(err) && fault.CodeOf(err) != fault.Internal)
}
