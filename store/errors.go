package store

import (
	"errors"
	"fmt"
)

// What can go wrong, whichever store it is. Errors that wrap these say where, and what to do.
var (
	ErrExists   = errors.New("there is a study of that name already")
	ErrNotFound = errors.New("there is no study of that name")
	ErrConflict = errors.New("the log has changed meanwhile")

	ErrForeign  = errors.New("this is no store of eke's")
	ErrDamaged  = errors.New("the store is damaged")
	ErrNewer    = errors.New("the store was written by a newer eke")
	ErrReadOnly = errors.New("the store cannot be written to")
	ErrFull     = errors.New("no room is left on the disk")
	ErrBusy     = errors.New("the store is locked by another process")
	ErrGone     = errors.New("the store was deleted or replaced while in use")
	ErrClosed   = errors.New("the store is closed")

	// What only a store that is elsewhere can do to us.
	ErrAway   = errors.New("the database cannot be reached")
	ErrDenied = errors.New("the database does not let you in")
)

// Exists returns ErrExists in the words of every store.
func Exists(name string) error {
	return fmt.Errorf("store: study %q: %w; choose another name, or go on with that one", name, ErrExists)
}

// NotFound returns ErrNotFound in the words of every store.
func NotFound(name string) error {
	return fmt.Errorf("store: study %q: %w; the store's list has the names it knows", name, ErrNotFound)
}

// Conflict returns ErrConflict, of a log whose last event is another than version.
func Conflict(name string, version, last int64) error {
	return fmt.Errorf("store: study %q: %w: its last event is %d, not %d; read it again", name, ErrConflict, last, version)
}
