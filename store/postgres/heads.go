package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/eke-bo/eke/store"
)

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
