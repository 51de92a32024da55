package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return opened(t, filepath.Join(t.TempDir(), "eke.db")) })
}

func opened(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
