package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// A file that disappears is never written on to as if nothing were amiss.
func TestGone(t *testing.T) {
	for what, do := range map[string]func(path string) error{
		"deleted": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, path+".old") },
		"replaced by a copy": func(path string) error {
			data, err := os.ReadFile(path)
			return errors.Join(err, os.Remove(path), os.WriteFile(path, data, 0o644))
		},
		"log deleted": func(path string) error { return os.Remove(path + "-wal") },
	} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "eke.db")
			s := opened(t, path)
			fill(t, s, 3)
			if err := do(path); err != nil {
				t.Fatal(err)
			}
			err := s.Append(t.Context(), "x", 3, storetest.Numbered(3, storetest.Added("no"))...)
			if !errors.Is(err, store.ErrGone) {
				t.Errorf("append: %v", err)
			}
			t.Log(err)
			if what == "log deleted" {
				return // its own file is still there to be read
			}
			if _, _, err := s.Read(t.Context(), "x", 0); !errors.Is(err, store.ErrGone) {
				t.Errorf("read: %v", err)
			}
			if _, err := os.Stat(path); what == "deleted" && err == nil {
				t.Error("the file was made anew")
			}
		})
	}
}
