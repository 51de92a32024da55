package runner

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/internal/fault"
)

// CheckpointVariable tells a command the folder for its checkpoint. Trials that go on from each other have the same.
const CheckpointVariable = "EKE_CHECKPOINT"

// checkpoint makes the folder of a trial's checkpoint. It notes whether there is none to go on from although there should be: it was
// deleted, or is on another machine.
func (r *run) checkpoint(t *task) (string, error) {
	root := r.shop.trials
	if root == "" {
		root = r.shop.dir // which all workspaces here share
	}
	folder := filepath.Join(root, "checkpoints", fmt.Sprintf("%05d", t.FolderOf()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fault.New(fault.CannotRun, "make it writable", "the checkpoint's folder cannot be made: %w", err)
	}
	entries, err := os.ReadDir(folder)
	t.entry.Lost = t.Resumes > 0 && (err != nil || len(entries) == 0)
	return folder, nil
}
