package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/eke-bo/eke/study"
)

func TestServiceOfEarlierVersion(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		continued(unpack(t, "v0/sqlite.tar.gz", "service"), "v0/service")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		database := restored(t, "v0/postgres.sql.gz")
		l := unpack(t, "v0/shared.tar.gz", "shared")
		l.env = []string{"EKE_DB=" + database}
		continued(l, "v0/shared")
	})
}

// continued serves a store and lets a worker go on where one was killed.
func continued(l *left, folder string) {
	l.compare(folder, "kiln", "glass")
	was := l.trials("kiln")
	address := l.serve()
	if code := l.get(address+"/api/v1/studies", ""); code != http.StatusUnauthorized {
		l.t.Errorf("without a token: %d", code)
	}
	if code := l.get(address+"/api/v1/studies", "admin"); code != http.StatusOK {
		l.t.Errorf("with a token of then: %d", code)
	}
	l.eke("worker", "--server", address, "--study", "kiln", "--token-file", "token", "--workdir", l.dir, "--parallel", "2")
	is := l.audit("kiln", was)
	l.ended(is[15], study.Done, 2.782938, 1.2244) // from the journal
	for _, i := range []int{16, 18} {             // they were under way
		l.ended(is[i], study.Abandoned, 0, unknown)
		l.triedAgain(is[i], is)
	}
	if left, err := filepath.Glob(filepath.Join(l.dir, "eke.worker", "kiln", "*", "journal", "*")); err != nil || len(left) > 0 {
		l.t.Errorf("the journal still has %q, %v", left, err)
	}
}

// serve starts a server for as long as the test lasts, and returns its address.
func (l *left) serve() string {
	l.t.Helper()
	s := l.command("serve", "--listen", "127.0.0.1:0", "--quiet")
	out, err := s.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	s.Stderr = os.Stderr
	if err := s.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		_ = s.Process.Signal(os.Interrupt)
		_ = s.Wait() // how it ends is what the script of eke serve looks at
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "the page: "); ok {
			return strings.TrimSuffix(address, "/")
		}
	}
	l.t.Fatal("the server did not say where it is")
	return ""
}

// get returns the status of a request, made with the token in a file.
func (l *left) get(address, file string) int {
	l.t.Helper()
	request, err := http.NewRequestWithContext(l.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	if file != "" {
		token, err := os.ReadFile(filepath.Join(l.dir, file))
		if err != nil {
			l.t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		l.t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// restored returns the URL of a new database, filled by a dump.
func restored(t *testing.T, dump string) string {
	t.Helper()
	server := os.Getenv("EKE_TEST_POSTGRES")
	if server == "" {
		t.Skip("$EKE_TEST_POSTGRES names no PostgreSQL: " + os.Getenv("EKE_TEST_NO_POSTGRES") + "; make test starts one")
	}
	name := fmt.Sprintf("before_%016x", rand.Uint64())
	run(t, server, "CREATE DATABASE "+name)
	t.Cleanup(func() { run(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	database, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	database.Path = "/" + name
	var sql bytes.Buffer
	for line := range bytes.Lines(unzip(t, dump)) {
		if !bytes.HasPrefix(line, []byte("SET ")) { // an older PostgreSQL does not know every setting
			sql.Write(line)
		}
	}
	run(t, database.String(), sql.String())
	return database.String()
}

func run(t *testing.T, database, sql string) {
	t.Helper()
	ctx := context.Background() // the test's own is over when it cleans up
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}
