package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
)

func (s *Server) healthOperations(h huma.API) {
	live := huma.Operation{OperationID: "health", Method: http.MethodGet, Path: "/healthz", Summary: "Check that the server is alive"}
	anybody := []map[string][]string{{}}
	live.Security = anybody
	live.Description = "It answers whatever the store does: a server whose store is away need not be started again."
	reply(s, h, live, func(context.Context, *struct{}) (api.Health, error) { return api.Health{Status: "ok"}, nil })
	ready := huma.Operation{OperationID: "ready", Method: http.MethodGet, Path: "/readyz", Summary: "Check that the store can be written to"}
	ready.Security = anybody
	ready.Description = "While it cannot, the answer is 503."
	reply(s, h, ready, func(ctx context.Context, _ *struct{}) (api.Health, error) {
		return api.Health{Status: "ok"}, s.ready.check(ctx, s)
	})
}

// readiness is whether the store could be written to a moment ago. Anybody may ask, as often as they like, and must not make the store
// busy by that.
type readiness struct {
	mu   sync.Mutex
	err  error
	when time.Time
}

// readyAge is how long the answer holds.
const readyAge = time.Second

func (r *readiness) check(ctx context.Context, s *Server) error {
	came := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.when.After(came) || time.Since(r.when) < readyAge {
		return r.err
	}
	err := s.store.Ready(ctx)
	if ctx.Err() != nil && err != nil {
		return err // this request was cancelled, which does not concern the others
	}
	r.err, r.when = err, time.Now()
	return err
}
