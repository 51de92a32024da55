package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/eke-bo/eke/store"
)

var _ store.Files = (*Store)(nil)

// AppendFile adds data to a file of a trial.
func (s *Store) AppendFile(ctx context.Context, study string, f store.File, offset int64, data []byte, l store.FileLimits) (size int64, err error) {
	if err := f.Check(); err != nil {
		return 0, err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		id, err := find(ctx, tx, study)
		if err != nil {
			return err
		}
		var kept, all int64
		if size, kept, err = extent(ctx, tx, id, f.Trial, f.Name); err != nil {
			return err
		}
		part, ok := store.Append(size, offset, data, l.Skip)
		if !ok {
			return nil
		}
		if err := tx.QueryRowContext(ctx, "SELECT COALESCE(SUM(LENGTH(body)), 0) FROM files WHERE study = ?", id).Scan(&all); err != nil {
			return err
		}
		more := int64(len(part.Data))
		if all+more > l.Most {
			return store.ErrFilesFull
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO files (study, trial, name, start, body) VALUES (?, ?, ?, ?, ?)", id, f.Trial, f.Name, part.Offset, part.Data); err != nil {
			return err
		}
		size = part.Offset + more
		return shorten(ctx, tx, id, f, kept+more, l.Keep)
	})
	return size, err
}

const partsOf = "SELECT start, body FROM files WHERE study = ? AND trial = ? AND name = ? AND start + LENGTH(body) > ? ORDER BY start"

// ReadFile returns parts of a file.
func (s *Store) ReadFile(ctx context.Context, study string, trial int, name string, offset, most int64) (f store.File, parts []store.Part, err error) {
	f = store.File{Trial: trial, Name: name}
	err = s.atOnce(ctx, func(m moment) error {
		parts = nil
		id, err := find(ctx, m.tx, study)
		if err != nil {
			return err
		}
		if f.Size, f.Kept, err = extent(ctx, m.tx, id, trial, name); err != nil {
			return err
		}
		if f.Size == 0 {
			return store.ErrNoFile
		}
		rows, err := m.ask(ctx, partsOf).QueryContext(ctx, id, trial, name, offset) //nolint:sqlclosecheck // it ends with the transaction
		if err != nil {
			return err
		}
		read := int64(0)
		err = each(rows, func(rows *sql.Rows) error {
			if read >= most {
				return errEnough
			}
			var p store.Part
			err := rows.Scan(&p.Offset, &p.Data)
			parts, read = append(parts, p), read+int64(len(p.Data))
			return err
		})
		if errors.Is(err, errEnough) {
			err = nil
		}
		return err
	}, partsOf)
	return f, parts, err
}

// Files lists the files of a trial.
func (s *Store) Files(ctx context.Context, study string, trial int) (list []store.File, err error) {
	err = s.read(ctx, func() error {
		list = nil
		found := false
		// One row without a name if there is a study and no file.
		err := s.each(ctx, func(rows *sql.Rows) error {
			var name *string
			var size, kept *int64
			err := rows.Scan(&name, &size, &kept)
			if found = true; err == nil && name != nil {
				list = append(list, store.File{Trial: trial, Name: *name, Size: *size, Kept: *kept})
			}
			return err
		}, `SELECT f.name, MAX(f.start + LENGTH(f.body)), SUM(LENGTH(f.body)) FROM studies s LEFT JOIN files f ON f.study = s.id AND f.trial = ?2
			WHERE s.name = ?1 GROUP BY s.id, f.name ORDER BY f.name`, study, trial)
		if err == nil && !found {
			err = store.NotFound(study)
		}
		return err
	})
	return list, err
}

// shorten removes parts from the middle of a file until it fits, but never the last one.
func shorten(ctx context.Context, tx *sql.Tx, id int64, f store.File, kept, keep int64) error {
	for kept > keep {
		var start, length int64
		err := tx.QueryRowContext(ctx, `SELECT start, LENGTH(body) FROM files WHERE study = ?1 AND trial = ?2 AND name = ?3 AND start + LENGTH(body) > ?4
			AND start < (SELECT MAX(start) FROM files WHERE study = ?1 AND trial = ?2 AND name = ?3) ORDER BY start LIMIT 1`, id, f.Trial, f.Name, keep/2).Scan(&start, &length)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM files WHERE study = ? AND trial = ? AND name = ? AND start = ?", id, f.Trial, f.Name, start); err != nil {
			return err
		}
		kept -= length
	}
	return nil
}

// extent returns where a file ends, and how much of it is kept.
func extent(ctx context.Context, q querier, id int64, trial int, name string) (size, kept int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT COALESCE(MAX(start + LENGTH(body)), 0), COALESCE(SUM(LENGTH(body)), 0) FROM files WHERE study = ? AND trial = ? AND name = ?",
		id, trial, name).Scan(&size, &kept)
	return size, kept, err
}

var _ store.Tokens = (*Store)(nil)

// AddToken adds a token.
func (s *Store) AddToken(ctx context.Context, t store.Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		var known int
		err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM tokens WHERE id = ? OR hash = ?", t.ID, t.Hash).Scan(&known)
		if err != nil {
			return err
		}
		if known > 0 {
			return store.TokenExists(t.ID)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO tokens (id, hash, name, role, created, "group") VALUES (?, ?, ?, ?, ?, ?)`,
			t.ID, t.Hash, t.Name, t.Role, t.Created.UnixNano(), t.Group)
		return err
	})
}

// Tokens returns the tokens that were not revoked.
func (s *Store) Tokens(ctx context.Context) (list []store.Token, err error) {
	err = s.read(ctx, func() error {
		list = nil
		return s.each(ctx, func(rows *sql.Rows) error {
			var t store.Token
			var created int64
			err := rows.Scan(&t.ID, &t.Hash, &t.Name, &t.Role, &created, &t.Group)
			t.Created = time.Unix(0, created).UTC()
			list = append(list, t)
			return err
		}, `SELECT id, hash, name, role, created, "group" FROM tokens ORDER BY created, rowid`)
	})
	return list, err
}

// RevokeToken removes a token.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "DELETE FROM tokens WHERE id = ?", id)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return store.NoToken(id)
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO revoked (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING", id, time.Now().UnixNano())
		return err
	})
}

// Guarded says whether there has ever been a token.
func (s *Store) Guarded(ctx context.Context) (guarded bool, err error) {
	err = s.read(ctx, func() error {
		return s.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM tokens) OR EXISTS (SELECT 1 FROM revoked)").Scan(&guarded)
	})
	return guarded, err
}
