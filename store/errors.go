package store

import "github.com/eke-bo/eke/internal/fault"

// What can go wrong, whichever store it is. Errors that wrap these say where.
var (
	ErrExists   error = fault.New(fault.Exists, "choose another name, or continue that study", "there is already a study of that name")
	ErrNotFound error = fault.New(fault.NotFound, "", "there is no study of that name")
	ErrReplaced error = fault.New(fault.StoreBroken, "look what the store has now, and start again", "the log was replaced since it was read, as a backup does that is restored")
	ErrConflict error = fault.New(fault.StoreBusy, "read the log again, and try again", "somebody else has changed the log")

	ErrForeign  error = fault.New(fault.StoreBroken, "", "this is not an eke store")
	ErrDamaged  error = fault.New(fault.StoreBroken, "nothing was written to it; replace it with a copy", "the store is damaged")
	ErrNewer    error = fault.New(fault.StoreBroken, "use the newer eke", "the store was written by a newer eke")
	ErrReadOnly error = fault.New(fault.StoreDenied, "", "the store cannot be written to")
	ErrFull     error = fault.New(fault.StoreFull, "this change was not saved, but everything before it was; make room and go on", "no room is left on the disk")
	ErrBusy     error = fault.New(fault.StoreBusy, "", "the store is locked by another process")
	ErrGone     error = fault.New(fault.StoreBroken, "", "the store was deleted or replaced while in use")
	ErrClosed   error = fault.New(fault.StoreBroken, "", "the store is closed")

	// These happen only to a store on a database server.
	ErrAway   error = fault.New(fault.StoreAway, "", "the database cannot be reached")
	ErrDenied error = fault.New(fault.StoreDenied, "", "the database refuses access")
)

// Exists returns ErrExists for that study. Every store uses it.
func Exists(name string) error { return fault.Errorf("", "study %q: %w", name, ErrExists) }

// NotFound returns ErrNotFound for that study. Every store uses it.
func NotFound(name string) error { return fault.Errorf("", "study %q: %w", name, ErrNotFound) }

// Newer returns ErrNewer for a store of that version. Every store with migrations uses it.
func Newer(place string, version, known int64) error {
	return fault.Errorf("", "%s: %w: it has version %d, and this eke knows versions up to %d", place, ErrNewer, version, known)
}

// Conflict returns ErrConflict for a log whose last event is not number version. Every store uses it.
func Conflict(name string, version, last int64) error {
	return fault.Errorf("", "study %q: %w: its last event is %d, not %d", name, ErrConflict, last, version)
}

// OtherLog returns ErrConflict for a log whose last event is not the one that new events are to follow. Every store uses it.
func OtherLog(name string, version int64) error {
	return fault.Errorf("", "study %q: %w: event %d is another", name, ErrConflict, version)
}
