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
		_, err = tx.ExecContext(ctx, "INSERT INTO tokens (id, hash, name, role, created) VALUES (?, ?, ?, ?, ?)",
			t.ID, t.Hash, t.Name, t.Role, t.Created.UnixNano())
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
			err := rows.Scan(&t.ID, &t.Hash, &t.Name, &t.Role, &created)
			t.Created = time.Unix(0, created).UTC()
			list = append(list, t)
			return err
		}, "SELECT id, hash, name, role, created FROM tokens ORDER BY created, rowid")
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
		return nil
	})
}
