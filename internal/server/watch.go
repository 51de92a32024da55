package server

import (
	"context"
	"sync"
	"time"
)

// watch tells those who listen that a study may have changed: at once when this server changed it, and within pollEvery
// when another process did.
type watch struct {
	mu        sync.Mutex
	news      chan struct{} // closed at the next change
	listeners int
	stop      context.CancelFunc // of the poller, which runs while there are listeners
}

const pollEvery = time.Second

func newWatch() *watch { return &watch{news: make(chan struct{})} }

func (w *watch) poke() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.news)
	w.news = make(chan struct{})
}

// next returns a channel that is closed at the next change.
func (w *watch) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.news
}

// listen has others' changes noticed until leave is called.
func (s *Server) listen(o *openStudy) (leave func()) {
	w := o.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listeners++; w.listeners == 1 {
		ctx, stop := context.WithCancel(s.background)
		w.stop = stop
		s.running.Go(func() { o.poll(ctx) })
	}
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.listeners--; w.listeners == 0 {
			w.stop()
		}
	})
}

func (o *openStudy) poll(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var version int64
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// What goes wrong here goes wrong for those who listen as well, and they say so.
		if r, err := o.broker.Record(ctx); err == nil && r.Version != version {
			version = r.Version
			o.watch.poke()
		}
	}
}
