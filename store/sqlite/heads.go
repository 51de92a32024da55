package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/eke-bo/eke/store"
)

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
