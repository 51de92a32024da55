package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
)

// code is SQLite's number for an error, or 0 if the error is not from SQLite.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
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

// permission is the hint for a file that may not be read or written.
const permission = "you need permission to read and write the file, the files beside it (-wal, -shm) and their folder"

// explain turns SQLite's errors into ours, with a hint. Errors that are ours already are returned as they are.
func explain(path string, err error) error {
	switch c := code(err); primary(c) {
	case 0:
		if err == nil || fault.IsExplained(err) {
			return err
		}
		return fmt.Errorf("%s: %w", path, err)
	case lib.SQLITE_INTERRUPT:
		return fmt.Errorf("%s: %w", path, context.Canceled)
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return fault.Errorf("find out who has it open (fuser, lsof) and end that program", "%s: %w and has been for %v", path, store.ErrBusy, patience)
	case lib.SQLITE_FULL:
		return full(path)
	case lib.SQLITE_READONLY:
		return fault.Errorf(permission, "%s: %w (SQLite: %w)", path, store.ErrReadOnly, err)
	case lib.SQLITE_PERM, lib.SQLITE_CANTOPEN, lib.SQLITE_AUTH:
		return fault.Errorf(permission, "%s: %w: it or a file beside it cannot be opened (SQLite: %w)", path, store.ErrReadOnly, err)
	case lib.SQLITE_CORRUPT:
		return damaged(path, err.Error())
	case lib.SQLITE_ERROR, lib.SQLITE_SCHEMA, lib.SQLITE_CONSTRAINT: // what we ask is always the same
		return damaged(path, "its tables are not as eke made them: "+err.Error())
	case lib.SQLITE_NOTADB:
		return fault.Errorf("give another path, or replace it with a copy", "%s: %w, or its beginning was overwritten", path, store.ErrForeign)
	case lib.SQLITE_IOERR:
		if c == lib.SQLITE_IOERR_SHMSIZE { // the only way to extend that file and not succeed
			return full(path)
		}
		return fault.New(fault.StoreBroken, "this change does not count; check the disk", "%s: the disk reported an error (SQLite: %w)", path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

func full(path string) error { return fault.Errorf("", "%s: %w", path, store.ErrFull) }

func damaged(path, what string) error {
	return fault.Errorf("nothing was written to it; replace it with a copy (sqlite3's .recover may save the rest)", "%s: %w: %s", path, store.ErrDamaged, what)
}

func gone(path string) error {
	return fault.Errorf("results since its last copy are at risk; put it back, or a copy of it, before you go on", "%s: %w", path, store.ErrGone)
}

func foreign(path, what, hint string) error {
	return fault.Errorf(hint, "%s: %w: %s", path, store.ErrForeign, what)
}

func unreadable(path string) error {
	return fault.New(fault.StoreDenied, permission, "%s cannot be read: %w", path, fs.ErrPermission)
}
