package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// Steps are only ever added.
//
//go:embed migrations/*.sql
var migrations embed.FS

func embeddedSteps() fs.FS {
	steps, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err)
	}
	return steps
}

// lastStep returns the number of the last migration.
func lastStep(steps fs.FS) (last int64, err error) {
	files, err := fs.Glob(steps, "*.sql")
	if err != nil {
		return 0, err
	}
	for _, name := range files {
		number, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("migration %s: %w", name, err)
		}
		last = max(last, number)
	}
	return last, nil
}

// climb applies the missing steps to the schema. Each step is a transaction of its own. If climb is interrupted, it stops between two
// steps, and the next call continues there.
//
// One process does this at a time. goose creates its table before it takes any lock, so our lock covers all of it. It is held by a
// connection of its own, and is released when that ends, however it ends.
func (s *Store) climb(ctx context.Context) error {
	own, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return &lostError{err}
	}
	defer own.Close(context.WithoutCancel(ctx))
	if err := s.agree(ctx, own); err != nil {
		return err
	}
	if _, err := own.Exec(ctx, "SELECT pg_advisory_lock(hashtextextended('eke migrates ' || $1, 0))", s.schema); err != nil {
		return err
	}
	if _, err := s.inspect(ctx, own); err != nil { // others may have been here while we waited
		return err
	}
	if err := s.haveSchema(ctx, own); err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(s.pool)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, s.config.steps, goose.WithTableName(versions),
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// haveSchema creates the schema if there is none. CREATE SCHEMA IF NOT EXISTS would need permission even if the schema exists.
func (s *Store) haveSchema(ctx context.Context, conn *pgx.Conn) error {
	var there bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", s.schema).Scan(&there); err != nil || there {
		return err
	}
	_, err := conn.Exec(ctx, "CREATE SCHEMA "+pgx.Identifier{s.schema}.Sanitize())
	return err
}
