package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
)

// visit is what is known about a request once it is answered.
type visit struct {
	http.ResponseWriter
	status int
	bytes  int64
	ofOne  bool        // what went wrong is the study's that the request is about, and no other's
	token  store.Token // the request's
	from   sender
	after  func() // to be done once it is answered; nil: nothing
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

// noteDamage notes that an error is about one study, if it is.
func noteDamage(ctx context.Context, err error) {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		v.ofOne = isDamage(err)
	}
}

// tokenIn returns the token of the current request.
func tokenIn(ctx context.Context) (t store.Token) {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		t = v.token
	}
	return t
}

// afterwards says what to do once the current request is answered.
func afterwards(ctx context.Context, do func()) {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		v.after = do
	}
}

// senderIn returns whom the current request counts for.
func senderIn(ctx context.Context) (from sender) {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		from = v.from
	}
	return from
}

// may reports whether the sender of the current request has a role.
func may(ctx context.Context, need Role) bool {
	v, ok := ctx.Value(visitKey{}).(*visit)
	return ok && Role(v.token.Role).may(need)
}

// shell wraps every request on its way in and out.
func (s *Server) shell(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		v := &visit{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
		defer func() {
			if thrown := recover(); thrown != nil {
				s.recovered(v, r, thrown)
			}
			if v.after != nil {
				v.after()
			}
			s.record(v, r, time.Since(begin))
			if v.status == statusAborted {
				panic(http.ErrAbortHandler)
			}
		}()
		protect(v.Header(), r.TLS != nil)
		leave, p := s.refuse(v, r)
		if p != nil {
			turnAway(v, r, p)
			return
		}
		defer leave()
		r.Body = http.MaxBytesReader(v, r.Body, api.MaxBody)
		inner.ServeHTTP(v, r)
	})
}

// statusAborted marks an answer that was cut off.
const statusAborted = 499

// recovered answers after a panic. If the answer has already begun, the connection is cut, so that nobody mistakes a part for
// the whole.
func (s *Server) recovered(v *visit, r *http.Request, thrown any) {
	begun := v.status != 0
	err, isError := thrown.(error)
	aborted := isError && errors.Is(err, http.ErrAbortHandler)
	var bug runtime.Error
	switch {
	case aborted:
	case begun && isError && !errors.As(err, &bug): // huma panics when the client is gone
		s.log.Info("the client is gone before the end of the answer", "method", r.Method, "path", r.URL.Path, "error", err)
	default:
		s.log.Error("panic", "method", r.Method, "path", r.URL.Path, "panic", thrown, "stack", string(debug.Stack()))
	}
	if begun || aborted {
		v.status = statusAborted
		return
	}
	write(v, api.NewProblem(fault.Internal, hidden[fault.Internal].hint, "%s", hidden[fault.Internal].detail))
}

// refuse returns a problem if a request may go no further. Otherwise the request is under way until it leaves.
func (s *Server) refuse(v *visit, r *http.Request) (leave func(), refused *api.Problem) {
	leave = func() {}
	if !isProbe(r.URL.Path) { // whoever watches the server is never refused for asking often
		v.token, v.from = s.senderOf(r)
		if !s.rates.take(v.from, isUrgent(r)) {
			return nil, api.NewProblem(fault.TooMany, "wait a moment", "there are too many requests at once").WithHeader("Retry-After", "1")
		}
		if leave, refused = s.lanes.of(r).enter(v.from); refused != nil {
			return nil, refused
		}
	}
	if !s.hosts.serves(r.Host) {
		refused = api.NewProblem(fault.Forbidden, "start it with: eke serve --host NAME", "this server does not answer to the name %.100q", r.Host)
	}
	// The page itself contains no secrets, and people reach it by links.
	if isPage := (r.Method == http.MethodGet || r.Method == http.MethodHead) && !isData(r.URL.Path); refused == nil && !isPage {
		refused = s.crossSite(r)
	}
	if refused != nil {
		leave()
	}
	return leave, refused
}

// senderOf is whom a request counts for. Behind a proxy all requests come from one address, and a header with the real one can be forged.
func (s *Server) senderOf(r *http.Request) (store.Token, sender) {
	list, _ := s.guard.known(r.Context()) // without them a request has no token
	t, known := tokenOf(r, list)
	if !known {
		address := "address " + clientOf(r.RemoteAddr)
		return t, sender{address, address}
	}
	from := sender{"token " + t.ID, "token " + t.ID}
	if t.Group != "" {
		from.group = "group " + t.Group
	}
	return t, from
}

// turnAway answers a request whose body is not read.
func turnAway(w http.ResponseWriter, r *http.Request, p *api.Problem) {
	doNotWait(w, r)
	write(w, p)
}

// doNotWait closes a connection whose next request is behind a body that nobody reads, and that does not arrive at once: the server would
// wait for it before it answers.
func doNotWait(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Second)) // tests have no connection
	}
}

// isData reports whether a path leads to data, not to the page.
func isData(path string) bool {
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/openapi") || path == "/metrics" || isProbe(path)
}

// isProbe reports whether a path is for whoever watches the server.
func isProbe(path string) bool { return path == "/healthz" || path == "/readyz" }

// protect sets the security headers of every answer. The page adds its own.
func protect(h http.Header, encrypted bool) {
	if encrypted { // and it stays so for a year
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "+
		"base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
}

// record logs and counts a request, without its body, its token and its query, which may contain settings.
func (s *Server) record(v *visit, r *http.Request, took time.Duration) {
	if v.status == 0 {
		v.status = http.StatusOK // an empty answer
	}
	s.metrics.request(r, v.status, took)
	s.unheard.note(r, v)
	s.log.LogAttrs(context.Background(), slog.LevelInfo, "request",
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", v.status), slog.Int64("bytes", v.bytes),
		slog.Duration("took", took), slog.String("client", clientOf(r.RemoteAddr)), slog.String("token", v.token.ID))
}

// hosts is the names that the server answers to. A foreign page can make its own name lead to this machine (DNS rebinding), so
// that the browser takes the server for part of that page. Such requests carry the foreign name, and are refused.
type hosts struct {
	names    []string // lower case
	loopback bool     // only this machine is served
}

// Loopback reports whether only this machine can reach an address to listen on.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && api.IsLoopback(host)
}

func newHosts(listen string, further []string) hosts {
	h := hosts{loopback: Loopback(listen), names: []string{"localhost"}}
	if host, _, err := net.SplitHostPort(listen); err == nil && host != "" {
		h.names = append(h.names, strings.ToLower(host))
	}
	for _, name := range further {
		h.names = append(h.names, strings.ToLower(name))
	}
	return h
}

// serves reports whether a Host header names this server. The port does not matter: tunnels and proxies change it. Nobody can
// rebind an IP address.
func (h hosts) serves(header string) bool {
	name := header
	if host, port, err := net.SplitHostPort(header); err == nil && !strings.ContainsFunc(port, notDigit) {
		name = host // what follows it must be a port: in 127.0.0.1:80.evil.org it is a part of a name
	}
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "[]")), ".")
	if ip, err := netip.ParseAddr(name); err == nil && ip.Zone() == "" { // a zone can be any text
		return !h.loopback || ip.Unmap().IsLoopback() || slices.Contains(h.names, name)
	}
	return slices.Contains(h.names, name)
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// crossSite refuses requests from pages of other sites, even those that only read: other sites must not learn what a study
// found out. Programs other than browsers send none of these headers, and pass.
func (s *Server) crossSite(r *http.Request) *api.Problem {
	as := *r
	as.Method = http.MethodPost // since the check lets reads pass
	if err := s.origins.Check(&as); err != nil {
		return api.NewProblem(fault.Forbidden, "", "requests from pages of other sites are refused")
	}
	return nil
}

// unheard has whose workers tried to say something of a trial and were not heard, because the server was busy or its store away. A
// worker that is turned away is not silent.
type unheard struct {
	mu   sync.Mutex
	from map[refused]bool
}

// refused is a token whose requests were refused. The empty ID stands for all who have no token.
type refused struct {
	token string
	about lease // the trial that they were about; none: it would have been so for any other
}

// note remembers a request that was answered, if the server could not listen. What is wrong with one study only, such as a damaged record, keeps the
// leases of no other.
func (u *unheard) note(r *http.Request, v *visit) {
	if v.status != http.StatusTooManyRequests && v.status < http.StatusInternalServerError || !isOnTrial(r) {
		return
	}
	one := refused{token: v.token.ID}
	if v.ofOne || v.status == http.StatusInternalServerError {
		number, _ := strconv.Atoi(r.PathValue("number")) // 0: there is none, which is no lease
		one.about = lease{r.PathValue("study"), number}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.from == nil {
		u.from = map[refused]bool{}
	}
	u.from[one] = true
}

// take returns who was not heard since it was called last.
func (u *unheard) take() map[refused]bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.from
	u.from = nil
	return taken
}
