package server

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

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
		config: c, store: newScopedStore(c.Store), log: c.Log, studies: map[string]*openStudy{},
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

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close ends the background work and the event streams.
func (s *Server) Close() {
	s.leave()
	s.stop()
	s.running.Wait()
}
