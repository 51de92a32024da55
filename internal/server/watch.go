package server

import (
	"context"
	"sync"
	"time"
)

// watch tells listeners that a study may have changed: at once if this server changed it, and within pollEvery if another process
// did.
type watch struct {
	mu        sync.Mutex
	news      chan struct{} // closed at the next change
	listeners int
	stop      context.CancelFunc // stops the poller, which runs while there are listeners
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

// listen watches for changes by other processes until leave is called.
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
		// An error here happens to the listeners as well, and they report it.
		if r, err := o.broker.Record(ctx); err == nil && r.Version != version {
			version = r.Version
			o.watch.poke()
		}
	}
}
