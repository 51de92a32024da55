package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

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

// Close closes the file.
func (s *Store) Close() error {
	s.closed.Store(true)
	err := explain(s.path, s.db.Close())
	if s.copied != "" {
		os.RemoveAll(s.copied)
	}
	return err
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
