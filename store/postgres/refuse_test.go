package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// refused sees that a database is refused for the reason given, and that the schema has not changed.
func refused(t *testing.T, url string, want error, words ...string) {
	t.Helper()
	before := snapshot(t, schemaOf(url))
	s, err := Open(t.Context(), url)
	if err == nil {
		s.Close()
	}
	if want != nil && !errors.Is(err, want) || err == nil {
		t.Errorf("got %v, want %v", err, want)
		return
	}
	t.Log(err)
	for _, word := range words {
		if !strings.Contains(err.Error()+"; "+fault.HintOf(err), word) {
			t.Errorf("%v does not say %q", err, word)
		}
	}
	if after := snapshot(t, schemaOf(url)); after != before {
		t.Errorf("the schema was\n%s\nand is\n%s", before, after)
	}
}

// snapshot returns all that is in a schema: names, columns and how much was ever written to the tables.
func snapshot(t *testing.T, schema string) (all string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	err = conn.QueryRow(t.Context(), `SELECT COALESCE(string_agg(concat_ws(' ', n.xmin, c.xmin, c.relname, c.relkind, c.relfilenode, a.attname, a.xmin), E'\n' ORDER BY c.relname, a.attnum), '')
		FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid LEFT JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE n.nspname = $1`, schema).Scan(&all)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestForeign(t *testing.T) {
	for name, ddl := range map[string]string{
		"another's studies":             "CREATE TABLE %[1]s.studies (id int, title text)",
		"another's events":              "CREATE TABLE %[1]s.events (id int)",
		"a view":                        "CREATE VIEW %[1]s.tokens AS SELECT 1 AS id",
		"a type":                        "CREATE TYPE %[1]s.heads AS (a int)",
		"another's version table":       "CREATE TABLE %[1]s.eke_version (a int)",
		"our table without its history": "CREATE TABLE %[1]s.touched (study bigint, trial bigint, at bigint)",
	} {
		t.Run(name, func(t *testing.T) {
			url := newSchema(t)
			tell(t, "CREATE SCHEMA "+schemaOf(url), fmt.Sprintf(ddl, schemaOf(url)))
			refused(t, url, store.ErrForeign, "another schema")
		})
	}
}

// Others may live in the same schema, if nothing of theirs is called as ours.
func TestNeighbours(t *testing.T) {
	url := newSchema(t)
	tell(t, "CREATE SCHEMA "+schemaOf(url), fmt.Sprintf("CREATE TABLE %s.goose_db_version (a int)", schemaOf(url)))
	fill(t, opened(t, url), 1)
}

func TestChangedTables(t *testing.T) {
	for name, change := range map[string]string{
		"a column more":   "ALTER TABLE %s.events ADD COLUMN mine int",
		"a column less":   "ALTER TABLE %s.studies DROP COLUMN sum",
		"another type":    "ALTER TABLE %s.heads ALTER COLUMN version TYPE int",
		"a table missing": "DROP TABLE %s.tokens",
	} {
		t.Run(name, func(t *testing.T) {
			url := newSchema(t)
			fill(t, opened(t, url), 1)
			tell(t, fmt.Sprintf(change, schemaOf(url)))
			refused(t, url, store.ErrDamaged, "not as eke made it")
		})
	}
}

// A digit that changes is noticed, and so is an event that goes, the last one, too.
func TestDamage(t *testing.T) {
	for name, damage := range map[string]string{
		"a digit":         "UPDATE %[1]s.events SET body = replace(convert_from(body, 'UTF8'), '\"added\":1', '\"added\":7')::bytea WHERE seq = 2",
		"an event goes":   "DELETE FROM %[1]s.events WHERE seq = 2",
		"the last goes":   "DELETE FROM %[1]s.events WHERE seq = 3",
		"all go":          "DELETE FROM %[1]s.events",
		"two change seat": "UPDATE %[1]s.events SET seq = -1 WHERE seq = 1; UPDATE %[1]s.events SET seq = 1 WHERE seq = 2; UPDATE %[1]s.events SET seq = 2 WHERE seq = -1",
		"the budget":      "UPDATE %[1]s.studies SET total = 2",
		"the head":        "DELETE FROM %[1]s.heads",
	} {
		t.Run(name, func(t *testing.T) {
			url := newSchema(t)
			s := opened(t, url)
			fill(t, s, 3)
			tell(t, "SET session_replication_role = replica; "+fmt.Sprintf(damage, schemaOf(url))) // so that no trigger objects
			_, _, err := s.Read(t.Context(), "x", 0)
			wantErr(t, "read", err, store.ErrDamaged)
			t.Log(err)
		})
	}
}

func TestTablesGoneWhileInUse(t *testing.T) {
	url := newSchema(t)
	s := opened(t, url)
	fill(t, s, 1)
	tell(t, "DROP SCHEMA "+schemaOf(url)+" CASCADE")
	err := s.Append(t.Context(), "x", 1, storetest.Numbered(1, storetest.Added("no"))...)
	wantErr(t, "append", err, store.ErrGone)
	t.Log(err)
}

// role makes a user who may connect and nothing else, and returns the URL with that user's name.
func role(t *testing.T, url, name string) string {
	t.Helper()
	tell(t, "CREATE ROLE "+name+" LOGIN PASSWORD 'open sesame'")
	t.Cleanup(func() { tell(t, "DROP OWNED BY "+name, "DROP ROLE "+name) })
	return strings.Replace(url, "postgres://postgres@", "postgres://"+name+"@", 1)
}

func TestRights(t *testing.T) {
	name := fmt.Sprintf("role_%016x", rand.Uint64())
	url := newSchema(t)
	theirs := role(t, url, name)
	refused(t, theirs, store.ErrReadOnly, "permission denied for database", "CREATE SCHEMA")
	fill(t, opened(t, url), 1)
	refused(t, theirs, store.ErrReadOnly, "GRANT")
	tell(t, "GRANT USAGE ON SCHEMA "+schemaOf(url)+" TO "+name, "GRANT SELECT ON ALL TABLES IN SCHEMA "+schemaOf(url)+" TO "+name)
	refused(t, theirs, store.ErrReadOnly, "GRANT")
	tell(t, "GRANT ALL ON ALL TABLES IN SCHEMA "+schemaOf(url)+" TO "+name)
	s := opened(t, theirs)
	if err := s.Append(t.Context(), "x", 1, storetest.Numbered(1, storetest.Added("theirs"))...); err != nil {
		t.Error(err)
	}
	tell(t, "REVOKE ALL ON ALL TABLES IN SCHEMA "+schemaOf(url)+" FROM "+name)
	wantErr(t, "append", s.Append(t.Context(), "x", 2, storetest.Numbered(2, storetest.Added("no"))...), store.ErrReadOnly)
	tell(t, "ALTER ROLE "+name+" SET default_transaction_read_only = on")
	refused(t, theirs, store.ErrReadOnly, "read-only")
}

// The password is never repeated, right or wrong, in an URL that can be read or not.
func TestPasswords(t *testing.T) {
	url := role(t, newSchema(t), "eke_locked")
	refused(t, url, store.ErrDenied, "password")
	refused(t, strings.Replace(url, "eke_locked@", "eke_locked:hunter2@", 1), store.ErrDenied, "password", ".pgpass")
	right := strings.Replace(url, "eke_locked@", "eke_locked:open%20sesame@", 1)
	refused(t, right, store.ErrReadOnly, "CREATE SCHEMA") // let in, at least
	for _, bad := range []string{right, strings.Replace(url, "eke_locked@", "eke_locked:open%zz@", 1), "postgres://me:open sesame@[::1/x", "postgres://me:open@h:99999999/x", right + "&sslmode=what"} {
		_, err := open(t.Context(), bad, config{steps: embeddedSteps(), patience: 100 * time.Millisecond})
		if err == nil || strings.Contains(err.Error()+Place(bad), "open") {
			t.Errorf("the error tells the password, or there is none: %v", err)
		}
	}
}

// unknownHost is what a network says that has no such host. A machine without a network says so after a while, and in other words.
func unknownHost(_ context.Context, host string) ([]string, error) {
	if host == "127.0.0.1" {
		return []string{host}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func TestNotThere(t *testing.T) {
	url := server(t)
	for name, c := range map[string]struct {
		url   string
		want  error
		words []string
	}{
		"no database":  {strings.Replace(url, "/postgres?", "/nowhere?", 1), fs.ErrNotExist, []string{`database "nowhere" does not exist`, "createdb"}},
		"no role":      {strings.Replace(url, "//postgres@", "//nobody_of_that_name@", 1), store.ErrDenied, []string{"nobody_of_that_name"}},
		"no server":    {"postgres://me@127.0.0.1:1/x", store.ErrAway, []string{"refused", "the port"}},
		"no host":      {"postgres://me@no.such.host.invalid/x", store.ErrAway, []string{"no host no.such.host.invalid"}},
		"no socket":    {"postgres://me@/x?host=/nowhere", store.ErrAway, []string{"no such file"}},
		"a bad schema": {url + "&schema=pg_mine", nil, []string{"pg_mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := open(t.Context(), c.url, config{steps: embeddedSteps(), patience: time.Hour, lookup: unknownHost}) // and nobody waits so long for one that is not there
			if err == nil {
				s.Close()
				t.Fatal("opened")
			}
			t.Log(err)
			if c.want != nil {
				wantErr(t, "open", err, c.want)
			}
			for _, word := range c.words {
				if !strings.Contains(err.Error()+"; "+fault.HintOf(err), word) {
					t.Errorf("%v does not say %q", err, word)
				}
			}
		})
	}
}

// A server that takes the call and says nothing does not keep anybody for ever.
func TestDeafServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Open(t.Context(), fmt.Sprintf("postgres://me@%s/x?sslmode=disable&connect_timeout=1", l.Addr()))
	wantErr(t, "open", err, store.ErrAway)
	t.Log(err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = Open(ctx, fmt.Sprintf("postgres://me@%s/x?sslmode=disable", l.Addr()))
	wantErr(t, "open", err, context.DeadlineExceeded)
}

func TestEncoding(t *testing.T) {
	name := fmt.Sprintf("latin_%016x", rand.Uint64())
	tell(t, "CREATE DATABASE "+name+" ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
	t.Cleanup(func() { tell(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	refused(t, strings.Replace(server(t), "/postgres?", "/"+name+"?", 1), store.ErrForeign, "LATIN1", "createdb -E UTF8")
}
