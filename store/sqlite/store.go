package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Store is a store in a file. Open returns one.
type Store struct {
	path   string
	file   fs.FileInfo // what was at path when it was opened
	db     *sql.DB
	config config
	closed atomic.Bool
	parsed sync.Map // of query to statement

	readOnly error  // why nothing is written; nil: it is
	copied   string // the folder of a copy, which goes when the store is closed
}

var _ store.Store = (*Store)(nil)

// Create adds a study.
func (s *Store) Create(ctx context.Context, h store.Header) error {
	if err := h.Check(); err != nil {
		return err
	}
	if s.readOnly != nil { // a study that is there is reported as such, as by a store that can be written to
		if _, err := find(ctx, s.db, h.Name); err == nil {
			return store.Exists(h.Name)
		}
	}
	h.ID = cmp.Or(h.ID, store.NewID())
	h.Total += 0 // SQLite has no negative zero
	created := h.Created.UTC().Format(time.RFC3339Nano)
	return s.write(ctx, func(tx *sql.Tx) error {
		id, err := insertStudy(ctx, tx, h, created)
		if err == nil {
			_, err = tx.ExecContext(ctx, "INSERT INTO identities (study, id) VALUES (?, ?)", id, h.ID)
		}
		return err
	})
}

// Append adds events to a log.
func (s *Store) Append(ctx context.Context, name string, version int64, events ...study.Event) error {
	bodies, err := store.Encode(name, version, events)
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		id, err := find(ctx, tx, name)
		if err != nil {
			return err
		}
		var last int64
		if err := tx.QueryRowContext(ctx, "SELECT COALESCE(MAX(seq), 0) FROM events WHERE study = ?", id).Scan(&last); err != nil {
			return err
		}
		if last != version {
			return store.Conflict(name, version, last)
		}
		if len(events) > 0 && events[0].Before != "" {
			if before, err := lastDigest(ctx, tx, id, version); err != nil || before != events[0].Before {
				return cmp.Or(err, store.OtherLog(name, version))
			}
		}
		insert, err := tx.PrepareContext(ctx, "INSERT INTO events (study, seq, body, sum) VALUES (?, ?, ?, ?)")
		if err != nil {
			return err
		}
		defer insert.Close()
		for i, body := range bodies {
			seq := events[i].Seq
			if _, err := insert.ExecContext(ctx, id, seq, string(body), store.SumOfEvent(key(id, seq), body)); err != nil {
				return err
			}
		}
		return nil
	})
}

// lastDigest returns the digest of the last event of a log, or the study's identity if there is none.
func lastDigest(ctx context.Context, tx *sql.Tx, id, version int64) (digest string, err error) {
	if version == 0 {
		err = tx.QueryRowContext(ctx, "SELECT id FROM identities WHERE study = ?", id).Scan(&digest)
		return digest, err
	}
	var body []byte
	err = tx.QueryRowContext(ctx, "SELECT body FROM events WHERE study = ? AND seq = ?", id, version).Scan(&body)
	return store.Digest(body), err
}

// Touch notes that trials were alive at that time.
func (s *Store) Touch(ctx context.Context, name string, trials []int, at time.Time) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		id, err := find(ctx, tx, name)
		if err != nil {
			return err
		}
		for _, number := range trials {
			if _, err := tx.ExecContext(ctx, "INSERT INTO touched (study, trial, at) VALUES (?, ?, ?) "+
				"ON CONFLICT DO UPDATE SET at = excluded.at", id, number, at.UnixNano()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete removes a study with its log.
func (s *Store) Delete(ctx context.Context, name string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		id, err := find(ctx, tx, name)
		if err == nil {
			err = retire(ctx, tx, id, name)
		}
		if err != nil {
			return err
		}
		return remove(ctx, tx, id)
	})
}

// Rename gives a study another name: it copies the study, and removes the original.
func (s *Store) Rename(ctx context.Context, name, to string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		from, h, err := s.header(tx.QueryRowContext(ctx, "SELECT "+headerColumns+" FROM studies WHERE name = ?", name))
		if errors.Is(err, sql.ErrNoRows) {
			return store.NotFound(name)
		}
		if err != nil {
			return err
		}
		h.Name = to
		if err := h.Check(); err != nil {
			return err
		}
		id, err := insertStudy(ctx, tx, h, h.Created.UTC().Format(time.RFC3339Nano))
		if err != nil {
			return err
		}
		if err := s.copyLog(ctx, tx, from, id, name); err != nil {
			return err
		}
		if err := retire(ctx, tx, id, name); err != nil {
			return err
		}
		return remove(ctx, tx, from)
	})
}

// Retire notes that a name alone does not say which study is meant.
func (s *Store) Retire(ctx context.Context, name string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		id, err := find(ctx, tx, name)
		if err != nil {
			return err
		}
		return retire(ctx, tx, id, name)
	})
}

// Former returns the identities of the studies that a name was retired for.
func (s *Store) Former(ctx context.Context, name string) (ids []string, err error) {
	err = s.read(ctx, func() error {
		ids = nil
		return s.each(ctx, func(rows *sql.Rows) error {
			var id string
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		}, "SELECT id FROM former WHERE name = ? ORDER BY at", name)
	})
	return ids, err
}

func insertStudy(ctx context.Context, tx *sql.Tx, h store.Header, created string) (id int64, err error) {
	switch _, err := find(ctx, tx, h.Name); {
	case err == nil:
		return 0, store.Exists(h.Name)
	case !errors.Is(err, store.ErrNotFound):
		return 0, err
	}
	if err := tx.QueryRowContext(ctx, "SELECT COALESCE(MAX(id), 0) + 1 FROM studies").Scan(&id); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO studies (id, name, created, total, measured, definition, sum) VALUES (?, ?, ?, ?, ?, ?, ?)",
		id, h.Name, created, h.Total, h.Measured, []byte(h.Definition), store.SumOfHeader(key(id), h, created))
	return id, err
}

func retire(ctx context.Context, tx *sql.Tx, study int64, name string) error {
	_, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO former (name, id, at) SELECT ?, id, ? FROM identities WHERE study = ?", name, time.Now().UnixNano(), study)
	return err
}

// copyLog copies the events of a study, and when its trials were touched. The sums are others, since the study is.
func (s *Store) copyLog(ctx context.Context, tx *sql.Tx, from, to int64, name string) error {
	rows, err := tx.QueryContext(ctx, "SELECT seq, body, sum FROM events WHERE study = ? ORDER BY seq", from)
	if err != nil {
		return err
	}
	defer rows.Close()
	type row struct {
		seq  int64
		body string
	}
	var list []row
	for rows.Next() {
		var r row
		var sum int64
		if err := rows.Scan(&r.seq, &r.body, &sum); err != nil {
			return err
		}
		if sum != store.SumOfEvent(key(from, r.seq), []byte(r.body)) {
			return damaged(s.path, "study \""+name+"\": an event is not what was written")
		}
		list = append(list, r)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, r := range list {
		if _, err := tx.ExecContext(ctx, "INSERT INTO events (study, seq, body, sum) VALUES (?, ?, ?, ?)",
			to, r.seq, r.body, store.SumOfEvent(key(to, r.seq), []byte(r.body))); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		"INSERT INTO touched (study, trial, at) SELECT ?1, trial, at FROM touched WHERE study = ?2", "UPDATE files SET study = ?1 WHERE study = ?2",
		"UPDATE identities SET study = ?1 WHERE study = ?2",
	} {
		if _, err := tx.ExecContext(ctx, statement, to, from); err != nil {
			return err
		}
	}
	return nil
}

// guards are the triggers that keep everybody else from deleting anything.
var guards = []string{"studies_stay", "events_stay"}

// remove deletes a study. The guards are away within this transaction only: whoever looks sees them, before and after.
func remove(ctx context.Context, tx *sql.Tx, id int64) error {
	var restore []string
	for _, name := range guards {
		var text string
		if err := tx.QueryRowContext(ctx, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?", name).Scan(&text); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DROP TRIGGER "+name); err != nil {
			return err
		}
		restore = append(restore, text)
	}
	for _, table := range []string{"files WHERE study", "touched WHERE study", "events WHERE study", "identities WHERE study", "studies WHERE id"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" = ?", id); err != nil {
			return err
		}
	}
	for _, text := range restore {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// write runs do in a transaction that holds the write lock from the beginning, so that what do reads cannot change before it
// writes.
func (s *Store) write(ctx context.Context, do func(*sql.Tx) error) error {
	if s.readOnly != nil {
		return s.readOnly
	}
	if err := s.inPlace(); err != nil {
		return err
	}
	conn, err := s.db.Conn(ctx) // kept until the end: if a cancelled call closes the last connection, SQLite removes the log
	if err != nil {
		return s.explain(ctx, err)
	}
	defer conn.Close()
	var tx *sql.Tx
	err = patiently(ctx, func() (err error) {
		tx, err = conn.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return s.explain(ctx, err)
	}
	defer tx.Rollback()
	// A newer eke may have migrated the file since we opened it.
	if _, err = versionOf(ctx, tx, s.path, s.config); err == nil {
		err = do(tx)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return s.explain(ctx, err)
	}
	// What was acknowledged last is only in the log beside the file, so that must be there as well.
	if !inUse(s.path) {
		return gone(s.path + "-wal")
	}
	return s.inPlace()
}

// Close closes the file.
func (s *Store) Close() error {
	s.closed.Store(true)
	err := explain(s.path, s.db.Close())
	if s.copied != "" {
		os.RemoveAll(s.copied)
	}
	return err
}

// inPlace returns an error unless the file is still where it was. SQLite would go on writing to a deleted file, and all of that
// would be lost on exit.
func (s *Store) inPlace() error {
	if s.closed.Load() {
		return fmt.Errorf("%s: %w", s.path, store.ErrClosed)
	}
	now, err := os.Stat(s.path)
	switch {
	case err == nil && os.SameFile(now, s.file):
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return gone(s.path)
	}
	return fmt.Errorf("%s can no longer be looked at: %w", s.path, cause(err))
}

// explain prefers the reason why the caller gave up to what SQLite says about being interrupted.
func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil || fault.IsExplained(err) {
		return err
	}
	if cancelled := ctx.Err(); cancelled != nil {
		return fmt.Errorf("%s: %w", s.path, cancelled)
	}
	return explain(s.path, err)
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

func isBusy(err error) bool {
	c := primary(code(err))
	return c == lib.SQLITE_BUSY || c == lib.SQLITE_LOCKED
}

// primary is a code without its detail.
func primary(code int) int { return code & 0xff }

// code is SQLite's number for an error, or 0 if the error is not from SQLite.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}
