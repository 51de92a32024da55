package runner

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/fault"
)

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
