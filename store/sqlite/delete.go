package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/eke-bo/eke/store"
)

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

func retire(ctx context.Context, tx *sql.Tx, study int64, name string) error {
	_, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO former (name, id, at) SELECT ?, id, ? FROM identities WHERE study = ?", name, time.Now().UnixNano(), study)
	return err
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
