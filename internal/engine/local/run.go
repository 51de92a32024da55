package local

import (
	"context"
	"os"
	"os/exec"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// process is a command that runs.
type process struct {
	*prepared
	watch          watch
	stdout, stderr *output

	engine *Engine // of one that stays alive, with the command
	warm   *warm
	fresh  bool // the command was started for this job
}

// start starts the command. An error means that nothing runs, and nothing is to be charged.
func (p *prepared) start() (*process, error) {
	stdout, stderr, err := p.open()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: p.path, Args: p.j.Argv, Dir: p.workDir, Env: p.env,
		Stdout: stdout, Stderr: stderr, // files, so that no goroutine copies and none has to be waited for
		SysProcAttr: groupAttributes(),
	}
	occupy(cmd, p.j.Slot)
	if err := p.files.note(startedFile); err != nil {
		stdout.Close()
		stderr.Close()
		return nil, fileError(err, p.files.path(startedFile))
	}
	begin := time.Now()
	exited, err := start(cmd)
	if err != nil {
		stdout.Close()
		stderr.Close()
		return nil, p.startError(err)
	}
	x := &process{prepared: p, stdout: &output{File: stdout}, stderr: &output{File: stderr}}
	x.watch = watch{j: &p.j, cmd: cmd, clock: newClock(begin), exited: exited, limit: p.j.Limit, files: p.files, outputs: []*output{x.stdout, x.stderr}}
	return x, nil
}

// wait waits until all of the command's process group is gone, and judges its end. When ctx ends the group is stopped.
func (x *process) wait(ctx context.Context) study.Finished {
	defer x.stdout.Close()
	defer x.stderr.Close()
	if x.warm != nil {
		out := x.waitTurn(func() ending { return x.watch.run(ctx) })
		_ = x.stdout.shorten()
		_ = x.stderr.shorten()
		return out
	}
	e := x.watch.run(ctx)
	out := x.judge(e, x.stdout.File, x.stderr.File)
	if !e.running { // a full disk keeps them long: there is nothing to be done about that here
		_ = x.stdout.shorten()
		_ = x.stderr.shorten()
	}
	return out
}

const (
	// settle is how long the others of the group may outlive the leader before they are asked to stop: a
	// tee behind a pipe is about to end by itself.
	settle = 200 * time.Millisecond
	// stuck is how long a killed process may take to go. Only one that waits inside the kernel, for a dead
	// file server say, takes longer than a moment, and that one may take for ever.
	stuck = 10 * time.Second
)

// cause is why a command came to its end.
type cause int

const (
	ended    cause = iota // by itself
	limited               // it reached its limit
	stopped               // the context ended
	answered              // it stays alive, and has answered
	unread                // it did not read its setting
	unasked               // it printed a result before it read its setting
)

// ending is how a command came to its end.
type ending struct {
	cause   cause
	why     error // of one that was stopped
	exit    study.Exit
	wall    time.Duration
	limit   time.Duration // the last that was granted; 0: none
	left    bool          // the leader ended by itself, and others had to be stopped
	killed  bool          // asking was not enough
	running bool          // killing was not enough either
	guessed bool          // the wall time is an estimate
}

// watch sees a running command to its end. All its times are differences of the monotonic clock, so a
// clock that is set meanwhile changes nothing.
type watch struct {
	clock
	j       *engine.Job
	cmd     *exec.Cmd
	files   files
	outputs []*output
	exited  <-chan struct{} // closed when the leader has exited
	reaped  bool
	limit   time.Duration

	// Of a command that stays alive.
	turn   *turn
	silent <-chan struct{}              // closed when all that it printed was heard
	each   func()                       // is called now and then
	starts func() (begun, isStray bool) // hands over its setting, and reports whether it did, or a result was there before
}

func (w *watch) run(ctx context.Context) ending {
	asking, over := context.WithCancel(ctx)
	more := &extension{ctx: asking, answers: make(chan time.Duration, 1)}
	defer more.await()
	defer over()

	var e ending
	e.cause = w.running(ctx, more)
	over() // too late: what is granted from here on is not used
	if e.cause == stopped {
		e.why = context.Cause(ctx)
	}
	if e.cause == answered {
		e.wall, e.limit, e.guessed = w.used(), w.limit, w.guessed
		return e
	}
	gone := e.cause == ended && w.gone(w.within(settle))
	if !gone {
		e.left = e.cause == ended
		// At the limit there is what was set aside for the grace, and never more than the limit.
		terminate(w.cmd)
		gone = w.gone(w.within(graceFor(w.j, w.limit)))
	}
	if !gone {
		e.killed = true
		kill(w.cmd)
		gone = w.gone(stuck)
	}
	e.running = !gone
	e.wall, e.limit, e.guessed = w.used(), w.limit, w.guessed
	e.exit.Code = -1
	if w.reaped && w.cmd.ProcessState != nil {
		e.exit = exitOf(w.cmd.ProcessState)
	}
	return e
}

// within cuts a wait short at the limit.
func (w *watch) within(d time.Duration) time.Duration {
	if w.limit <= 0 {
		return d
	}
	return max(0, min(d, w.limit-w.used()))
}

// running waits until the leader exits or the group has to be stopped, and asks for more time before.
func (w *watch) running(ctx context.Context, e *extension) cause {
	ask, term, ticks := newAlarm(), newAlarm(), time.NewTicker(tick)
	defer ask.Stop()
	defer term.Stop()
	defer ticks.Stop()
	asked := false // since the limit was set
	untilTerm := func() time.Duration { return w.limit - graceFor(w.j, w.limit) - w.used() }
	set := func() {
		asked = false
		if w.limit <= 0 {
			return
		}
		term.Reset(untilTerm())
		if w.j.Extend != nil {
			ask.Reset(untilTerm() - leadFor(w.limit))
		}
	}
	request := func() {
		asked = true
		// If the controller was stopped or kept waiting, it asks late. The time to answer is the same.
		term.Reset(max(untilTerm(), leadFor(w.limit)))
		e.ask(w.j.Extend, w.used())
	}
	isGranted := func(limit time.Duration) bool {
		e.pending = false
		if limit <= w.limit {
			return false
		}
		w.limit = limit
		set()
		return true
	}
	var answer <-chan struct{}
	if w.turn != nil {
		answer = w.turn.over
	}
	starting := time.NewTicker(startTick)
	defer starting.Stop()
	begun := w.begin
	if w.starts == nil {
		starting.Stop()
		set()
	}
	for {
		select {
		case <-answer:
			w.isAnswered()
			return answered
		case <-starting.C:
			switch asked, isStray := w.starts(); {
			case isStray:
				return unasked
			case asked:
				starting.Stop()
				w.noteBegin()
				set()
			case time.Since(begun) > longestStart:
				return unread
			default: // not yet
				w.begin = time.Now()
			}
		case <-w.exited:
			w.isOver()
			return w.ended()
		case <-ctx.Done():
			if w.isOver() {
				return w.ended()
			}
			return stopped
		case <-ticks.C:
			if w.isOver() {
				return w.ended()
			}
			w.seen = time.Now()
			if w.each != nil {
				w.each()
				w.noteBegin()
			}
			for _, o := range w.outputs {
				o.trim()
			}
		case <-term.C:
			if w.isOver() {
				return w.ended()
			}
			switch {
			case w.j.Extend != nil && !asked:
				request()
				continue
			case e.pending && !e.isDue: // there may be more: what is asked for is decided before the command is stopped
				e.decide()
				term.Reset(longestAnswer)
				continue
			}
			select {
			case granted := <-e.answers: // in time: both were there to be seen
				if isGranted(granted) {
					continue
				}
			default:
			}
			return limited
		case <-ask.C:
			if !asked {
				request()
			}
		case granted := <-e.answers:
			if !isGranted(granted) && e.isDue && !w.isOver() {
				return limited
			}
		}
	}
}

// isOver reports whether the leader has exited. It is asked before anything else is done about a command: a controller that was stopped,
// or kept waiting by a busy machine, finds all that has happened meanwhile at once, and in no order.
func (w *watch) isOver() bool {
	if w.isAnswered() {
		return true
	}
	select {
	case <-w.exited:
	default:
		if !w.wasBlind() || !w.exitsNow() {
			return false
		}
	}
	switch late := w.wasBlind(); {
	case late && w.turn != nil: // the files are written here, and not by the command
		w.end, w.guessed = w.seen, true
	case late:
		w.guessEnd(w.files)
	}
	return true
}

// ended is how a command that is over has ended: one that stays alive may have answered, and have exited then.
func (w *watch) ended() cause {
	if w.turn == nil {
		return ended
	}
	select { // what it has printed is on its way, unless others hold the pipe open
	case <-w.turn.over:
	case <-w.silent:
	case <-time.After(settle):
	}
	if w.isAnswered() {
		return answered
	}
	return ended
}

// isAnswered reports whether a command that stays alive has answered. A controller that was stopped has heard it late.
func (w *watch) isAnswered() bool {
	if w.turn == nil {
		return false
	}
	select {
	case <-w.turn.over:
	default:
		return false
	}
	if w.end = w.turn.at; w.end.Sub(w.seen) > blind {
		w.end, w.guessed = w.seen, true
	}
	return true
}

// With a command that stays alive, the job begins when the command reads its setting. What came before, such as the command's start, is not
// charged. Nobody tells when the setting is read, so that is checked often.
const (
	startTick    = 5 * time.Millisecond
	longestStart = 10 * time.Minute
)

// noteBegin notes on disk when the job began, for whoever has to charge it if this controller dies.
func (w *watch) noteBegin() { _ = os.Chtimes(w.files.path(startedFile), w.begin, w.begin) }

// exitsNow says whether the leader has exited, of which a controller that was stopped may hear a little late. Where the system does not
// say it, the news is waited for, for a moment.
func (w *watch) exitsNow() bool {
	if hasExited(w.cmd) {
		<-w.exited // the news is on its way
		return true
	}
	select {
	case <-w.exited:
		return true
	case <-time.After(tick / 5):
		return false
	}
}

// extension is a request for more time. The answer may take long, so it is waited for beside everything else.
type extension struct {
	ctx     context.Context
	answers chan time.Duration // the limit that is granted; 0: none
	pending bool
	due     chan struct{} // closed when it is to be decided
	isDue   bool
}

func (e *extension) ask(extend func(context.Context, time.Duration, <-chan struct{}) (time.Duration, bool), used time.Duration) {
	due := make(chan struct{})
	e.pending, e.due, e.isDue = true, due, false
	go func() {
		limit, ok := extend(e.ctx, used, due)
		if !ok {
			limit = 0
		}
		e.answers <- limit
	}()
}

// decide has the request decided now.
func (e *extension) decide() {
	e.isDue = true
	close(e.due)
}

// await lets no request outlive the command.
func (e *extension) await() {
	if e.pending {
		<-e.answers
	}
}

// newAlarm returns a timer that is not set.
func newAlarm() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// gone waits until no process of the group is left, and says whether that came to pass. It looks once more when the time is over: a
// controller that was kept waiting by a busy machine has seen nothing meanwhile.
func (w *watch) gone(within time.Duration) bool {
	late := time.NewTimer(within)
	defer late.Stop()
	if !w.reaped {
		select {
		case <-w.exited:
		default:
			select {
			case <-w.exited:
			case <-late.C:
				if alive(w.cmd) {
					return false
				}
				<-w.exited // the news is on its way
			}
		}
		// Until here the leader's number was taken, by itself or by what is left of it, so the signals
		// went to no one else. From here on it is taken as long as the group has members.
		_ = w.cmd.Wait()
		w.reaped = true
	}
	// Nobody tells when a group ends, so it is asked, first often and then less so.
	for pause := time.Millisecond; alive(w.cmd); pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-late.C:
			return !alive(w.cmd)
		case <-time.After(pause):
		}
	}
	return true
}

// The grace and the time to think about an extension are small against the limit, so that most of what was paid for is used. They are long
// enough for a program to save its work, and for a store to write a line.
const (
	longestGrace = 2 * time.Second
	longestLead  = 2 * time.Second
)

// longestAnswer is how long a command that has reached its limit may go on while it is decided whether it gets more time. A store answers at once, but on a busy
// machine that may take longer than a quick trial does. A command that gets no more time is not charged for the wait.
const longestAnswer = 5 * time.Second

// graceFor returns how long before the limit the group is asked to stop.
func graceFor(j *engine.Job, limit time.Duration) time.Duration {
	switch {
	case limit <= 0 && j.Grace <= 0:
		return longestGrace
	case limit <= 0:
		return j.Grace
	case j.Grace <= 0:
		return min(longestGrace, limit/10)
	}
	return min(j.Grace, limit/2) // a grace longer than the limit would stop the command before it began
}

// leadFor returns how long before that Extend is asked.
func leadFor(limit time.Duration) time.Duration { return min(longestLead, limit/4) }

// A command is charged for the time that it ran, and not for the time that its controller was stopped (SIGSTOP, Ctrl-Z) and saw
// nothing. If the command is still there when the controller goes on, it has run meanwhile. If it is not, its end is estimated: by
// the last thing that it wrote, or else by when it was last seen.
//
// While a machine sleeps, the monotonic clock stands still, and so nothing is charged. A command that is stopped itself is charged:
// it holds what was paid for, and its limit must reach it.
const tick = 250 * time.Millisecond

// blind is how long a controller must have seen nothing to have been stopped. A busy machine may keep it waiting for a while.
var blind = 8 * tick // tests change it

// clock measures how long a command runs.
type clock struct {
	begin   time.Time
	seen    time.Time // when the command was last seen
	guessed bool      // the end is estimated
	end     time.Time // when the command was gone; zero: it is not
}

// newClock is the clock of a command that was begun then, and has just been started. A busy machine may take a while for that. If it took
// longer, the controller was stopped as it started the command, and has seen nothing of it yet.
func newClock(begin time.Time) clock {
	c := clock{begin: begin, seen: begin}
	if !c.wasBlind() {
		c.seen = time.Now()
	}
	return c
}

// used is how long the command has run.
func (c *clock) used() time.Duration {
	if !c.end.IsZero() {
		return max(c.end.Sub(c.begin), 0)
	}
	return time.Since(c.begin)
}

// wasBlind says whether the controller has seen nothing for long.
func (c *clock) wasBlind() bool { return time.Since(c.seen) > blind }

// guessEnd estimates when a command was gone whose end nobody saw: when it last wrote something, or was last seen.
func (c *clock) guessEnd(f files) {
	last, now := c.seen, time.Now()
	for _, name := range []string{engine.ResultFile, engine.StdoutFile, engine.StderrFile} {
		info, err := os.Stat(f.path(name))
		if err != nil {
			continue
		}
		// The files have the time of day. It is the same clock again once it is counted from now.
		if at := now.Add(info.ModTime().Sub(now.Round(0))); at.After(last) {
			last = at
		}
	}
	c.end, c.guessed = last, true
}
