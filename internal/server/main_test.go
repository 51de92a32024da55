package server_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/postgres"
	"github.com/eke-bo/eke/store/sqlite"
)

// TestMain lets this program be a server, too, so that tests can kill one.
func TestMain(m *testing.M) {
	if place := os.Getenv("EKE_TEST_SERVE"); place != "" {
		if err := beServer(place, os.Getenv("EKE_TEST_LISTEN")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func beServer(place, listen string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	st, err := openAt(ctx, place)
	if err != nil {
		return err
	}
	defer st.Close()
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server.LimitMemory()
	s := server.New(server.Config{Store: st, Listen: listen, Lease: 10 * time.Second, Rate: 1e6})
	defer s.Close()
	return s.Serve(ctx, listener, nil)
}

// openAt opens the store at a place: the path of a file, or the URL of a database.
func openAt(ctx context.Context, place string) (store.Store, error) {
	if strings.HasPrefix(place, "postgres://") {
		return postgres.Open(ctx, place)
	}
	return sqlite.Open(ctx, place)
}

// kinds are the stores that a test of many at once is run with: PostgreSQL, too, if $EKE_TEST_POSTGRES names one.
func kinds() []string {
	if os.Getenv("EKE_TEST_POSTGRES") != "" {
		return []string{"sqlite", "postgres"}
	}
	return []string{"sqlite"}
}

// usual is the store of all other tests: a file, unless $EKE_TEST_STORE says postgres.
func usual() string { return cmp.Or(os.Getenv("EKE_TEST_STORE"), "sqlite") }

// newPlace returns where a test may have a store of its own: a file, or a schema.
func newPlace(t testing.TB, kind string) string {
	t.Helper()
	if kind == "sqlite" {
		return filepath.Join(t.TempDir(), "eke.db")
	}
	url, name := os.Getenv("EKE_TEST_POSTGRES"), fmt.Sprintf("test_%016x", rand.Uint64())
	t.Cleanup(func() {
		ctx := context.Background()
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+name+" CASCADE"); err != nil {
			t.Error(err)
		}
	})
	return url + "&schema=" + name
}

// openStore opens a store of the test's own.
func openStore(t testing.TB, kind string) store.Store {
	t.Helper()
	st, err := openAt(t.Context(), newPlace(t, kind))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
