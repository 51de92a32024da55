package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// List returns the studies in the order of their creation.
func (s *Store) List(ctx context.Context) (list []store.Header, err error) {
	err = s.read(ctx, func() error {
		list = nil
		return s.each(ctx, func(rows *sql.Rows) error {
			_, h, err := s.header(rows)
			list = append(list, h)
			return err
		}, "SELECT "+headerColumns+" FROM studies ORDER BY id")
	})
	return list, err
}

var errEnough = errors.New("enough was read")

// Heads returns the studies in the order of their creation, without their definitions.
func (s *Store) Heads(ctx context.Context) (list []store.Head, err error) {
	err = s.read(ctx, func() error {
		list = nil
		return s.each(ctx, func(rows *sql.Rows) error {
			var h store.Head
			var created string
			err := rows.Scan(&h.ID, &h.Name, &created, &h.Version)
			h.Created, _ = time.Parse(time.RFC3339Nano, created) // of a damaged study it is unknown
			list = append(list, h)
			return err
		}, "SELECT COALESCE(i.id, ''), s.name, s.created, COALESCE((SELECT MAX(seq) FROM events e WHERE e.study = s.id), 0) FROM studies s LEFT JOIN identities i ON i.study = s.id ORDER BY s.id")
	})
	return list, err
}

// Ready writes something, to find out whether that is possible.
func (s *Store) Ready(ctx context.Context) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO ready (id, at) VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at", time.Now().UnixNano())
		return err
	})
}

// Read returns a study and its events after the given number.
func (s *Store) Read(ctx context.Context, name string, after int64) (h store.Header, events []study.Event, err error) {
	err = s.read(ctx, func() error {
		var id int64
		// The header never changes and the log only grows, so that two queries see what one transaction would.
		find, err := s.statement(ctx, "SELECT "+headerColumns+" FROM studies WHERE name = ?")
		if err != nil {
			return err
		}
		id, h, err = s.header(find.QueryRowContext(ctx, name))
		if errors.Is(err, sql.ErrNoRows) {
			return store.NotFound(name)
		}
		if err != nil {
			return err
		}
		events, err = s.events(ctx, id, name, max(after, 0))
		return err
	})
	return h, events, err
}

func (s *Store) events(ctx context.Context, id int64, name string, after int64) (events []study.Event, err error) {
	want := after
	err = s.each(ctx, func(rows *sql.Rows) error {
		var seq, sum int64
		var body sql.RawBytes
		if err := rows.Scan(&seq, &body, &sum); err != nil {
			return err
		}
		if want++; seq != want {
			return damaged(s.path, fmt.Sprintf("study %q: event %d is missing", name, want))
		}
		if sum != store.SumOfEvent(key(id, seq), body) {
			return damaged(s.path, fmt.Sprintf("study %q: event %d is not what was written", name, seq))
		}
		e, err := store.Decode(name, seq, body)
		events = append(events, e)
		return err
	}, "SELECT seq, body, sum FROM events WHERE study = ? AND seq > ? ORDER BY seq", id, after)
	return events, err
}

// Touched returns when each trial was last touched.
func (s *Store) Touched(ctx context.Context, name string) (touched map[int]time.Time, err error) {
	err = s.read(ctx, func() error {
		touched = map[int]time.Time{}
		id, err := find(ctx, s.db, name)
		if err != nil {
			return err
		}
		return s.each(ctx, func(rows *sql.Rows) error {
			var number int
			var at int64
			err := rows.Scan(&number, &at)
			touched[number] = time.Unix(0, at).UTC()
			return err
		}, "SELECT trial, at FROM touched WHERE study = ?", id)
	})
	return touched, err
}

// each calls do with every row of the answer to a query.
func (s *Store) each(ctx context.Context, do func(*sql.Rows) error, query string, args ...any) error {
	ask, err := s.statement(ctx, query)
	if err != nil {
		return err
	}
	rows, err := ask.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// statement returns a query that is parsed once: a controller asks for news many times a second, and to parse takes longer than to answer.
func (s *Store) statement(ctx context.Context, query string) (statement, error) {
	if known, ok := s.parsed.Load(query); ok {
		return known.(statement), nil
	}
	parsed, err := s.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if first, taken := s.parsed.LoadOrStore(query, parsed); taken {
		defer parsed.Close()
		return first.(statement), nil
	}
	return parsed, nil
}

// A statement is a query that nobody closes but the database.
type statement interface {
	QueryContext(ctx context.Context, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, args ...any) *sql.Row
}

// read runs do, and again while another process that is just opening or closing the file keeps us out.
func (s *Store) read(ctx context.Context, do func() error) error {
	if err := s.inPlace(); err != nil {
		return err
	}
	return s.explain(ctx, patiently(ctx, do))
}

// Every study has an identity; see 004_identity.sql. Of one without, which no eke makes, it is empty, and the study can be read all the same.
const headerColumns = "id, COALESCE((SELECT i.id FROM identities i WHERE i.study = studies.id), ''), name, created, total, measured, definition, sum"

func (s *Store) header(row interface{ Scan(...any) error }) (id int64, h store.Header, err error) {
	var created string
	var definition []byte
	var sum int64
	if err := row.Scan(&id, &h.ID, &h.Name, &created, &h.Total, &h.Measured, &definition, &sum); err != nil {
		return 0, h, err
	}
	h.Definition = definition
	if sum != store.SumOfHeader(key(id), h, created) {
		return 0, h, damaged(s.path, fmt.Sprintf("study %q is not what was written", h.Name))
	}
	h.Created, err = time.Parse(time.RFC3339Nano, created)
	return id, h, err
}

// key is what tells the row of a study, or of an event in its log, from others.
func key(numbers ...int64) (key []byte) {
	for _, n := range numbers {
		key = binary.BigEndian.AppendUint64(key, uint64(n))
	}
	return key
}

func find(ctx context.Context, q querier, name string) (id int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT id FROM studies WHERE name = ?", name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, store.NotFound(name)
	}
	return id, err
}
