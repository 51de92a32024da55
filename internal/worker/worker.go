package worker

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/study"
)

// Config is what a worker needs.
type Config struct {
	Client   *api.Client
	Study    string          // its name on the server
	Local    *study.Study    // its command is run, and never the server's; nil: the server's
	WorkDir  string          // where the command runs; empty: as the study says, or here
	Dir      string          // the folder of journals and of the trials' files
	Parallel int             // how many trials run at once; 0: one
	Stop     <-chan struct{} // when it is closed no new trial is asked for, and running ones are waited for
	Tell     func(News)      // is told what happens, one call at a time; may be nil
}

// worker is what its goroutines share.
type worker struct {
	Config
	pinned *study.Study // whose command is run
	shown  *study.Study // the server's definition when the worker began
	seats  []*seat      // the first is its own, the others were left by workers that died

	asking  sync.Mutex // one at a time: the server thinks of one trial at a time, too
	backlog []*entry   // asked for by a worker that died; guarded by asking

	mu       sync.Mutex
	running  map[int]bool
	changed  chan struct{} // closed, and replaced, when a trial has ended
	counts   map[study.State]int
	gone     bool // the server does not answer
	ended    int
	unsent   int
	failures int // in a row
	sum      Summary
	err      error
	quit     chan struct{} // closed when there is a reason to end

	telling sync.Mutex
}

// Run works until there is nothing more to do. When ctx ends, running trials are stopped, and told as abandoned.
func Run(ctx context.Context, c Config) (Summary, error) {
	w := &worker{Config: c, running: map[int]bool{}, changed: make(chan struct{}), quit: make(chan struct{})}
	w.Parallel = max(w.Parallel, 1)
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return Summary{}, err
	}
	watching, end := context.WithCancel(context.WithoutCancel(ctx))
	var watcher sync.WaitGroup
	watcher.Go(func() { w.watchStops(ctx, watching) })
	err = w.begin(ctx, filepath.Join(dir, c.Study))
	defer func() { release(w.seats) }()
	if err == nil {
		var hands sync.WaitGroup
		for range w.Parallel {
			hands.Go(func() { w.work(ctx) })
		}
		hands.Wait()
	}
	end()
	watcher.Wait()
	return w.summary(ctx, err)
}

// begin sits down, settles what workers that died have left, and learns what to run.
func (w *worker) begin(ctx context.Context, dir string) error {
	until, cancel := w.untilStopped(ctx)
	defer cancel()
	s, err := w.look(until)
	if err != nil {
		return err
	}
	w.shown = s.Definition
	if w.seats, err = takeSeats(dir, w.Study, s.Created); err != nil {
		return err
	}
	if err := w.settleOld(until); err != nil { // whether or not there is anything to run any more
		return err
	}
	if w.pinned, err = pinned(s.Definition, w.Config); err != nil {
		return err
	}
	w.show()
	return nil
}

// look reads the study, and notes how it stands.
func (w *worker) look(ctx context.Context) (s api.Study, err error) {
	err = w.insist(ctx, func() (err error) {
		s, err = w.Client.Study(ctx, w.Study)
		return err
	})
	w.mu.Lock()
	w.counts = s.Counts
	w.mu.Unlock()
	return s, err
}

func (w *worker) work(ctx context.Context) {
	for {
		e, lease, ok := w.next(ctx)
		if !ok {
			return
		}
		w.try(ctx, e, lease)
	}
}

// Trials that fail or are cut in a row before a worker gives up, as eke run does.
const failuresAtFirst, failuresLater = 3, 10

// leave notes that a trial has ended.
func (w *worker) leave(trial int, o outcome) {
	w.mu.Lock()
	delete(w.running, trial)
	w.ended++
	switch o.State {
	case study.Done:
		w.failures = 0
		w.counts = map[study.State]int{study.Done: 1}
	case study.Failed, study.Cut:
		w.failures++
	}
	hopeless := w.failures >= failuresLater || w.failures >= failuresAtFirst && w.counts[study.Done] == 0
	close(w.changed)
	w.changed = make(chan struct{})
	w.mu.Unlock()
	if hopeless && slices.Contains([]study.State{study.Failed, study.Cut}, o.State) {
		w.end(Summary{Reason: Failing, Text: "one trial after the other came to nothing, the last with: " + o.Note}, nil)
	}
}
