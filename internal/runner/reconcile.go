package runner

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/internal/fault"
)

// late keeps an entry whose trial was charged an estimate, until the engine's accounts say what it has cost.
func (e *entry) late() {
	to := filepath.Join(e.in.dir, lateFolder, e.Key+".json")
	if os.MkdirAll(filepath.Dir(to), 0o700) != nil || os.Rename(e.path(), to) != nil {
		e.done() // the estimate stays
	}
}

// reconcile replaces the estimates of trials in these workspaces by what the engine's accounts say, as far as they are closed.
func (r *run) reconcile(ctx context.Context, list []*workspace) {
	for _, w := range list {
		files, _ := filepath.Glob(filepath.Join(w.dir, lateFolder, "*.json"))
		for _, file := range files {
			if r.isReconciled(ctx, w, file) {
				_ = os.Remove(file)
			}
		}
	}
}

func (r *run) isReconciled(ctx context.Context, w *workspace, file string) bool {
	e := &entry{in: w}
	raw, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(raw, e) != nil {
		return false
	}
	cost, err := r.Engine.Cost(ctx, r.bareJob(e.Trial, e.dir()))
	if err != nil || cost.Late || !cost.Known {
		return false
	}
	err = r.Source.Correct(ctx, e.Trial, cost.Amount)
	return err == nil || !passes(err) && fault.CodeOf(err) != fault.Internal
}
