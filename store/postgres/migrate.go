package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
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

// inspect returns the last migration that was applied to the schema, or 0 if there is nothing of ours in it yet. It refuses what is
// not ours. It changes nothing.
func (s *Store) inspect(ctx context.Context, conn *pgx.Conn) (version int64, err error) {
	if err := s.greet(ctx, conn); err != nil {
		return 0, err
	}
	// Both questions are about the same moment. Otherwise another process could migrate the schema between them.
	moment, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return 0, err
	}
	defer moment.Rollback(context.WithoutCancel(ctx))
	found, err := s.look(ctx, conn)
	if err != nil {
		return 0, err
	}
	columns, begun := found[versions]
	switch {
	case begun && columns != tables[0].columns:
		return 0, s.foreign(versions)
	case begun:
		if err := conn.QueryRow(ctx, "SELECT COALESCE(max(version_id), 0) FROM "+versions).Scan(&version); err != nil {
			return 0, err
		}
	}
	if version > s.knows {
		return 0, store.Newer(s.place, version, s.knows)
	}
	for _, t := range tables[1:] {
		columns, there := found[t.name]
		switch {
		case t.changedBy(version), version < t.since && !t.isNew():
		case there && version < t.since:
			return 0, s.foreign(t.name)
		case there && columns != t.columns, !there && version >= t.since:
			return 0, s.damaged(fmt.Sprintf("its table %s is not as eke made it", t.name))
		}
	}
	return version, nil
}

// greet checks that the database can hold a store and can be written to.
func (s *Store) greet(ctx context.Context, conn *pgx.Conn) error {
	var encoding string
	var standby, readOnly bool
	err := conn.QueryRow(ctx, `SELECT current_setting('server_encoding'), pg_is_in_recovery(),
		current_setting('default_transaction_read_only')::boolean`).Scan(&encoding, &standby, &readOnly)
	switch {
	case err != nil:
		return err
	case standby:
		return fault.Errorf("give the URL of the primary", "%s: %w: this server is a standby", s.place, store.ErrReadOnly)
	case readOnly:
		return fault.Errorf("turn default_transaction_read_only off, or connect as another user", "%s: %w: it is set to read-only for you", s.place, store.ErrReadOnly)
	case encoding != "UTF8" && encoding != "SQL_ASCII": // in any other, some names cannot be written
		return fault.Errorf("create another: createdb -E UTF8 -T template0 NAME", "%s: %w and cannot become one: it is encoded as %s, which does not have every letter",
			s.place, store.ErrForeign, encoding)
	}
	return nil
}

// look returns the columns of everything in the schema that has the name of one of our tables.
func (s *Store) look(ctx context.Context, conn *pgx.Conn) (map[string]string, error) {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.name
	}
	rows, _ := conn.Query(ctx, `SELECT c.relname::text, c.relkind::text, has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT'),
			COALESCE(string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', ' ORDER BY a.attnum), '')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE n.nspname = $1 AND c.relname = ANY ($2::text[]) GROUP BY c.oid, c.relname, c.relkind`, s.schema, names)
	found := map[string]string{}
	var locked []string
	var name, kind, columns string
	var allowed bool
	_, err := pgx.ForEachRow(rows, []any{&name, &kind, &allowed, &columns}, func() error {
		found[name] = columns
		if kind != "r" { // a view, or anything else that is not a plain table, is not ours
			found[name] = kind
		} else if !allowed {
			locked = append(locked, name)
		}
		return nil
	})
	if err == nil && len(locked) > 0 {
		slices.Sort(locked)
		err = s.locked("you may not read and write " + strings.Join(locked, ", "))
	}
	return found, err
}

// table is one of our tables, and the migration that creates it, or gives it these columns.
type table struct {
	name    string
	since   int64
	columns string
}

// versions is goose's table of the migrations that were applied. The name is ours: another program in the same schema
// may use goose as well.
const versions = "eke_version"

var tables = []table{
	{versions, 0, "id integer, version_id bigint, is_applied boolean, tstamp timestamp without time zone"},
	{"studies", 1, "id bigint, name text, created text, total double precision, measured boolean, definition bytea, sum bigint, writer bigint"},
	{"heads", 1, "study bigint, version bigint"},
	{"events", 1, "study bigint, seq bigint, body bytea, sum bigint, writer bigint"},
	{"touched", 1, "study bigint, trial bigint, at bigint"},
	{"tokens", 2, "number bigint, id text, name text, role text, hash text, created text, writer bigint"},
	{"tokens", 3, "number bigint, id text, name text, role text, hash text, created text, writer bigint, group text"},
	{"revoked", 3, "id text, at bigint"},
	{"ready", 3, "id integer, at bigint"},
	{"files", 3, "study bigint, trial bigint, name text, start bigint, body bytea"},
}

// changedBy reports whether a later entry of the list says what a table looks like at a version.
func (t table) changedBy(version int64) bool {
	return slices.ContainsFunc(tables, func(later table) bool { return later.name == t.name && later.since > t.since && later.since <= version })
}

// isNew reports whether the table is not there before this entry.
func (t table) isNew() bool {
	return !slices.ContainsFunc(tables, func(earlier table) bool { return earlier.name == t.name && earlier.since < t.since })
}
