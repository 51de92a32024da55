package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/webhook"
	"github.com/eke-bo/eke/store"
)

// Config says what to serve, and to whom. Only the store is required.
type Config struct {
	Store     store.Store
	Listen    string               // the address to listen on; empty: 127.0.0.1:8420
	Hosts     []string             // further names that the server answers to, such as a proxy's
	Lease     time.Duration        // how long a worker may be silent; 0: a minute
	Rate      float64              // how many requests per second a client may send; 0: 1000
	Streams   int                  // how many clients may listen for events at once; 0: 256
	Studies   int                  // how many studies there may be that are not archived; 0: 10,000
	Archived  int                  // how many archived ones; 0: 100,000
	FileRoom  int64                // how many bytes the files of a study may take; 0: 256 MiB
	OutputFor Role                 // who may read what trials print and leave behind; empty: readers
	Log       *slog.Logger         // nil: nothing is logged
	Dashboard http.Handler         // the page; nil: a line of text
	Notify    func(webhook.Notice) // is told of what happens in all studies, and must not wait; nil: nobody is
	Version   string               // the version of the program, for the OpenAPI document
}

// Server answers requests about the studies of a store. Close it when you are done; that does not close the store.
type Server struct {
	config  Config
	store   *scopedStore
	log     *slog.Logger
	guard   *guard
	hosts   hosts
	origins *http.CrossOriginProtection
	rates   rates
	metrics *metrics
	handler http.Handler

	mu      sync.Mutex
	studies map[string]*openStudy

	// Only one request at a time fits models, and one draws from them: suggestions need the processors too. A fit may take
	// seconds, and those who only draw should not wait for it.
	fitting, drawing *shares

	catalogue *catalogue
	refusals  refusals
	unheard   unheard
	ready     *readiness

	lanes    lanes
	streams  *shares // clients that listen for events
	parsing  *shares // to read a study's definition, one at a time
	answers  *shares // long ones that are being sent
	thinkers *shares // choices of trials

	began      time.Time
	leaving    chan struct{} // closed when streams should end
	leave      func()
	background context.Context
	stop       context.CancelFunc
	running    sync.WaitGroup
}

// New returns a server and starts to watch the leases.
func New(c Config) *Server {
	c = c.withDefaults()
	tokens, _ := c.Store.(store.Tokens)
	s := &Server{
		config: c, began: time.Now(), store: newScopedStore(c.Store), log: c.Log, studies: map[string]*openStudy{},
		// A further name means that others may come through a proxy, so not only this machine is served.
		guard: &guard{tokens: tokens, open: Loopback(c.Listen) && len(c.Hosts) == 0},
		hosts: newHosts(c.Listen, c.Hosts), origins: http.NewCrossOriginProtection(), rates: newRates(c.Rate),
		metrics: newMetrics(), fitting: newTurns(mostFits), drawing: newTurns(oneRequests), parsing: newTurns(oneRequests),
		answers: newShares(mostAnswers, someAnswers, someAnswers, oneRequests), thinkers: newThinkers(),
		lanes: newLanes(), streams: newStreams(int64(c.Streams)), catalogue: &catalogue{turn: newTurn()}, ready: &readiness{}, leaving: make(chan struct{}),
	}
	s.leave = sync.OnceFunc(func() { close(s.leaving) })
	s.background, s.stop = context.WithCancel(context.Background())
	s.handler = s.shell(s.routes())
	s.running.Go(func() { s.sweepForEver(s.background) })
	s.running.Go(func() { s.endsForEver(s.background) })
	if c.Notify != nil {
		s.running.Go(func() { s.tellForEver(s.background, c.Notify) })
	}
	return s
}

func (c Config) withDefaults() Config {
	c.Listen = cmp.Or(c.Listen, "127.0.0.1:8420")
	c.Lease = cmp.Or(max(c.Lease, 0), time.Minute)
	c.Rate = cmp.Or(max(c.Rate, 0), 1000)
	c.Streams = cmp.Or(max(c.Streams, 0), 256)
	c.Studies = cmp.Or(max(c.Studies, 0), 10_000)
	c.Archived = cmp.Or(max(c.Archived, 0), 100_000)
	c.FileRoom = cmp.Or(max(c.FileRoom, 0), 256<<20)
	c.OutputFor = cmp.Or(c.OutputFor, Reader)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.Version = cmp.Or(c.Version, "dev")
	return c
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close ends the background work and the event streams.
func (s *Server) Close() {
	s.leave()
	s.stop()
	s.running.Wait()
}

// How slow a client may be. Ask and event streams have limits of their own, since their answers take long.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 2 * time.Minute
	idleTimeout   = 2 * time.Minute
	mostHeader    = 32 << 10
	mostConns     = 2048

	// grace is how long requests may go on once the server is told to stop.
	grace = 15 * time.Second
)

// Serve answers requests from a listener until the context ends. Then it finishes the requests under way and ends the event
// streams. With a certificate it uses TLS.
func (s *Server) Serve(ctx context.Context, listener net.Listener, certificate *Certificate) error {
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: mostHeader, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug), // broken connections are nothing to worry about
	}
	h.RegisterOnShutdown(s.leave)
	listener = &counted{Listener: listener, free: make(chan struct{}, mostConns)}
	ended := make(chan error, 1)
	go func() {
		if certificate == nil {
			ended <- h.Serve(listener)
			return
		}
		h.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return certificate.current(s.log), nil
		}}
		ended <- h.ServeTLS(listener, "", "")
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	polite, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := h.Shutdown(polite)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("some requests took too long to finish and were cut off")
		err = h.Close()
	}
	if end := <-ended; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}

// counted is a listener that limits the number of connections. Further ones wait.
type counted struct {
	net.Listener
	free chan struct{}
}

func (l *counted) Accept() (net.Conn, error) {
	l.free <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &countedConn{c, sync.OnceFunc(func() { <-l.free })}, nil
}

type countedConn struct {
	net.Conn
	release func()
}

func (c *countedConn) Close() error {
	c.release()
	return c.Conn.Close()
}

// Certificate is a certificate and its key, in two files. When the certificate is renewed and the files change, new connections
// get the new one.
type Certificate struct {
	cert, key string

	mu     sync.Mutex
	pair   *tls.Certificate
	of     string // the stamps of its files
	looked time.Time
}

// LoadCertificate reads the two files, in PEM.
func LoadCertificate(cert, key string) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, looked: time.Now()}
	c.of = c.stamps() // before reading, so that a change meanwhile is noticed
	pair, err := tls.LoadX509KeyPair(cert, key)
	c.pair = &pair
	return c, err
}

// lookEvery is the least time between two checks of the files.
const lookEvery = time.Second

// current returns the certificate in the files. It keeps the last one while the files cannot be used: one of them may be half written.
func (c *Certificate) current(log *slog.Logger) *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) < lookEvery {
		return c.pair
	}
	c.looked = time.Now()
	now := c.stamps()
	if now == c.of {
		return c.pair
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		log.Warn("the TLS files have changed but cannot be used; the previous certificate stays in use", "error", err)
		return c.pair
	}
	c.pair, c.of = &pair, now
	log.Info("the TLS files have changed; the new certificate is in use")
	return c.pair
}

// stamps tell one version of the files from another.
func (c *Certificate) stamps() (stamps string) {
	for _, name := range []string{c.cert, c.key} {
		if info, err := os.Stat(name); err == nil {
			stamps += fmt.Sprintln(info.ModTime().UnixNano(), info.Size())
		}
	}
	return stamps
}

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

// softMemory is how much memory the process takes before it collects garbage more eagerly than the default, which lets it grow to twice
// what it needs. A study with 20,000 results needs about half of this while models are fitted to it.
const softMemory = 400 << 20

// LimitMemory asks the process to stay within the memory that a server should need. It is a wish: what is in use is never refused.
// $GOMEMLIMIT says something else.
func LimitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
}
