package runner

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/study"
)

// What versions before this one have left on disk. Their workers' folders are workspaces by other names. Their runs had a lock for a
// workspace, a file named after the runner, and kept a trial's outcome in the trial's folder.
const (
	oldPrefix   = "seat-"
	oldCardFile = "seat.json"
	oldOutcome  = "outcome.json"
)

func readEither(name, old string) ([]byte, error) {
	raw, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return os.ReadFile(old)
	}
	return raw, err
}

// readOldOutcome returns the outcome of a trial that an older version's runner left in the trial's folder; nil if there is none. A
// folder may be left from another time, so it has to be that runner's.
func readOldOutcome(dir string, trial int, runner string) *Outcome {
	raw, err := os.ReadFile(filepath.Join(dir, oldOutcome))
	if err != nil {
		return nil
	}
	var old struct {
		Trial    int            `json:"trial"`
		Runner   string         `json:"runner"`
		Finished study.Finished `json:"finished"`
	}
	if err := json.Unmarshal(raw, &old); err != nil || old.Trial != trial || old.Runner != runner || !old.Finished.State.Ended() {
		return nil
	}
	f := old.Finished
	return &Outcome{State: f.State, Value: f.Value, Cost: &f.Charged, Wall: f.Wall, Note: f.Note, Stopped: f.Stopped, Exit: f.Exit}
}
