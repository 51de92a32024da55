package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
)

// visit is what is known of a request when it has been answered.
type visit struct {
	http.ResponseWriter
	status int
	bytes  int64
	token  store.Token // that it came with
}

func (v *visit) WriteHeader(status int) {
	if v.status == 0 {
		v.status = status
	}
	v.ResponseWriter.WriteHeader(status)
}

func (v *visit) Write(p []byte) (int, error) {
	if v.status == 0 {
		v.status = http.StatusOK
	}
	n, err := v.ResponseWriter.Write(p)
	v.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController through.
func (v *visit) Unwrap() http.ResponseWriter { return v.ResponseWriter }

type visitKey struct{}

func noteToken(ctx context.Context, t store.Token) {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		v.token = t
	}
}

// may says whether whoever sent the request that is being answered has a role.
func may(ctx context.Context, need Role) bool {
	v, ok := ctx.Value(visitKey{}).(*visit)
	return ok && Role(v.token.Role).may(need)
}

// shell is what every request passes on its way in and out.
func (s *Server) shell(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		v := &visit{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
		defer func() {
			if thrown := recover(); thrown != nil {
				s.recovered(v, r, thrown)
			}
			s.record(v, r, time.Since(begin))
			if v.status == statusAborted {
				panic(http.ErrAbortHandler)
			}
		}()
		protect(v.Header())
		if p := s.refuse(r); p != nil {
			write(v, p)
			return
		}
		r.Body = http.MaxBytesReader(v, r.Body, api.MaxBody)
		inner.ServeHTTP(v, r)
	})
}

// statusAborted stands for an answer that was broken off.
const statusAborted = 499

// recovered answers after a panic. Where the answer has begun the connection is cut, so that nobody takes half of it
// for the whole.
func (s *Server) recovered(v *visit, r *http.Request, thrown any) {
	begun := v.status != 0
	err, isError := thrown.(error)
	var bug runtime.Error
	switch {
	case thrown == http.ErrAbortHandler:
	case begun && isError && !errors.As(err, &bug): // huma's way to say that nobody takes the answer any more
		s.log.Info("an answer was broken off", "method", r.Method, "path", r.URL.Path, "error", err)
	default:
		s.log.Error("panic", "method", r.Method, "path", r.URL.Path, "panic", thrown, "stack", string(debug.Stack()))
	}
	if begun || thrown == http.ErrAbortHandler {
		v.status = statusAborted
		return
	}
	write(v, api.NewProblem(fault.Internal, hidden[fault.Internal].hint, "%s", hidden[fault.Internal].detail))
}

// refuse is for requests that go no further.
func (s *Server) refuse(r *http.Request) *api.Problem {
	if !s.rate.take(s.countedFor(r)) {
		return api.NewProblem(fault.TooMany, "wait a moment", "there are too many requests at once").WithHeader("Retry-After", "1")
	}
	if !s.hosts.serves(r.Host) {
		return api.NewProblem(fault.Forbidden, "start it with: eke serve --host NAME", "this server does not answer to the name %.100q", r.Host)
	}
	// The page itself holds nothing secret, and people come to it by links.
	if isPage := (r.Method == http.MethodGet || r.Method == http.MethodHead) && !isData(r.URL.Path); !isPage {
		return s.crossSite(r)
	}
	return nil
}

// countedFor is whom a request is counted for: the address it comes from, and the token it comes with. Behind a proxy all come
// from one address, and what a proxy says of where they really come from anybody can say.
func (s *Server) countedFor(r *http.Request) string {
	t, _ := s.guard.tokenOf(r)
	return clientOf(r.RemoteAddr) + " " + t.ID
}

// isData says whether a path has data, and not the page that shows them.
func isData(path string) bool {
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/openapi") || path == "/metrics" || path == "/healthz"
}

// protect sets what browsers should know of every answer. The page says more of itself.
func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "+
		"base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
}

// record logs and counts a request: neither its body nor its token, nor its query, which may have settings.
func (s *Server) record(v *visit, r *http.Request, took time.Duration) {
	if v.status == 0 {
		v.status = http.StatusOK // an empty answer
	}
	s.metrics.request(r, v.status, took)
	s.log.LogAttrs(context.Background(), slog.LevelInfo, "request",
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", v.status), slog.Int64("bytes", v.bytes),
		slog.Duration("took", took), slog.String("client", clientOf(r.RemoteAddr)), slog.String("token", v.token.ID))
}
