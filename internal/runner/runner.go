package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Config is what a run needs.
type Config struct {
	Broker   *broker.Broker
	Dir      string          // the folder of the study's trials
	Parallel int             // how many trials run at once; 0: as many as the study says
	Stop     <-chan struct{} // when it is closed no new trial is started, and running ones are waited for
	Tell     func(News)      // is told what happens, one call at a time; may be nil
}

// beat is how often a runner says that its trials are alive: a runner that dies loses sight of them for no longer.
const beat = time.Second

// run is what the workers of one run share.
type run struct {
	Config
	study *study.Study
	id    string
	began time.Time

	asking sync.Mutex // one worker at a time thinks; the others would think the same

	mu       sync.Mutex
	running  map[int]bool
	changed  chan struct{} // closed, and replaced, when a trial has ended
	ended    int           // trials of this run
	failures int           // in a row
	reason   Reason        // why the run ends; the first counts
	text     string
	err      error
	quit     chan struct{} // closed when there is a reason

	telling sync.Mutex
}

// Run spends the study's budget. When ctx ends, running trials are cut, and recorded as such.
func Run(ctx context.Context, c Config) (Summary, error) {
	s := c.Broker.Study()
	if len(s.Command) == 0 {
		return Summary{}, fmt.Errorf("study %s has no command to run", s.Name)
	}
	if c.Parallel <= 0 {
		c.Parallel = max(s.Parallel, 1)
	}
	lock, err := takeLock(c.Dir)
	if err != nil {
		return Summary{}, err
	}
	defer lock.release()
	r := &run{Config: c, study: s, id: lock.id, began: time.Now(), running: map[int]bool{}, changed: make(chan struct{}), quit: make(chan struct{})}
	record, err := c.Broker.Record(ctx)
	if err != nil {
		return Summary{}, err
	}
	if len(record.Trials) == 0 {
		if err := noOldTrials(c.Dir); err != nil {
			return Summary{}, err
		}
	}
	if len(record.Trials) > 0 {
		r.tell(Resumed, nil, fmt.Sprintf("%d trials so far", len(record.Trials)))
	}
	if err := r.reap(ctx); err != nil {
		return Summary{}, err
	}

	clearLocks(c.Dir, func(id string) bool {
		return slices.ContainsFunc(record.Open(), func(t study.Trial) bool { return t.Runner == id })
	})

	// What watches the run ends with it.
	watching, end := context.WithCancel(context.WithoutCancel(ctx))
	var watchers, workers sync.WaitGroup
	watchers.Go(func() { r.heartbeat(watching) })
	watchers.Go(func() { r.watchStops(ctx, watching) })
	for range c.Parallel {
		workers.Go(func() { r.work(ctx) })
	}
	workers.Wait()
	end()
	watchers.Wait()
	return r.summary(ctx)
}

func (r *run) work(ctx context.Context) {
	for {
		trial, ok := r.next(ctx)
		if !ok {
			return
		}
		r.try(ctx, trial)
	}
}

// heartbeat says that the running trials are alive, and sees after those of runners that have died.
func (r *run) heartbeat(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if alive := r.alive(); len(alive) > 0 {
			if err := r.Broker.Touch(ctx, alive...); errors.Is(err, store.ErrGone) {
				r.fail(err) // better said now than when hours of results cannot be kept
			}
		}
		if n%10 == 0 {
			_ = r.reap(ctx) // what cannot be done now is tried again
		}
	}
}

// watchStops says that a stop was heard, for it may take long to come about.
func (r *run) watchStops(ctx, watching context.Context) {
	stop := r.Stop
	for {
		select {
		case <-watching.Done():
			return
		case <-stop:
			stop = nil
			r.tell(Stopping, nil, "")
		case <-ctx.Done():
			r.tell(Cutting, nil, "")
			return
		}
	}
}

// end notes why the run ends. No worker begins anything after.
func (r *run) end(reason Reason, text string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reason != "" {
		return
	}
	r.reason, r.text, r.err = reason, text, err
	close(r.quit)
}

func (r *run) fail(err error) { r.end("error", err.Error(), err) }

// summary closes the run.
func (r *run) summary(ctx context.Context) (Summary, error) {
	ctx = context.WithoutCancel(ctx)
	record, err := r.Broker.Record(ctx)
	r.mu.Lock()
	s := Summary{Reason: r.reason, Text: r.text, Trials: r.ended, Record: record}
	err = errors.Join(r.err, err)
	r.mu.Unlock()
	if err != nil {
		return s, err
	}
	if s.Reason == "" {
		s.Reason, s.Text = Asked, "stopped; run it again to go on"
	}
	r.tell(Stopped, nil, s.Text)
	return s, nil
}

// alive lists the trials that this runner runs.
func (r *run) alive() (list []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := range r.running {
		list = append(list, n)
	}
	return list
}

// tell passes news on.
func (r *run) tell(kind Kind, trial *study.Trial, text string) {
	if r.Tell == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	record, err := r.Broker.Record(context.Background())
	if err != nil {
		record = nil
	}
	if record != nil && trial != nil { // as it is now, not as it was when it was asked for
		trial = &record.Trials[trial.Number-1]
	}
	r.Tell(News{Kind: kind, At: time.Now(), Trial: trial, Text: text, Record: record})
}
