package postgres

import (
	"context"
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

const headerColumns = "s.name, s.created, s.total, s.measured, s.definition, s.sum, h.version"

const headers = "SELECT " + headerColumns + " FROM studies s LEFT JOIN heads h ON h.study = s.id "

// List returns the studies in the order of their creation.
func (s *Store) List(ctx context.Context) (list []store.Header, err error) {
	err = s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, headers+"ORDER BY s.id")
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (store.Header, error) {
			h, _, err := s.header(row)
			return h, err
		})
		return err
	})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list, nil
}

// Read returns a study and its events after the given number.
func (s *Store) Read(ctx context.Context, name string, after int64) (h store.Header, events []study.Event, err error) {
	if !isText(name) {
		return h, nil, store.NotFound(name)
	}
	after = max(after, 0)
	err = s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		// Both in one round trip. The header never changes and the log only grows, so that two queries see
		// what one transaction would: the head, read first, is never ahead of the events.
		var batch pgx.Batch
		batch.Queue(headers+"WHERE s.name = $1", name)
		batch.Queue(`SELECT e.seq, e.body, e.sum FROM events e WHERE e.study = (SELECT id FROM studies WHERE name = $1) AND e.seq > $2
			ORDER BY e.seq`, name, after)
		answers := conn.SendBatch(ctx, &batch)
		defer answers.Close()
		var last int64
		if h, last, err = s.header(answers.QueryRow()); errors.Is(err, pgx.ErrNoRows) {
			return store.NotFound(name)
		} else if err != nil {
			return err
		}
		rows, err := answers.Query()
		if err != nil {
			return err
		}
		if events, err = s.events(rows, name, after, last); err != nil {
			return err
		}
		return answers.Close()
	})
	if err != nil {
		return store.Header{}, nil, err
	}
	return h, events, nil
}

func (s *Store) events(rows pgx.Rows, name string, after, last int64) (events []study.Event, err error) {
	defer rows.Close()
	seen := after
	for rows.Next() {
		var seq, sum int64
		var body pgtype.DriverBytes
		if err := rows.Scan(&seq, &body, &sum); err != nil {
			return nil, err
		}
		if seq != seen+1 {
			return nil, s.damaged(fmt.Sprintf("study %q: event %d is missing", name, seen+1))
		}
		if sum != sumOfEvent(name, seq, body) {
			return nil, s.damaged(fmt.Sprintf("study %q: event %d is not what was written", name, seq))
		}
		seen = seq
		e, err := store.Decode(name, seq, body)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if seen < last {
		return nil, s.damaged(fmt.Sprintf("study %q: event %d is missing", name, seen+1))
	}
	return events, nil
}

func (s *Store) header(row pgx.Row) (h store.Header, last int64, err error) {
	var created string
	var definition []byte
	var sum int64
	var head *int64
	if err := row.Scan(&h.Name, &created, &h.Total, &h.Measured, &definition, &sum, &head); err != nil {
		return h, 0, err
	}
	h.Definition = definition
	if sum != sumOfHeader(h, created) || head == nil {
		return h, 0, s.damaged(fmt.Sprintf("study %q is not what was written", h.Name))
	}
	if h.Created, err = time.Parse(time.RFC3339Nano, created); err != nil {
		return h, 0, s.damaged(fmt.Sprintf("study %q: %v", h.Name, err))
	}
	return h, *head, nil
}

// Touched returns when each trial was last touched.
func (s *Store) Touched(ctx context.Context, name string) (touched map[int]time.Time, err error) {
	if !isText(name) {
		return nil, store.NotFound(name)
	}
	err = s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		touched = nil
		// One row without a trial if there is a study and nothing else.
		rows, err := conn.Query(ctx, "SELECT t.trial, t.at FROM studies s LEFT JOIN touched t ON t.study = s.id WHERE s.name = $1", name)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if touched == nil {
				touched = map[int]time.Time{}
			}
			var number, at *int64
			if err := rows.Scan(&number, &at); err != nil {
				return err
			}
			if number != nil {
				touched[int(*number)] = time.Unix(0, *at).UTC()
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if touched == nil {
			return store.NotFound(name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return touched, nil
}

// isText reports whether the server would accept a text. No study has a name that it would not.
func isText(name string) bool { return utf8.ValidString(name) && !strings.ContainsRune(name, 0) }
