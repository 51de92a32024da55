package postgres

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/eke-bo/eke/store"
)

var _ store.Tokens = (*Store)(nil)

// AddToken adds a token.
func (s *Store) AddToken(ctx context.Context, t store.Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	writer := newWriter()
	return s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, `INSERT INTO tokens (id, name, role, hash, created, writer, "group")
			SELECT $1, $2, $3, $4, $5, $6, $7 WHERE `+upToDate+`$8 ON CONFLICT DO NOTHING`,
			t.ID, t.Name, t.Role, t.Hash, t.Created.UTC().Format(time.RFC3339Nano), writer, t.Group, s.knows)
		if err != nil || tag.RowsAffected() > 0 {
			return err
		}
		var ours bool // and only the answer was lost
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM tokens WHERE id = $1 AND writer = $2)", t.ID, writer).Scan(&ours); err != nil || ours {
			return err
		}
		return cmp.Or(s.outdated(ctx, conn), store.TokenExists(t.ID))
	})
}

// Tokens returns the tokens that were not revoked.
func (s *Store) Tokens(ctx context.Context) (list []store.Token, err error) {
	err = s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, `SELECT id, name, role, hash, created, "group" FROM tokens ORDER BY number`) // CollectRows returns the error
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t store.Token, err error) {
			var created string
			if err := row.Scan(&t.ID, &t.Name, &t.Role, &t.Hash, &created, &t.Group); err != nil {
				return t, err
			}
			if t.Created, err = time.Parse(time.RFC3339Nano, created); err != nil {
				return t, s.damaged(fmt.Sprintf("token %q: %v", t.ID, err))
			}
			return t, nil
		})
		return err
	})
	return list, err
}

// RevokeToken removes a token.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	if !isText(id) {
		return store.NoToken(id)
	}
	attempts := 0
	return s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		attempts++
		tag, err := conn.Exec(ctx, `WITH gone AS (DELETE FROM tokens WHERE id = $1 AND `+upToDate+`$2 RETURNING id)
			INSERT INTO revoked (id, at) SELECT id, $3 FROM gone ON CONFLICT (id) DO UPDATE SET at = excluded.at`, id, s.knows, time.Now().UnixNano())
		if err != nil || tag.RowsAffected() > 0 {
			return err
		}
		if err := s.outdated(ctx, conn); err != nil || attempts > 1 { // an earlier attempt removed it, and its answer was lost
			return err
		}
		return store.NoToken(id)
	})
}

// Guarded says whether there has ever been a token.
func (s *Store) Guarded(ctx context.Context) (guarded bool, err error) {
	err = s.insist(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM tokens) OR EXISTS (SELECT FROM revoked)").Scan(&guarded)
	})
	return guarded, err
}
