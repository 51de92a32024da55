package runner

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/eke-bo/eke/study"
)

// journalFile holds what came of a trial, in its folder, before the store is told: if the store cannot be, or the runner
// dies before it is, the next runner tells it.
const journalFile = "outcome.json"

type journal struct {
	Trial    int            `json:"trial"`
	Runner   string         `json:"runner"`
	Finished study.Finished `json:"finished"`
}

// keep writes the journal: all of it or nothing is there, whatever happens.
func keep(dir string, trial int, runner string, f study.Finished) (err error) {
	raw, err := json.Marshal(journal{trial, runner, f})
	if err != nil {
		return err
	}
	name := filepath.Join(dir, journalFile)
	file, err := os.OpenFile(name+"~", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(raw)
	if err == nil {
		err = file.Sync()
	}
	if e := file.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(name+"~", name)
	}
	return err
}

// kept reads the journal of a trial, if it is that runner's: a folder may be left from another time.
func kept(dir string, trial int, runner string) (study.Finished, bool) {
	raw, err := os.ReadFile(filepath.Join(dir, journalFile))
	if err != nil {
		return study.Finished{}, false
	}
	var j journal
	if err := json.Unmarshal(raw, &j); err != nil || j.Trial != trial || j.Runner != runner || !j.Finished.State.Ended() {
		return study.Finished{}, false
	}
	return j.Finished, true
}

// forget removes what an earlier trial of that number has left.
func forget(dir string) { _ = os.Remove(filepath.Join(dir, journalFile)) }
