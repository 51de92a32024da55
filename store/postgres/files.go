package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/eke-bo/eke/store"
)

var _ store.Files = (*Store)(nil)

// AppendFile adds data to a file of a trial.
func (s *Store) AppendFile(ctx context.Context, study string, f store.File, offset int64, data []byte, l store.FileLimits) (size int64, err error) {
	if err := f.Check(); err != nil {
		return 0, err
	}
	err = s.ofStudy(ctx, study, func(ctx context.Context, conn *pgx.Conn) error {
		return s.change(ctx, conn, study, func(tx pgx.Tx, id, _ int64) error {
			var kept, all int64
			if size, kept, err = extent(ctx, tx, id, f.Trial, f.Name); err != nil {
				return err
			}
			part, ok := store.Append(size, offset, data, l.Skip)
			if !ok {
				return nil
			}
			if err := tx.QueryRow(ctx, "SELECT COALESCE(SUM(LENGTH(body)), 0) FROM files WHERE study = $1", id).Scan(&all); err != nil {
				return err
			}
			more := int64(len(part.Data))
			if all+more > l.Most {
				return store.ErrFilesFull
			}
			if _, err := tx.Exec(ctx, "INSERT INTO files (study, trial, name, start, body) VALUES ($1, $2, $3, $4, $5)", id, f.Trial, f.Name, part.Offset, part.Data); err != nil {
				return err
			}
			size = part.Offset + more
			return shorten(ctx, tx, id, f, kept+more, l.Keep)
		})
	})
	return size, err
}

// ReadFile returns parts of a file.
func (s *Store) ReadFile(ctx context.Context, study string, trial int, name string, offset, most int64) (f store.File, parts []store.Part, err error) {
	f = store.File{Trial: trial, Name: name}
	if !isText(name) {
		return f, nil, store.ErrNoFile
	}
	err = s.ofStudy(ctx, study, func(ctx context.Context, conn *pgx.Conn) error {
		parts = nil
		return atOnce(ctx, conn, func(batch *pgx.Batch) {
			batch.Queue(`SELECT COALESCE(MAX(f.start + LENGTH(f.body)), 0), COALESCE(SUM(LENGTH(f.body)), 0)
				FROM studies s LEFT JOIN files f ON f.study = s.id AND f.trial = $2 AND f.name = $3 WHERE s.name = $1 GROUP BY s.id`, study, trial, name)
			batch.Queue(`SELECT start, body FROM files WHERE study = (SELECT id FROM studies WHERE name = $1) AND trial = $2 AND name = $3
				AND start + LENGTH(body) > $4 ORDER BY start`, study, trial, name, offset)
		}, func(answers pgx.BatchResults) error {
			if err := answers.QueryRow().Scan(&f.Size, &f.Kept); errors.Is(err, pgx.ErrNoRows) {
				return store.NotFound(study)
			} else if err != nil {
				return err
			}
			if f.Size == 0 {
				return store.ErrNoFile
			}
			rows, err := answers.Query()
			if err != nil {
				return err
			}
			defer rows.Close()
			for read := int64(0); read < most && rows.Next(); {
				var p store.Part
				if err := rows.Scan(&p.Offset, &p.Data); err != nil {
					return err
				}
				parts, read = append(parts, p), read+int64(len(p.Data))
			}
			rows.Close()
			return rows.Err()
		})
	})
	return f, parts, err
}

// Files lists the files of a trial.
func (s *Store) Files(ctx context.Context, study string, trial int) (list []store.File, err error) {
	err = s.ofStudy(ctx, study, func(ctx context.Context, conn *pgx.Conn) error {
		// One row without a name if there is a study and no file.
		rows, _ := conn.Query(ctx, `SELECT f.name, MAX(f.start + LENGTH(f.body))::bigint, SUM(LENGTH(f.body))::bigint
			FROM studies s LEFT JOIN files f ON f.study = s.id AND f.trial = $2 WHERE s.name = $1 GROUP BY s.id, f.name ORDER BY f.name`, study, trial)
		var name *string
		var size, kept *int64
		list = nil
		found, err := pgx.ForEachRow(rows, []any{&name, &size, &kept}, func() error {
			if name != nil {
				list = append(list, store.File{Trial: trial, Name: *name, Size: *size, Kept: *kept})
			}
			return nil
		})
		if err == nil && found.RowsAffected() == 0 {
			err = store.NotFound(study)
		}
		return err
	})
	return list, err
}

// shorten removes parts from the middle of a file until it fits, but never the last one.
func shorten(ctx context.Context, tx pgx.Tx, id int64, f store.File, kept, keep int64) error {
	for kept > keep {
		var length int64
		err := tx.QueryRow(ctx, `DELETE FROM files WHERE study = $1 AND trial = $2 AND name = $3 AND start = (
			SELECT MIN(start) FROM files WHERE study = $1 AND trial = $2 AND name = $3 AND start + LENGTH(body) > $4
			AND start < (SELECT MAX(start) FROM files WHERE study = $1 AND trial = $2 AND name = $3)) RETURNING LENGTH(body)`, id, f.Trial, f.Name, keep/2).Scan(&length)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		kept -= length
	}
	return nil
}

// extent returns where a file ends, and how much of it is kept.
func extent(ctx context.Context, tx pgx.Tx, id int64, trial int, name string) (size, kept int64, err error) {
	err = tx.QueryRow(ctx, "SELECT COALESCE(MAX(start + LENGTH(body)), 0), COALESCE(SUM(LENGTH(body)), 0) FROM files WHERE study = $1 AND trial = $2 AND name = $3",
		id, trial, name).Scan(&size, &kept)
	return size, kept, err
}

var _ store.Tokens = (*Store)(nil)

// AddToken adds a token.
func (s *Store) AddToken(ctx context.Context, t store.Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	writer := newWriter()
	return s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, `INSERT INTO tokens (id, name, role, hash, created, writer, "group")
			SELECT $1, $2, $3, $4, $5, $6, $7 WHERE `+upToDate+`$8 ON CONFLICT DO NOTHING`,
			t.ID, t.Name, t.Role, t.Hash, t.Created.UTC().Format(time.RFC3339Nano), writer, t.Group, s.knows)
		if err != nil || tag.RowsAffected() > 0 {
			return err
		}
		var ours bool // and only the answer was lost
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM tokens WHERE id = $1 AND writer = $2)", t.ID, writer).Scan(&ours); err != nil || ours {
			return err
		}
		return cmp.Or(s.outdated(ctx, conn), store.TokenExists(t.ID))
	})
}

// Tokens returns the tokens that were not revoked.
func (s *Store) Tokens(ctx context.Context) (list []store.Token, err error) {
	err = s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, `SELECT id, name, role, hash, created, "group" FROM tokens ORDER BY number`) // CollectRows returns the error
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t store.Token, err error) {
			var created string
			if err := row.Scan(&t.ID, &t.Name, &t.Role, &t.Hash, &created, &t.Group); err != nil {
				return t, err
			}
			if t.Created, err = time.Parse(time.RFC3339Nano, created); err != nil {
				return t, s.damaged(fmt.Sprintf("token %q: %v", t.ID, err))
			}
			return t, nil
		})
		return err
	})
	return list, err
}

// RevokeToken removes a token.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	if !isText(id) {
		return store.NoToken(id)
	}
	attempts := 0
	return s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		attempts++
		tag, err := conn.Exec(ctx, `WITH gone AS (DELETE FROM tokens WHERE id = $1 AND `+upToDate+`$2 RETURNING id)
			INSERT INTO revoked (id, at) SELECT id, $3 FROM gone ON CONFLICT (id) DO UPDATE SET at = excluded.at`, id, s.knows, time.Now().UnixNano())
		if err != nil || tag.RowsAffected() > 0 {
			return err
		}
		if err := s.outdated(ctx, conn); err != nil || attempts > 1 { // an earlier attempt removed it, and its answer was lost
			return err
		}
		return store.NoToken(id)
	})
}

// Guarded says whether there has ever been a token.
func (s *Store) Guarded(ctx context.Context) (guarded bool, err error) {
	err = s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM tokens) OR EXISTS (SELECT FROM revoked)").Scan(&guarded)
	})
	return guarded, err
}
