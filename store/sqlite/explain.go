package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/eke-bo/eke/store"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// code is SQLite's number for what went wrong, 0 if the error is none of its.
func code(err error) int {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// primary is a code without its detail.
func primary(code int) int { return code & 0xff }

func isBusy(err error) bool {
	c := primary(code(err))
	return c == lib.SQLITE_BUSY || c == lib.SQLITE_LOCKED
}

// isOurs reports whether an error has been put into our words already.
func isOurs(err error) bool {
	for _, ours := range []error{store.ErrExists, store.ErrNotFound, store.ErrConflict, store.ErrForeign, store.ErrDamaged,
		store.ErrNewer, store.ErrReadOnly, store.ErrFull, store.ErrBusy, store.ErrGone, store.ErrClosed,
		store.ErrNoToken, store.ErrTokenExists} {
		if errors.Is(err, ours) {
			return true
		}
	}
	return false
}

// explain turns SQLite's errors into ours, with what to do about them. Errors that are ours already pass.
func explain(path string, err error) error {
	at := "sqlite: " + path
	switch c := code(err); primary(c) {
	case 0:
		if err == nil || isOurs(err) {
			return err
		}
		return fmt.Errorf("%s: %w", at, err)
	case lib.SQLITE_INTERRUPT:
		return fmt.Errorf("%s: %w", at, context.Canceled)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fmt.Errorf("%s: %w and has been for %v; see who has it open (fuser, lsof) and end that", at, store.ErrBusy, patience)
	case lib.SQLITE_FULL:
		return full(path)
	case lib.SQLITE_READONLY:
		return fmt.Errorf("%s: %w; you need leave to write to the file and to its folder (SQLite: %w)", at, store.ErrReadOnly, err)
	case lib.SQLITE_PERM, lib.SQLITE_CANTOPEN, lib.SQLITE_AUTH:
		return fmt.Errorf("%s: %w: it or the files beside it (-wal, -shm) cannot be opened; you need leave to read and "+
			"write them and their folder (SQLite: %w)", at, store.ErrReadOnly, err)
	case lib.SQLITE_CORRUPT:
		return damaged(path, err.Error())
	case lib.SQLITE_ERROR, lib.SQLITE_SCHEMA, lib.SQLITE_CONSTRAINT: // what we ask is always the same
		return damaged(path, "its tables are not as eke made them: "+err.Error())
	case lib.SQLITE_NOTADB:
		return fmt.Errorf("%s: %w, or its beginning was overwritten; give another path, or put a copy in its place",
			at, store.ErrForeign)
	case lib.SQLITE_IOERR:
		if c == lib.SQLITE_IOERR_SHMSIZE { // the only way to extend that file and not succeed
			return full(path)
		}
		return fmt.Errorf("%s: the disk gave an error; nothing of this change counts; look at the disk (SQLite: %w)", at, err)
	}
	return fmt.Errorf("%s: %w", at, err)
}

func full(path string) error {
	return fmt.Errorf("sqlite: %s: %w; nothing of this change was kept, everything before it was; make room and go on",
		path, store.ErrFull)
}

func damaged(path, what string) error {
	return fmt.Errorf("sqlite: %s: %w: %s; nothing was written to it; put a copy in its place (sqlite3's .recover may save the rest)",
		path, store.ErrDamaged, what)
}

func newer(path string, version, known int) error {
	return fmt.Errorf("sqlite: %s: %w: it has version %d, this eke knows up to %d; use the newer eke",
		path, store.ErrNewer, version, known)
}

func gone(which string) error {
	return fmt.Errorf("sqlite: %s: %w; results since its last copy are at risk: put it back, or a copy, before you go on",
		which, store.ErrGone)
}

func unreadable(path string) error {
	return fmt.Errorf("sqlite: %s: %w to read it; you need leave to read and write the file and its folder", path, fs.ErrPermission)
}
