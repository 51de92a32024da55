package postgres

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
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

// newWriter returns a number for one change, by which the change is recognised if its answer was lost.
func newWriter() int64 { return rand.Int64() }

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
		case errors.Is(err, pgx.ErrNoRows): // there was no study of that name
			return cmp.Or(s.outdated(ctx, conn), s.damaged("a new study does not stay"))
		case err != nil || ours:
			return err
		}
		return store.Exists(h.Name)
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
		if err != nil || there {
			return err
		}
		return cmp.Or(s.outdated(ctx, conn), store.NotFound(name))
	})
}

// Close closes the connections.
func (s *Store) Close() error {
	s.closed.Store(true)
	s.pool.Close()
	return nil
}
