package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/eke-bo/eke/internal/flock"
)

// What others may want to know of a folder of workspaces.

// IsAtWork reports whether somebody works in one of the workspaces of a folder.
func IsAtWork(dir string) bool {
	locks, _ := filepath.Glob(filepath.Join(dir, Prefix+"*", lockFile))
	return slices.ContainsFunc(locks, func(name string) bool {
		file, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return false
		}
		defer file.Close()
		free, err := flock.Try(file)
		return err == nil && !free
	})
}

// StudiesIn returns the IDs of the studies that were worked on in the workspaces of a folder.
func StudiesIn(dir string) (ids []string) {
	cards, _ := filepath.Glob(filepath.Join(dir, Prefix+"*", cardFile))
	for _, name := range cards {
		var c card
		if raw, err := os.ReadFile(name); err == nil && json.Unmarshal(raw, &c) == nil && c.ID != "" && !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}
