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

// Delete removes a study with its log.
func (s *Store) Delete(ctx context.Context, name string) error {
	attempts := 0
	return s.ofStudy(ctx, name, func(ctx context.Context, conn *pgx.Conn) error {
		attempts++
		err := s.change(ctx, conn, name, func(tx pgx.Tx, id, _ int64) error {
			return cmp.Or(retire(ctx, tx, id, name), remove(ctx, tx, id))
		})
		if attempts > 1 && errors.Is(err, store.ErrNotFound) { // it was done, and the answer was lost
			return nil
		}
		return err
	})
}

// Rename gives a study another name: it copies the study, and removes the original.
func (s *Store) Rename(ctx context.Context, name, to string) error {
	attempts := 0
	return s.ofStudy(ctx, name, func(ctx context.Context, conn *pgx.Conn) error {
		attempts++
		err := s.change(ctx, conn, name, func(tx pgx.Tx, from, last int64) error { return s.move(ctx, tx, from, last, name, to) })
		if attempts > 1 && errors.Is(err, store.ErrNotFound) {
			return nil
		}
		return err
	})
}

// change runs do in a transaction in which nobody else can change the study.
func (s *Store) change(ctx context.Context, conn *pgx.Conn, name string, do func(tx pgx.Tx, id, last int64) error) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if err := s.outdated(ctx, conn); err != nil {
		return err
	}
	var id, last int64
	err = tx.QueryRow(ctx, "SELECT h.study, h.version FROM heads h JOIN studies s ON s.id = h.study WHERE s.name = $1 FOR UPDATE OF h", name).Scan(&id, &last)
	if errors.Is(err, pgx.ErrNoRows) {
		return store.NotFound(name)
	}
	if err == nil {
		err = do(tx, id, last)
	}
	if err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// move copies a study under another name. The sums of its events are others then, since they have the name in them.
func (s *Store) move(ctx context.Context, tx pgx.Tx, from, last int64, name, to string) error {
	h, _, err := s.header(tx.QueryRow(ctx, headers+"WHERE s.id = $1", from))
	if err != nil {
		return err
	}
	h.Name = to
	if err := h.Check(); err != nil {
		return err
	}
	created, writer := h.Created.UTC().Format(time.RFC3339Nano), newWriter()
	var id int64
	err = tx.QueryRow(ctx, `INSERT INTO studies (name, created, total, measured, definition, sum, writer) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (name) DO NOTHING RETURNING id`, to, created, h.Total, h.Measured, []byte(h.Definition), store.SumOfHeader(nil, h, created), writer).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return store.Exists(to)
	}
	if err != nil {
		return err
	}
	rows, _ := tx.Query(ctx, "SELECT seq, body, sum FROM events WHERE study = $1 ORDER BY seq", from)
	var seq, sum int64
	var body []byte
	var bodies [][]byte
	var sums []int64
	if _, err := pgx.ForEachRow(rows, []any{&seq, &body, &sum}, func() error {
		if sum != store.SumOfEvent(key(name, seq), body) || seq != int64(len(bodies))+1 {
			return s.damaged(fmt.Sprintf("study %q: event %d is not what was written", name, seq))
		}
		bodies, sums = append(bodies, body), append(sums, store.SumOfEvent(key(to, seq), body))
		body = nil
		return nil
	}); err != nil {
		return err
	}
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{"INSERT INTO heads (study, version) VALUES ($1, $2)", []any{id, last}},
		{`INSERT INTO events (study, seq, body, sum, writer) SELECT $1, e.n, e.body, e.sum, $2
			FROM unnest($3::bytea[], $4::bigint[]) WITH ORDINALITY AS e (body, sum, n) ORDER BY e.n`, []any{id, writer, bodies, sums}},
		{"INSERT INTO touched (study, trial, at) SELECT $1, trial, at FROM touched WHERE study = $2", []any{id, from}},
		{"UPDATE files SET study = $1 WHERE study = $2", []any{id, from}},
		{"UPDATE identities SET study = $1 WHERE study = $2", []any{id, from}},
	} {
		if _, err := tx.Exec(ctx, statement.sql, statement.args...); err != nil {
			return err
		}
	}
	return cmp.Or(retire(ctx, tx, id, name), remove(ctx, tx, from))
}

// Retire notes that a name alone does not say which study is meant.
func (s *Store) Retire(ctx context.Context, name string) error {
	return s.ofStudy(ctx, name, func(ctx context.Context, conn *pgx.Conn) error {
		return s.change(ctx, conn, name, func(tx pgx.Tx, id, _ int64) error { return retire(ctx, tx, id, name) })
	})
}

func retire(ctx context.Context, tx pgx.Tx, study int64, name string) error {
	_, err := tx.Exec(ctx, "INSERT INTO former (name, id, at) SELECT $1, id, $2 FROM identities WHERE study = $3 ON CONFLICT DO NOTHING", name, time.Now().UnixNano(), study)
	return err
}

// Former returns the identities of the studies that a name was retired for.
func (s *Store) Former(ctx context.Context, name string) (ids []string, err error) {
	if !isText(name) {
		return nil, nil
	}
	err = s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, "SELECT id FROM former WHERE name = $1 ORDER BY at", name) // CollectRows returns the error
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return ids, err
}

// remove deletes a study. The triggers that keep everybody else from deleting anything are off within this transaction only.
func remove(ctx context.Context, tx pgx.Tx, id int64) error {
	guarded := []string{"studies", "events", "heads"}
	for _, table := range guarded {
		if _, err := tx.Exec(ctx, "ALTER TABLE "+table+" DISABLE TRIGGER "+table+"_stay"); err != nil {
			return err
		}
	}
	for _, rows := range []string{"files WHERE study", "touched WHERE study", "events WHERE study", "heads WHERE study", "identities WHERE study", "studies WHERE id"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+rows+" = $1", id); err != nil {
			return err
		}
	}
	for _, table := range guarded {
		if _, err := tx.Exec(ctx, "ALTER TABLE "+table+" ENABLE TRIGGER "+table+"_stay"); err != nil {
			return err
		}
	}
	return nil
}
