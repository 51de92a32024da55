package runner

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// Config is what a run needs.
type Config struct {
	Source   Source
	Engine   engine.Engine
	Runner   string          // the name of a runner whose jobs are calls in this process; they need no command, no folder and no journal. "": jobs are commands
	Called   string          // how commands name the study; "": nobody is told of any
	Dir      string          // the folder of the workspaces
	Trials   string          // the folder of the trials' folders; "": every workspace keeps those of its own trials
	Mark     *Mark           // how far the study's log was seen here; nil: nobody notes it
	Own      *study.Study    // its command is run, and never the source's; nil: the source's
	WorkDir  string          // where the command runs; "": as the study says, or here
	Parallel int             // how many trials run at once; 0: as many as the study says
	Single   bool            // if Parallel is 0 and the study has no slots: one, whatever the study says
	Once     bool            // take one step, and end: settle what has ended, begin what there is room for, and wait for nothing
	Patience time.Duration   // how long the source may be in trouble before the run gives up; 0: for ever
	Stop     <-chan struct{} // when it is closed no new trial is started, and running ones are waited for
	Cut      func()          // is called when something has gone wrong, to end the run's context; nil: running trials are waited for
	Tell     func(News)      // is told what happens, one call at a time; may be nil
}

// run is what the goroutines of one run share.
type run struct {
	Config
	pinned *study.Study                // whose command is run
	shown  atomic.Pointer[study.Study] // as the source defined it when the run began
	shop   *shop                       // nil: the run has no folder

	workspace *workspace

	slotted  engine.Slotted // nil: the engine has no slots
	slots    []study.Slot   // empty: any number
	entering sync.Mutex     // one slot is taken at a time

	asking sync.Mutex // one at a time: the others would be answered the same

	mu        sync.Mutex
	held      map[*workspace]bool // this run's, and those of runners that died with trials that are run here now
	backlog   []*entry            // asked for by a runner that died, and perhaps not answered
	left      []study.Trial       // asked for by a runner that died, and not begun
	took      map[int]bool        // those of them that a slot has taken
	adopted   []*task             // of a runner that died, still running, and waiting for a slot
	running   map[int]*task       // with those that are adopted
	preparing int                 // trials that slots have taken, and that are not yet running
	begun     chan struct{}       // closed, and replaced, when a trial has begun
	changed   chan struct{}       // closed, and replaced, when a trial has ended or is adopted
	troubles  int                 // how many things fail, and are tried again
	ended     int                 // trials of this run
	parked    int                 // trials that go on without this run
	unsent    int
	failures  []int         // trials that failed in a row
	results   int           // trials of this run that are done
	reported  study.Metrics // what they reported, one number of each
	sum       Summary
	err       error
	quit      chan struct{} // closed when there is a reason to end

	marked     int64                // the version of the log that the mark has; used by one goroutine at a time
	reconciled map[string]time.Time // when the accounts of these were asked for; used by one goroutine at a time

	wake    chan struct{} // the engine has something to say
	telling sync.Mutex
}

func newRun(c Config) *run {
	return &run{
		Config: c, running: map[int]*task{}, held: map[*workspace]bool{}, reconciled: map[string]time.Time{}, took: map[int]bool{},
		begun: make(chan struct{}), changed: make(chan struct{}), quit: make(chan struct{}), wake: make(chan struct{}, 1),
	}
}

// Run evaluates trials until there is nothing more to do. When ctx ends, running trials are cut, and recorded as abandoned; the
// jobs of a detached engine go on.
func Run(ctx context.Context, c Config) (Summary, error) {
	r := newRun(c)
	// What watches the run ends with it.
	watching, end := context.WithCancel(context.WithoutCancel(ctx))
	var watchers, slots sync.WaitGroup
	watchers.Go(func() { r.watchStops(ctx, watching) })
	err := r.begin(ctx)
	if err == nil {
		if !r.Once {
			watchers.Go(func() { r.poll(watching) })
			watchers.Go(func() { r.look(ctx, watching) })
		}
		watchers.Go(func() { r.heartbeat(watching) })
		watchers.Go(func() { r.touch(watching) })
		watchers.Go(func() { r.raise(watching) })
		for i := range r.Parallel {
			slots.Go(func() { r.slot(ctx, i) })
		}
		slots.Wait()
	}
	end()
	watchers.Wait()
	if r.workspace != nil {
		clear(r.reconciled)
		r.reconcile(context.WithoutCancel(ctx), []*workspace{r.workspace}) // once more: there may be no other run
		if r.Mark != nil {
			r.raiseNow(context.WithoutCancel(ctx))
		}
	}
	for w := range r.held {
		w.release()
	}
	return r.summary(ctx, err)
}

// begin takes a workspace, settles what runners that died have left, and learns what to run.
func (r *run) begin(ctx context.Context) error {
	until, cancel := r.untilStopped(ctx)
	defer cancel()
	var (
		s  *study.Study
		id Identity
	)
	if err := r.insist(until, func() (err error) {
		s, id, err = r.Source.Study(until)
		return err
	}); err != nil {
		return err
	}
	r.shown.Store(s)
	if err := r.enter(until, card{Study: s.Name, Identity: id}); err != nil {
		return err
	}
	// Whether or not there is anything to run any more.
	if err := r.recover(until, true); err != nil {
		return err
	}
	var err error
	if r.pinned, err = r.pin(s); err != nil {
		return err
	}
	if err := r.slotsOf(until, s); err != nil {
		return err
	}
	if r.Once {
		r.giveUp(until)
	}
	r.pass(News{Kind: Command, Run: r.pinned.Command, Env: r.pinned.Env, Workdir: r.pinned.Workdir, Slots: r.slots})
	return nil
}

// enter finds the folder, if there is to be one, and says whether there are trials already.
func (r *run) enter(ctx context.Context, c card) error {
	if r.Runner != "" {
		c.Runner = r.Runner
		r.workspace = &workspace{card: c}
		return nil
	}
	dir, err := filepath.Abs(r.Dir)
	if err == nil && r.Trials != "" {
		r.Trials, err = filepath.Abs(r.Trials)
	}
	if err != nil {
		return err
	}
	r.shop = &shop{dir: dir, trials: r.Trials, card: c}
	record, err := r.Source.Record(ctx)
	if err == nil && r.Trials != "" {
		err = r.checkStore(ctx, c.Study, record)
	}
	if err != nil {
		if r.Trials != "" {
			return err
		}
		return nil
	}
	if len(record.Trials) > 0 {
		r.tell(Resumed, nil, say.Count(len(record.Trials), "trial")+" so far")
	}
	return nil
}

func (r *run) slot(ctx context.Context, i int) {
	place, ok := r.takeSlot(ctx, i)
	if !ok {
		return
	}
	defer r.leaveSlot(place)
	for {
		t, ok := r.next(ctx, r.placeOf(place, i))
		if !ok {
			return
		}
		t.slot = place
		r.evaluate(ctx, t)
		if r.Once {
			return
		}
	}
}

// end notes why the run ends; the first reason counts. Nothing is begun after.
func (r *run) end(s Summary, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sum.Code != "" || r.err != nil {
		return
	}
	r.sum, r.err = s, err
	close(r.quit)
	if r.Cut != nil && !s.Code.Over() {
		r.Cut()
	}
}

func (r *run) fail(err error) { r.end(Summary{}, err) }

func (r *run) isEnding() bool {
	select {
	case <-r.quit:
		return true
	default:
		return false
	}
}

// summary closes the run.
func (r *run) summary(ctx context.Context, err error) (Summary, error) {
	r.mu.Lock()
	s := r.sum
	s.Trials, s.Unsent, s.Study = r.ended, r.unsent, r.shown.Load()
	if r.err != nil {
		err = r.err
	}
	// An error that nobody noted is what being stopped came to.
	stopped := r.err == nil && (ctx.Err() != nil || isClosed(r.Stop))
	r.mu.Unlock()
	if err != nil && !stopped {
		return s, err
	}
	if s.Study != nil {
		s.Record, _ = r.Source.Record(context.WithoutCancel(ctx))
	}
	if s.Code == "" && r.Once && !stopped {
		s.Text = say.Count(r.parked, "trial") + " under way; run it again to go on"
		r.tell(Stopped, nil, s.Text)
		return s, nil
	}
	if s.Code == "" {
		s.Code, s.Text = fault.Interrupted, "stopped; run it again to go on"
	}
	if s.Record != nil {
		if none := say.NoneFeasible(s.Study, s.Record); none != "" {
			s.Text += "; " + none
		}
	}
	r.tell(Stopped, nil, s.Text)
	return s, nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// untilStopped returns a context that ends with ctx, when a stop is asked for, and when there is a reason to end.
func (r *run) untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(ctx)
	if isClosed(r.Stop) || r.isEnding() { // at once, not when the goroutine gets its turn
		cancel()
	}
	go func() {
		select {
		case <-inner.Done():
		case <-r.Stop:
		case <-r.quit:
		}
		cancel()
	}()
	return inner, cancel
}

// wait waits until ctx ends, something changes, or for so long.
func wait(ctx context.Context, change <-chan struct{}, most time.Duration) {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-ctx.Done():
	case <-change:
	case <-late.C:
	}
}
