package server_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// broken is a store that goes wrong as it is told to, for requests only. What the server does besides would meet that at moments that
// depend on the machine, and a panic there would end the tests.
type broken struct {
	store.Store
	fail func() error
}

func (b *broken) failFor(ctx context.Context) error {
	if ctx.Value(http.ServerContextKey) == nil {
		return nil
	}
	return b.fail()
}

func (b *broken) List(ctx context.Context) ([]store.Header, error) {
	if err := b.failFor(ctx); err != nil {
		return nil, err
	}
	return b.Store.List(ctx)
}

func (b *broken) Heads(ctx context.Context) ([]store.Head, error) {
	if err := b.failFor(ctx); err != nil {
		return nil, err
	}
	return b.Store.Heads(ctx)
}

func (b *broken) Ready(ctx context.Context) error {
	if err := b.failFor(ctx); err != nil {
		return err
	}
	return b.Store.Ready(ctx)
}

func (b *broken) Read(ctx context.Context, name string, after int64) (store.Header, []study.Event, error) {
	if err := b.failFor(ctx); err != nil {
		return store.Header{}, nil, err
	}
	return b.Store.Read(ctx, name, after)
}

// Whatever happens inside, nothing of it is told outside, and the log has it.
func TestNoInternals(t *testing.T) {
	for _, c := range []struct {
		fail   func() error
		status int
		logged string
	}{
		{func() error { return errors.New("sqlite: /secret/eke.db: oops") }, 500, "oops"},
		{func() error { return errors.Join(store.ErrFull, errors.New("/secret/eke.db")) }, 503, "/secret/eke.db"},
		{func() error { return errors.Join(store.ErrGone, errors.New("/secret/eke.db")) }, 503, "/secret/eke.db"},
		{func() error { return errors.Join(store.ErrAway, errors.New("postgres://secret@host")) }, 503, "postgres://secret@host"},
		{func() error { return errors.Join(store.ErrDenied, errors.New("postgres://secret@host")) }, 503, "postgres://secret@host"},
		{func() error { panic("the /secret/ is out") }, 500, "shell.go"},
	} {
		var failing atomic.Bool
		g := serve(t, func(config *server.Config) {
			config.Store = &broken{openStore(t, usual()), func() error {
				if !failing.Load() {
					return nil
				}
				return c.fail()
			}}
		})
		g.create(kiln)
		failing.Store(true)
		for _, path := range []string{"/studies", "/studies/kiln", "/studies/kiln/trials", "/studies/kiln/events", "/studies/kiln/log"} {
			a := g.get(path)
			a.refused(c.status, fault.Unavailable, "")
			if text := string(a.body); strings.Contains(text, "secret") || strings.Contains(text, "sqlite") || strings.Contains(text, ".go") {
				t.Errorf("%s: %s", path, text)
			}
		}
		if !strings.Contains(g.log.String(), c.logged) {
			t.Errorf("the log does not say %s: %s", c.logged, g.log.String())
		}
		failing.Store(false)
		g.get("/studies/kiln").fine(http.StatusOK, nil)
	}
}

// unreachable is a store that takes its time to say that it is away.
type unreachable struct {
	*sqlite.Store
	away  atomic.Bool
	tries atomic.Int64 // to ask for tokens while it is away
}

const untilAway = 1500 * time.Millisecond

func (u *unreachable) Guarded(ctx context.Context) (bool, error) {
	if u.away.Load() {
		u.tries.Add(1)
		time.Sleep(untilAway)
		return false, store.ErrAway
	}
	return u.Store.Guarded(ctx)
}

func (u *unreachable) Tokens(ctx context.Context) ([]store.Token, error) {
	if u.away.Load() {
		return nil, store.ErrAway
	}
	return u.Store.Tokens(ctx)
}

func (u *unreachable) List(ctx context.Context) ([]store.Header, error) {
	if u.away.Load() {
		return nil, store.ErrAway
	}
	return u.Store.List(ctx)
}

func (u *unreachable) Heads(ctx context.Context) ([]store.Head, error) {
	if u.away.Load() {
		return nil, store.ErrAway
	}
	return u.Store.Heads(ctx)
}

// newUnreachable returns a store that can go away.
func newUnreachable(t *testing.T) *unreachable {
	t.Helper()
	file, err := sqlite.Open(t.Context(), newPlace(t, "sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &unreachable{Store: file}
}

// Many who come while the store is away wait together, not one after the other.
func TestStoreAway(t *testing.T) {
	t.Parallel()
	u := newUnreachable(t)
	g := serve(t, func(c *server.Config) { c.Store, c.Lease = u, time.Hour })
	g.create(kiln)
	u.away.Store(true)
	waitFor(t, func() bool { return g.get("/studies/kiln").status == 503 })
	time.Sleep(1100 * time.Millisecond) // what is known of tokens, that the store is away as well, is remembered for a second
	u.tries.Store(0)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			a := g.get("/studies/kiln")
			a.refused(503, fault.Unavailable, "")
			if a.header.Get("Retry-After") == "" {
				t.Error(a.header)
			}
		})
	}
	wg.Wait()
	if tries := u.tries.Load(); tries < 1 || tries > 4 { // one, unless somebody comes more than a second late
		t.Errorf("eight requests tried %d times to reach the store", tries)
	}
	u.away.Store(false)
	waitFor(t, func() bool { return g.get("/studies/kiln").status == 200 })
}

// Workers cannot be heard while the store is away, so nobody loses a trial for that.
func TestLeasesOutliveAnOutage(t *testing.T) { ownClock(t, testLeasesOutliveAnOutage) }

func testLeasesOutliveAnOutage(t *testing.T) {
	u := newUnreachable(t)
	g := serveInside(t, func(c *server.Config) { c.Store, c.Lease = u, 4*time.Second })
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	time.Sleep(500 * time.Millisecond) // the lease has been noticed
	u.away.Store(true)
	time.Sleep(5 * time.Second)
	u.away.Store(false)
	time.Sleep(500 * time.Millisecond) // some sweeps later
	waitFor(t, func() bool { return g.get("/studies/kiln").status == 200 })
	if trial := g.trial("kiln", 1); trial.State != study.Running {
		t.Errorf("%+v", trial)
	}
	waitFor(t, func() bool { return g.trial("kiln", 1).State == study.Abandoned }) // it is silent, after all
}
