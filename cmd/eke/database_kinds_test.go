package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/postgres"
	"github.com/eke-bo/eke/store/sqlite"
)

// database is a store of either kind, as a user has it.
type database struct {
	t            *testing.T
	url          string // of the store
	server, dump string // of PostgreSQL; where the backup is
	schema       string
}

func newDatabase(t *testing.T, kind, dir string) *database {
	d := &database{t: t, url: filepath.Join(dir, "eke.db"), dump: filepath.Join(dir, "backup")}
	if kind == "sqlite" {
		return d
	}
	d.server, d.schema = needPostgres(t), fmt.Sprintf("cli_%016x", rand.Uint64())
	d.url = d.server + "&schema=" + d.schema
	t.Cleanup(func() { d.exec("DROP SCHEMA IF EXISTS " + d.schema + " CASCADE") })
	return d
}

func needPostgres(t *testing.T) (url string) {
	url = os.Getenv("EKE_TEST_POSTGRES")
	if url == "" {
		t.Skip("$EKE_TEST_POSTGRES names no PostgreSQL: " + os.Getenv("EKE_TEST_NO_POSTGRES") + "; make test starts one")
	}
	return url
}

func (d *database) exec(sql string) {
	c, err := pgx.Connect(context.Background(), d.server)
	if err == nil {
		_, err = c.Exec(context.Background(), sql)
		_ = c.Close(context.Background())
	}
	if err != nil {
		d.t.Error(err)
	}
}

func (d *database) open() (s store.Store) {
	var err error
	if d.server == "" {
		s, err = sqlite.Open(context.Background(), d.url)
	} else {
		s, err = postgres.Open(context.Background(), d.url)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

// backUp copies the store, which nobody uses meanwhile; restore puts the copy in its place.
func (d *database) backUp() {
	if d.server == "" {
		d.run("sh", "-c", `rm -rf "$1" && mkdir "$1" && cp "$0"* "$1"`, d.url, d.dump)
		return
	}
	d.run("pg_dump", "--schema="+d.schema, "--file="+d.dump, d.server)
}

func (d *database) restore() {
	if d.server == "" {
		d.run("sh", "-c", `rm -f "$0"* && cp "$1"/* "$(dirname "$0")"`, d.url, d.dump)
		return
	}
	d.exec("DROP SCHEMA IF EXISTS " + d.schema + " CASCADE")
	d.run("psql", "--quiet", "--set=ON_ERROR_STOP=1", "--file="+d.dump, d.server)
}

func (d *database) run(args ...string) {
	d.t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		d.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
