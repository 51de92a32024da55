package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return opened(t, newSchema(t)) })
}

// server returns the URL of a PostgreSQL that tests may do what they like with.
func server(t testing.TB) string {
	t.Helper()
	url := os.Getenv("EKE_TEST_POSTGRES")
	if why := os.Getenv("EKE_TEST_NO_POSTGRES"); url == "" && why != "" {
		t.Skip("no test against PostgreSQL: " + why)
	}
	if url == "" {
		t.Skip("no test against PostgreSQL: $EKE_TEST_POSTGRES names none; make test starts one, as does: scripts/postgres run go test ./store/postgres")
	}
	return url
}

// newSchema returns the URL of a schema of the test's own, which is not there yet.
func newSchema(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%016x", rand.Uint64())
	t.Cleanup(func() { tell(t, "DROP SCHEMA IF EXISTS "+name+" CASCADE") })
	return server(t) + "&schema=" + name
}

// schemaOf returns the schema that a URL of newSchema's names.
func schemaOf(url string) string {
	_, schema, err := parse(url)
	if err != nil {
		panic(err)
	}
	return schema
}

// withoutSchema returns a URL of newSchema's as PostgreSQL's own clients read it.
func withoutSchema(url string) string { return strings.TrimSuffix(url, "&schema="+schemaOf(url)) }

// tell has the server do something, as its owner.
func tell(t testing.TB, queries ...string) {
	t.Helper()
	background := context.Background() // the test's own is over when it cleans up
	conn, err := pgx.Connect(background, server(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(background)
	for _, query := range queries {
		if _, err := conn.Exec(background, query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
}

func opened(t testing.TB, url string) *Store {
	t.Helper()
	s, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fill(t testing.TB, s *Store, events int64) {
	t.Helper()
	if err := s.Create(t.Context(), storetest.Header("x", 1)); err != nil {
		t.Fatal(err)
	}
	for version := range events {
		if err := s.Append(t.Context(), "x", version, storetest.Numbered(version, storetest.Added(""))...); err != nil {
			t.Fatal(err)
		}
	}
}
