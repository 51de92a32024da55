package flock_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/eke-bo/eke/internal/flock"
)

// A lock is one opening's, and closing gives it back.
func TestTry(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	first, second := open(), open()
	free, err := flock.Try(first)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("there are no locks here")
	}
	if !free || err != nil {
		t.Fatalf("a new file: %v, %v", free, err)
	}
	if free, err := flock.Try(second); free || err != nil {
		t.Errorf("somebody has it: %v, %v", free, err)
	}
	first.Close()
	if free, err := flock.Try(second); !free || err != nil {
		t.Errorf("given back: %v, %v", free, err)
	}
}
