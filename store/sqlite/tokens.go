package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/eke-bo/eke/store"
)

var _ store.Tokens = (*Store)(nil)

// AddToken adds a token.
func (s *Store) AddToken(ctx context.Context, t store.Token) error {
	if err := t.Check(); err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		var known int
		err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM tokens WHERE id = ? OR hash = ?", t.ID, t.Hash).Scan(&known)
		if err != nil {
			return err
		}
		if known > 0 {
			return store.TokenExists(t.ID)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO tokens (id, hash, name, role, created, "group") VALUES (?, ?, ?, ?, ?, ?)`,
			t.ID, t.Hash, t.Name, t.Role, t.Created.UnixNano(), t.Group)
		return err
	})
}

// Tokens returns the tokens that were not revoked.
func (s *Store) Tokens(ctx context.Context) (list []store.Token, err error) {
	err = s.read(ctx, func() error {
		list = nil
		return s.each(ctx, func(rows *sql.Rows) error {
			var t store.Token
			var created int64
			err := rows.Scan(&t.ID, &t.Hash, &t.Name, &t.Role, &created, &t.Group)
			t.Created = time.Unix(0, created).UTC()
			list = append(list, t)
			return err
		}, `SELECT id, hash, name, role, created, "group" FROM tokens ORDER BY created, rowid`)
	})
	return list, err
}

// RevokeToken removes a token.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "DELETE FROM tokens WHERE id = ?", id)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return store.NoToken(id)
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO revoked (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING", id, time.Now().UnixNano())
		return err
	})
}

// Guarded says whether there has ever been a token.
func (s *Store) Guarded(ctx context.Context) (guarded bool, err error) {
	err = s.read(ctx, func() error {
		return s.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM tokens) OR EXISTS (SELECT 1 FROM revoked)").Scan(&guarded)
	})
	return guarded, err
}
