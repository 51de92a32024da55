package server_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/eke-bo/eke/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// broken is a store that goes wrong as it is told to.
type broken struct {
	store.Store
	fail func() error
}

func (b *broken) List(ctx context.Context) ([]store.Header, error) {
	if err := b.fail(); err != nil {
		return nil, err
	}
	return b.Store.List(ctx)
}

func (b *broken) Read(ctx context.Context, name string, after int64) (store.Header, []study.Event, error) {
	if err := b.fail(); err != nil {
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
			config.Lease = 1 << 40 // nobody else looks at the store meanwhile
		})
		g.create(kiln)
		failing.Store(true)
		for _, path := range []string{"/studies", "/studies/kiln", "/studies/kiln/trials", "/studies/kiln/events", "/studies/kiln/log"} {
			a := g.get(path)
			a.refused(c.status, server.Unavailable, "")
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
