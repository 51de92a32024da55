package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

const headerColumns = "COALESCE(i.id, ''), s.name, s.created, s.total, s.measured, s.definition, s.sum, h.version"

const headers = "SELECT " + headerColumns + " FROM studies s LEFT JOIN heads h ON h.study = s.id LEFT JOIN identities i ON i.study = s.id "

// List returns the studies in the order of their creation.
func (s *Store) List(ctx context.Context) (list []store.Header, err error) {
	err = s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, headers+"ORDER BY s.id") // CollectRows returns the error
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (store.Header, error) {
			h, _, err := s.header(row)
			return h, err
		})
		return err
	})
	return list, err
}

// Heads returns the studies in the order of their creation, without their definitions.
func (s *Store) Heads(ctx context.Context) (list []store.Head, err error) {
	err = s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, "SELECT COALESCE(i.id, ''), s.name, s.created, COALESCE(h.version, 0) FROM studies s LEFT JOIN heads h ON h.study = s.id LEFT JOIN identities i ON i.study = s.id ORDER BY s.id") // CollectRows returns the error
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (h store.Head, err error) {
			var created string
			err = row.Scan(&h.ID, &h.Name, &created, &h.Version)
			h.Created, _ = time.Parse(time.RFC3339Nano, created) // of a damaged study it is unknown
			return h, err
		})
		return err
	})
	return list, err
}

// Ready writes something, to find out whether that is possible.
func (s *Store) Ready(ctx context.Context) error {
	return s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, "INSERT INTO ready (id, at) SELECT 1, $1 WHERE "+upToDate+"$2 ON CONFLICT (id) DO UPDATE SET at = excluded.at", time.Now().UnixNano(), s.knows)
		if err == nil && tag.RowsAffected() == 0 {
			err = s.outdated(ctx, conn)
		}
		return err
	})
}

// Read returns a study and its events after the given number.
func (s *Store) Read(ctx context.Context, name string, after int64) (h store.Header, events []study.Event, err error) {
	after = max(after, 0)
	err = s.ofStudy(ctx, name, func(ctx context.Context, conn *pgx.Conn) error {
		return atOnce(ctx, conn, func(batch *pgx.Batch) {
			batch.Queue(headers+"WHERE s.name = $1", name)
			batch.Queue(`SELECT e.seq, e.body, e.sum FROM events e WHERE e.study = (SELECT id FROM studies WHERE name = $1) AND e.seq > $2
				ORDER BY e.seq`, name, after)
		}, func(answers pgx.BatchResults) (err error) {
			var last int64
			if h, last, err = s.header(answers.QueryRow()); errors.Is(err, pgx.ErrNoRows) {
				return store.NotFound(name)
			} else if err != nil {
				return err
			}
			rows, _ := answers.Query() // events returns the error
			events, err = s.events(rows, name, after, last)
			return err
		})
	})
	return h, events, err
}

// atOnce asks several questions about the same moment, in one round trip. Otherwise a study could be renamed or deleted between two of them,
// and another one could get its name.
func atOnce(ctx context.Context, conn *pgx.Conn, ask func(*pgx.Batch), read func(pgx.BatchResults) error) error {
	var batch pgx.Batch
	batch.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	ask(&batch)
	batch.Queue("COMMIT")
	answers := conn.SendBatch(ctx, &batch)
	defer answers.Close()
	if _, err := answers.Exec(); err != nil {
		return err
	}
	if err := read(answers); err != nil {
		return err
	}
	return answers.Close()
}

func (s *Store) events(rows pgx.Rows, name string, after, last int64) (events []study.Event, err error) {
	missing := func(seq int64) error { return s.damaged(fmt.Sprintf("study %q: event %d is missing", name, seq)) }
	var seq, sum int64
	var body pgtype.DriverBytes
	seen := after
	_, err = pgx.ForEachRow(rows, []any{&seq, &body, &sum}, func() error {
		if seq != seen+1 {
			return missing(seen + 1)
		}
		if sum != store.SumOfEvent(key(name, seq), body) {
			return s.damaged(fmt.Sprintf("study %q: event %d is not what was written", name, seq))
		}
		seen = seq
		e, err := store.Decode(name, seq, body)
		events = append(events, e)
		return err
	})
	if err == nil && seen < last {
		err = missing(seen + 1)
	}
	return events, err
}

// key is what tells the row of an event from others.
func key(study string, seq int64) []byte {
	key := binary.BigEndian.AppendUint64(nil, uint64(seq))
	return append(append(key, study...), 0)
}

func (s *Store) header(row pgx.Row) (h store.Header, last int64, err error) {
	var created string
	var definition []byte
	var sum int64
	var head *int64
	if err := row.Scan(&h.ID, &h.Name, &created, &h.Total, &h.Measured, &definition, &sum, &head); err != nil {
		return h, 0, err
	}
	h.Definition = definition
	if sum != store.SumOfHeader(nil, h, created) || head == nil {
		return h, 0, s.damaged(fmt.Sprintf("study %q is not what was written", h.Name))
	}
	if h.Created, err = time.Parse(time.RFC3339Nano, created); err != nil {
		return h, 0, s.damaged(fmt.Sprintf("study %q: %v", h.Name, err))
	}
	return h, *head, nil
}

// Touched returns when each trial was last touched.
func (s *Store) Touched(ctx context.Context, name string) (touched map[int]time.Time, err error) {
	err = s.ofStudy(ctx, name, func(ctx context.Context, conn *pgx.Conn) error {
		touched = map[int]time.Time{}
		// One row without a trial if there is a study and nothing else.
		rows, _ := conn.Query(ctx, "SELECT t.trial, t.at FROM studies s LEFT JOIN touched t ON t.study = s.id WHERE s.name = $1", name)
		var number, at *int64
		found, err := pgx.ForEachRow(rows, []any{&number, &at}, func() error {
			if number != nil {
				touched[int(*number)] = time.Unix(0, *at).UTC()
			}
			return nil
		})
		if err == nil && found.RowsAffected() == 0 {
			err = store.NotFound(name)
		}
		return err
	})
	return touched, err
}

// ofStudy is insist for what is about a study. No study has a name that the server would not accept.
func (s *Store) ofStudy(ctx context.Context, name string, do func(context.Context, *pgx.Conn) error) error {
	if !isText(name) {
		return store.NotFound(name)
	}
	return s.insist(ctx, do)
}

// isText reports whether the server would accept a text.
func isText(name string) bool { return utf8.ValidString(name) && !strings.ContainsRune(name, 0) }
