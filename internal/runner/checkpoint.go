package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
)

// CheckpointVariable tells a command the folder for its checkpoint. Trials that go on from each other have the same.
const CheckpointVariable = "EKE_CHECKPOINT"

// checkpoint makes the folder of a trial's checkpoint. It notes whether there is none to go on from although there should be: it was
// deleted, or is on another machine. The folder's name has the ID of the trial that began it, so that no other study's is found.
func (r *run) checkpoint(ctx context.Context, t *task) (string, error) {
	root := r.shop.trials
	if root == "" {
		root = r.shop.dir // which all workspaces here share
	}
	first := t.Trial
	if t.Checkpoint > 0 {
		record, err := r.Source.Record(ctx)
		if err != nil {
			return "", err
		}
		if first, err = record.Trial(t.Checkpoint); err != nil {
			return "", err
		}
	}
	folder := filepath.Join(root, "checkpoints", strings.TrimSuffix(fmt.Sprintf("%05d-%.8s", t.FolderOf(), first.ID), "-"))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fault.New(fault.CannotRun, "make it writable", "the checkpoint's folder cannot be made: %w", err)
	}
	entries, err := os.ReadDir(folder)
	t.entry.Lost = t.Resumes > 0 && (err != nil || len(entries) == 0)
	return folder, nil
}
