package server

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/eke-bo/eke/store"
)

// Config says what is served, and to whom. Only the store is needed.
type Config struct {
	Store     store.Store
	Listen    string        // the address that is listened on; empty: 127.0.0.1:8420
	Hosts     []string      // further names that the server goes by, such as a proxy's
	Lease     time.Duration // how long a worker may be silent; 0: a minute
	Rate      float64       // requests per second that one client may send; 0: 1000
	Streams   int           // how many may listen for events at once; 0: 256
	Studies   int           // how many studies may be in the store for one more to be created; 0: 1000
	Log       *slog.Logger  // nil: nothing is logged
	Dashboard http.Handler  // the page; nil: a line of text
	Version   string        // of the program, for the OpenAPI document
}

func (c Config) withDefaults() Config {
	if c.Listen == "" {
		c.Listen = "127.0.0.1:8420"
	}
	if c.Lease <= 0 {
		c.Lease = time.Minute
	}
	if c.Rate <= 0 {
		c.Rate = 1000
	}
	if c.Streams <= 0 {
		c.Streams = 256
	}
	if c.Studies <= 0 {
		c.Studies = 1000
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	return c
}

// Server answers requests about the studies of a store. Close it when it is not needed any more; the store is not its own.
type Server struct {
	config  Config
	store   store.Store
	log     *slog.Logger
	guard   *guard
	hosts   hosts
	origins *http.CrossOriginProtection
	rate    *rate
	metrics *metrics
	handler http.Handler

	mu      sync.Mutex
	studies map[string]*openStudy
	streams int // that listen for events

	// Held by whoever fits models, and whoever draws from them: suggestions need the processors, too. Two, as a fit may take
	// seconds, and whoever looks at another study should not wait for it.
	fitting, drawing turn

	leaving    chan struct{} // closed when streams should end
	leave      func()
	background context.Context
	stop       context.CancelFunc
	running    sync.WaitGroup
}

// New returns a server, and begins to look after leases.
func New(c Config) *Server {
	c = c.withDefaults()
	tokens, _ := c.Store.(store.Tokens)
	s := &Server{
		config: c, store: c.Store, log: c.Log, studies: map[string]*openStudy{},
		// A further name means that others come through a proxy: then this machine is not the only one served.
		guard: &guard{tokens: tokens, open: Loopback(c.Listen) && len(c.Hosts) == 0},
		hosts: newHosts(c.Listen, c.Hosts), origins: http.NewCrossOriginProtection(), rate: newRate(c.Rate),
		metrics: newMetrics(), fitting: newTurn(), drawing: newTurn(), leaving: make(chan struct{}),
	}
	s.leave = sync.OnceFunc(func() { close(s.leaving) })
	s.background, s.stop = context.WithCancel(context.Background())
	s.handler = s.shell(s.routes())
	s.running.Go(func() { s.sweepForEver(s.background) })
	return s
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close ends what goes on in the background, and streams of events.
func (s *Server) Close() {
	s.leave()
	s.stop()
	s.running.Wait()
}
