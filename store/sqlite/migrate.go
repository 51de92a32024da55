package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"os"

	"github.com/eke-bo/eke/store"
)

// A file says in user_version how many of these steps were applied to it. Steps are only ever added.
//
//go:embed migrations/*.sql
var migrations embed.FS

func embeddedSteps() (steps []string) {
	files, err := fs.Glob(migrations, "migrations/*.sql") // sorted by name
	if err != nil {
		panic(err)
	}
	for _, name := range files {
		text, err := migrations.ReadFile(name)
		if err != nil {
			panic(err)
		}
		steps = append(steps, string(text))
	}
	return steps
}

// climb applies the missing steps to a file, all of them or none.
func climb(ctx context.Context, db *sql.DB, steps []string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	version, err := rawVersionOf(ctx, tx) // again, since another process may have migrated the file while we waited for the lock
	if err != nil {
		return err
	}
	for ; version < len(steps); version++ {
		if _, err := tx.ExecContext(ctx, steps[version]); err != nil {
			return fmt.Errorf("migration %d: %w", version+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		return err
	}
	return tx.Commit()
}

// migrate brings an older store up to date. It leaves a copy of the old file beside it: a wrong step must not destroy a study that
// took a month.
func (s *Store) migrate(ctx context.Context) error {
	version, err := versionOf(ctx, s.db, s.path, s.config)
	if err != nil || version == len(s.config.steps) {
		return err
	}
	if err := s.backup(ctx, fmt.Sprintf("%s.v%d.bak", s.path, version)); err != nil {
		return fmt.Errorf("copy before migrating from version %d: %w", version, err)
	}
	return climb(ctx, s.db, s.config.steps)
}

// backup writes a consistent copy, even while others write. The copy gets its name when it is complete.
func (s *Store) backup(ctx context.Context, to string) error {
	temp := besides(to)
	defer os.Remove(temp)
	if _, err := s.db.ExecContext(ctx, "VACUUM INTO ?", temp); err != nil {
		return err
	}
	if err := syncFile(temp); err != nil {
		return err
	}
	return os.Rename(temp, to)
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func rawVersionOf(ctx context.Context, q querier) (version int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// versionOf returns an error if a newer eke has written the file.
func versionOf(ctx context.Context, q querier, path string, c config) (version int, err error) {
	version, err = rawVersionOf(ctx, q)
	if err == nil && version > len(c.steps) {
		err = store.Newer(path, int64(version), int64(len(c.steps)))
	}
	return version, err
}
