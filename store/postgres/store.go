package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Store is a store in a database. Open returns one.
type Store struct {
	place  string // for people: the URL without the password
	schema string
	config config
	knows  int64 // the last migration that we know
	pool   *pgxpool.Pool
	closed atomic.Bool
}

var _ store.Store = (*Store)(nil)

// A newer eke may have migrated the database since we opened it. Then nothing may be written any more. Every statement that writes has
// this condition; its parameter is the last migration that we know.
const upToDate = "(SELECT max(version_id) FROM " + versions + ") <= "

// Create adds a study.
func (s *Store) Create(ctx context.Context, h store.Header) error {
	if err := h.Check(); err != nil {
		return err
	}
	created := h.Created.UTC().Format(time.RFC3339Nano)
	id := cmp.Or(h.ID, store.NewID())
	writer := newWriter()
	return s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		var done bool
		err := conn.QueryRow(ctx, `WITH
			added AS (INSERT INTO studies (name, created, total, measured, definition, sum, writer)
				SELECT $1, $2, $3, $4, $5, $6, $7 WHERE `+upToDate+`$8 ON CONFLICT (name) DO NOTHING RETURNING id),
			head AS (INSERT INTO heads (study, version) SELECT id, 0 FROM added),
			identity AS (INSERT INTO identities (study, id) SELECT id, $9 FROM added)
			SELECT EXISTS (SELECT FROM added)`,
			h.Name, created, h.Total, h.Measured, []byte(h.Definition), store.SumOfHeader(nil, h, created), writer, s.knows, id).Scan(&done)
		if err != nil || done {
			return err
		}
		var ours bool
		err = conn.QueryRow(ctx, "SELECT writer = $2 FROM studies WHERE name = $1", h.Name, writer).Scan(&ours)
		switch {
		case err == nil && ours:
			return nil
		case err != nil && !errors.Is(err, pgx.ErrNoRows): // none: the study that had the name is gone meanwhile
			return err
		}
		return cmp.Or(s.outdated(ctx, conn), store.Exists(h.Name))
	})
}

// lastDigest is the digest of the last event of the log with head h, or its study's identity if there is none; see store.Digest.
const lastDigest = `COALESCE((SELECT left(encode(sha256(e.body), 'hex'), 32) FROM events e WHERE e.study = h.study AND e.seq = h.version),
	(SELECT i.id FROM identities i WHERE i.study = h.study))`

// Append adds events to a log, in a single statement. It updates the row of the log's head if that says version, and adds the events
// if it could do so.
func (s *Store) Append(ctx context.Context, name string, version int64, events ...study.Event) error {
	bodies, err := store.Encode(name, version, events)
	if err != nil {
		return err
	}
	sums := make([]int64, len(bodies))
	for i, body := range bodies {
		sums[i] = store.SumOfEvent(key(name, events[i].Seq), body)
	}
	before := ""
	if len(events) > 0 {
		before = events[0].Before
	}
	writer := newWriter()
	return s.ofStudy(ctx, name, func(ctx context.Context, conn *pgx.Conn) error {
		var done bool
		err := conn.QueryRow(ctx, `WITH
			head AS (UPDATE heads h SET version = version + $3::bigint
				WHERE study = (SELECT id FROM studies WHERE name = $1) AND version = $2::bigint AND `+upToDate+`$4 AND ($8 = '' OR $8 = `+lastDigest+`) RETURNING study),
			added AS (INSERT INTO events (study, seq, body, sum, writer)
				SELECT head.study, $2::bigint + e.n, e.body, e.sum, $5
				FROM head, unnest($6::bytea[], $7::bigint[]) WITH ORDINALITY AS e (body, sum, n) ORDER BY e.n)
			SELECT EXISTS (SELECT FROM head)`,
			name, version, len(events), s.knows, writer, bodies, sums, before).Scan(&done)
		if err != nil || done {
			return err
		}
		return s.whyNot(ctx, conn, name, version, writer)
	})
}

// whyNot says why an append had no effect. An earlier attempt may have succeeded and only its answer was lost; then the event after
// version has our number.
func (s *Store) whyNot(ctx context.Context, conn *pgx.Conn, name string, version, writer int64) error {
	var last *int64
	var ours bool
	err := conn.QueryRow(ctx, `SELECT h.version, EXISTS (SELECT FROM events e WHERE e.study = s.id AND e.seq = $2::bigint + 1 AND e.writer = $3)
		FROM studies s LEFT JOIN heads h ON h.study = s.id WHERE s.name = $1`, name, version, writer).Scan(&last, &ours)
	switch {
	case err == nil && ours:
		return nil
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		return err
	}
	if err := s.outdated(ctx, conn); err != nil {
		return err
	}
	switch {
	case err != nil:
		return store.NotFound(name)
	case last == nil:
		return s.damaged("a study has no head")
	}
	if *last == version {
		return store.OtherLog(name, version)
	}
	return store.Conflict(name, version, *last)
}

// Touch notes that trials were alive at that time.
func (s *Store) Touch(ctx context.Context, name string, trials []int, at time.Time) error {
	// Each trial once, and all writers in the same order, so that no two of them wait for each other.
	trials = slices.Compact(slices.Sorted(slices.Values(trials)))
	return s.ofStudy(ctx, name, func(ctx context.Context, conn *pgx.Conn) error {
		var there bool
		err := conn.QueryRow(ctx, `WITH
			s AS (SELECT id FROM studies WHERE name = $1 AND `+upToDate+`$4),
			t AS (INSERT INTO touched (study, trial, at) SELECT s.id, t, $3 FROM s, unnest($2::bigint[]) t ORDER BY t
				ON CONFLICT (study, trial) DO UPDATE SET at = excluded.at)
			SELECT EXISTS (SELECT FROM s)`, name, trials, at.UnixNano(), s.knows).Scan(&there)
		if said, ok := errors.AsType[*pgconn.PgError](err); ok && said.Code == "23503" { // it was deleted, or renamed, in the middle of this
			return store.NotFound(name)
		}
		if err != nil || there {
			return err
		}
		return cmp.Or(s.outdated(ctx, conn), store.NotFound(name))
	})
}

// Delete removes a study with its log.
func (s *Store) Delete(ctx context.Context, name string) error {
	return s.changeOnce(ctx, name, "", func(tx pgx.Tx, id, _ int64) error {
		return cmp.Or(retire(ctx, tx, id, name), remove(ctx, tx, id, 0))
	})
}

// Rename gives a study another name: it copies the study, and removes the original.
func (s *Store) Rename(ctx context.Context, name, to string) error {
	return s.changeOnce(ctx, name, to, func(tx pgx.Tx, from, last int64) error { return s.move(ctx, tx, from, last, name, to) })
}

// changeOnce is change for what takes a study's name away. If an answer is lost, and then another study gets the name, the next attempt must
// not take that one for the study that was meant: the one that the first attempt found. If it is called as it should be afterwards, or is
// gone and should be called nothing, an earlier attempt has done it.
func (s *Store) changeOnce(ctx context.Context, name, afterwards string, do func(tx pgx.Tx, id, last int64) error) error {
	var meant int64
	var identity string
	return s.ofStudy(ctx, name, func(ctx context.Context, conn *pgx.Conn) error {
		err := s.change(ctx, conn, name, func(tx pgx.Tx, id, last int64) error {
			if meant == 0 {
				if err := tx.QueryRow(ctx, "SELECT COALESCE((SELECT id FROM identities WHERE study = $1), '')", id).Scan(&identity); err != nil {
					return err
				}
				meant = id
			}
			if id != meant {
				return store.NotFound(name)
			}
			// Nobody else has to wait for this table, except for Retire. With it as their first lock on a table, no two of these wait for each other.
			if _, err := tx.Exec(ctx, "LOCK TABLE former IN SHARE ROW EXCLUSIVE MODE"); err != nil {
				return err
			}
			return do(tx, id, last)
		})
		if meant == 0 || !errors.Is(err, store.ErrNotFound) {
			return err
		}
		var now string // nothing if it is gone
		asked := conn.QueryRow(ctx, "SELECT s.name FROM identities i JOIN studies s ON s.id = i.study WHERE i.id = $1", identity).Scan(&now)
		switch {
		case asked != nil && !errors.Is(asked, pgx.ErrNoRows):
			return asked
		case now == afterwards:
			return nil
		}
		return err
	})
}

// Retire notes that a name alone does not say which study is meant.
func (s *Store) Retire(ctx context.Context, name string) error {
	return s.ofStudy(ctx, name, func(ctx context.Context, conn *pgx.Conn) error {
		return s.change(ctx, conn, name, func(tx pgx.Tx, id, _ int64) error { return retire(ctx, tx, id, name) })
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
		{"UPDATE files SET study = $1 WHERE study = $2", []any{id, from}},
		{"UPDATE identities SET study = $1 WHERE study = $2", []any{id, from}},
	} {
		if _, err := tx.Exec(ctx, statement.sql, statement.args...); err != nil {
			return err
		}
	}
	return cmp.Or(retire(ctx, tx, id, name), remove(ctx, tx, from, id))
}

func retire(ctx context.Context, tx pgx.Tx, study int64, name string) error {
	_, err := tx.Exec(ctx, "INSERT INTO former (name, id, at) SELECT $1, id, $2 FROM identities WHERE study = $3 ON CONFLICT DO NOTHING", name, time.Now().UnixNano(), study)
	return err
}

// remove deletes a study. If there is a copy of it (0: there is none), that has from then on when its trials were touched. The triggers that
// keep everybody else from deleting anything are off within this transaction only.
func remove(ctx context.Context, tx pgx.Tx, id, copied int64) error {
	guarded := []string{"studies", "events", "heads"}
	for _, table := range guarded {
		if _, err := tx.Exec(ctx, "ALTER TABLE "+table+" DISABLE TRIGGER "+table+"_stay"); err != nil {
			return err
		}
	}
	for _, last := range []string{ // of the locks, since the others may take a while; in the order in which Touch takes them
		"SELECT FROM touched WHERE study = $1 ORDER BY trial FOR UPDATE",
		"SELECT FROM studies WHERE id = $1 FOR UPDATE", // a row of touched that came after this would keep the study from going
	} {
		if _, err := tx.Exec(ctx, last, id); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `WITH gone AS (DELETE FROM touched WHERE study = $1 RETURNING trial, at)
		INSERT INTO touched (study, trial, at) SELECT $2, trial, at FROM gone WHERE $2::bigint <> 0`, id, copied); err != nil {
		return err
	}
	for _, rows := range []string{"files WHERE study", "events WHERE study", "heads WHERE study", "identities WHERE study", "studies WHERE id"} {
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

// outdated returns an error if a newer eke has migrated the database.
func (s *Store) outdated(ctx context.Context, conn *pgx.Conn) error {
	var version int64
	if err := conn.QueryRow(ctx, "SELECT COALESCE(max(version_id), 0) FROM "+versions).Scan(&version); err != nil {
		return err
	}
	if version > s.knows {
		return store.Newer(s.place, version, s.knows)
	}
	return nil
}

// newWriter returns a number for one change, by which the change is recognised if its answer was lost.
func newWriter() int64 { return rand.Int64() }

// Close closes the connections.
func (s *Store) Close() error {
	s.closed.Store(true)
	s.pool.Close()
	return nil
}
