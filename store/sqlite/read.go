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

const (
	headerOf = "SELECT " + headerColumns + " FROM studies WHERE name = ?"
	eventsOf = "SELECT seq, body, sum FROM events WHERE study = ? AND seq > ? ORDER BY seq"
)

// Read returns a study and its events after the given number.
func (s *Store) Read(ctx context.Context, name string, after int64) (h store.Header, events []study.Event, err error) {
	err = s.atOnce(ctx, func(m moment) error {
		var id int64
		id, h, err = s.header(m.ask(ctx, headerOf).QueryRowContext(ctx, name)) //nolint:sqlclosecheck // it ends with the transaction
		if errors.Is(err, sql.ErrNoRows) {
			return store.NotFound(name)
		}
		if err != nil {
			return err
		}
		rows, err := m.ask(ctx, eventsOf).QueryContext(ctx, id, max(after, 0)) //nolint:sqlclosecheck // it ends with the transaction
		if err != nil {
			return err
		}
		events, err = s.events(rows, id, name, max(after, 0))
		return err
	}, headerOf, eventsOf)
	return h, events, err
}

func (s *Store) events(rows *sql.Rows, id int64, name string, after int64) (events []study.Event, err error) {
	want := after
	err = each(rows, func(rows *sql.Rows) error {
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
	})
	return events, err
}

// Touched returns when each trial was last touched.
func (s *Store) Touched(ctx context.Context, name string) (touched map[int]time.Time, err error) {
	err = s.read(ctx, func() error {
		touched = map[int]time.Time{}
		found := false
		// One row without a trial if there is a study and nothing else.
		err := s.each(ctx, func(rows *sql.Rows) error {
			var number, at *int64
			err := rows.Scan(&number, &at)
			if found = true; err == nil && number != nil {
				touched[int(*number)] = time.Unix(0, *at).UTC()
			}
			return err
		}, "SELECT t.trial, t.at FROM studies s LEFT JOIN touched t ON t.study = s.id WHERE s.name = ?", name)
		if err == nil && !found {
			err = store.NotFound(name)
		}
		return err
	})
	return touched, err
}

// A moment is when several questions are asked. Otherwise a study could be renamed or deleted between two of them, and its events would
// be missing, or those of another study.
type moment struct {
	*Store
	tx     *sql.Tx
	parsed map[string]*sql.Stmt
}

func (m moment) ask(ctx context.Context, query string) *sql.Stmt {
	if m.config.asks != nil {
		m.config.asks(query)
	}
	return m.tx.StmtContext(ctx, m.parsed[query])
}

// atOnce runs do, which may ask these queries, all about one moment.
func (s *Store) atOnce(ctx context.Context, do func(moment) error, queries ...string) error {
	return s.read(ctx, func() error {
		m := moment{Store: s, parsed: make(map[string]*sql.Stmt, len(queries))}
		for _, query := range queries { // before the transaction has the only connection
			parsed, err := s.statement(ctx, query) //nolint:sqlclosecheck // it is kept
			if err != nil {
				return err
			}
			m.parsed[query] = parsed
		}
		var err error
		if m.tx, err = s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); err != nil {
			return err
		}
		defer m.tx.Rollback()
		return do(m)
	})
}

// each calls do with every row of the answer to a query.
func (s *Store) each(ctx context.Context, do func(*sql.Rows) error, query string, args ...any) error {
	ask, err := s.statement(ctx, query) //nolint:sqlclosecheck // it is kept
	if err != nil {
		return err
	}
	rows, err := ask.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	return each(rows, do)
}

func each(rows *sql.Rows, do func(*sql.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// statement returns a query that is parsed once: a controller asks for news many times a second, and to parse takes longer than to answer.
// Nobody closes it but the database.
func (s *Store) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if known, ok := s.parsed.Load(query); ok {
		return known.(*sql.Stmt), nil
	}
	parsed, err := s.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if first, taken := s.parsed.LoadOrStore(query, parsed); taken {
		defer parsed.Close()
		return first.(*sql.Stmt), nil
	}
	return parsed, nil
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
