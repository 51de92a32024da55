package local

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// A command of the protocol "lines" stays alive. Each slot has one. It reads a setting per line, and prints a result per line:
//
//	{"lr": 0.1, "n": 3}                   the setting, on stdin
//	{"step": 9, "objective": 0.31}        a value on its way, as any command prints it; any number of them
//	{"objective": 0.12, "cost": 3.4}      the result: the first JSON object with a value, and without a step
//	{"error": "it diverges"}              or why there is none; the command stays alive
//
// Whatever else it prints is passed over. A result that comes when none is due is nobody's. After it, and after a result that does not do,
// nobody can tell whose the next one is, so the command is replaced. For the same reason a setting is handed over in two pieces: once the first
// byte is read, all that the command had printed before is there to be heard, and is not the answer.
//
// A command may take an object without a value for its result, and wait for the next setting. So if nothing follows the object, its stdin is
// closed. A command that waits ends then. $EKE_DIR is a link to the folder of the job under way, and so is $EKE_CHECKPOINT to that of its
// checkpoint.
//
// A job that has to be stopped is stopped with its command, and the next job starts another. The same holds if the command dies. A command
// that was there before the job, and died before it read the line, says nothing of the setting: another one gets the line.

const (
	warmPrefix  = "command-" // of the folders of these commands, in the folder of their slot
	warmFile    = "command"  // in the folder of a job: the $EKE_DIR of the command that it was handed to
	warmGrace   = 2 * time.Second
	longestLine = 1 << 20 // of what a command prints; a longer line is no result
	pipeHolds   = 4096    // on every system; pipe(7)
)

// warm is a command that stays alive.
type warm struct {
	like   string // what it was started with; another command is another process
	folder string // its own
	cmd    *exec.Cmd
	exited <-chan struct{}
	stdin  *os.File
	unread *os.File      // the other end: what is in it when the command has died was never read
	stdout *os.File      // what it prints
	silent chan struct{} // closed when there is nothing more to be read
	stderr *os.File
	copied int64 // up to here, stderr is in the folder of a job

	mu    sync.Mutex
	want  wanted    // in the results of its jobs
	turn  *turn     // the job under way; nil: none
	stray []byte    // a result that it has printed when none was due: whose the next one is nobody can tell
	hung  time.Time // when its stdin was closed, because it may be waiting; zero: it is open
}

// turn is a job that is handed to a command.
type turn struct {
	stdout *os.File
	rest   []byte        // of its setting, after the first byte
	calm   bool          // the first byte was read, and all that was printed before is heard by the next look
	asked  bool          // the command has its setting, so that it may answer
	over   chan struct{} // closed when there is an answer
	answer []byte
	at     time.Time // when it came

	passed   []byte // the last object that was passed over
	passedAt time.Time
	heardAt  time.Time // when it printed something last
}

// startTurn hands a job to the command that waits in its slot. If there is none, one is started.
func (e *Engine) startTurn(p *prepared) (*process, error) {
	if p.j.Slot == nil {
		return nil, wrong(nil, "leave protocol out", "a command that stays alive needs a slot")
	}
	stdout, stderr, err := p.open()
	if err != nil {
		return nil, err
	}
	x := &process{prepared: p, engine: e, stdout: &output{File: stdout}, stderr: &output{File: stderr}}
	like := strings.Join(slices.Concat(p.j.Argv, []string{p.workDir}, p.env), "\x00")
	w := e.takeIdle(p.j.Slot.Dir)
	if w != nil && (w.like != like || !w.isIdle()) {
		w.end()
		w = nil
	}
	if err := x.begin(w, like); err != nil {
		stdout.Close()
		stderr.Close()
		return nil, err
	}
	return x, nil
}

// begin hands the job over, to a new command if there is none.
func (x *process) begin(w *warm, like string) error {
	line, err := json.Marshal(x.j.Setting)
	if err != nil {
		return wrong(err, "give parameters finite values", "the setting cannot be written as JSON: %v", err)
	}
	t := &turn{stdout: x.stdout.File, rest: append(line[1:], '\n'), over: make(chan struct{})}
	if x.fresh = w == nil; x.fresh {
		if w, err = x.newWarm(like); err != nil {
			return err
		}
	}
	give := func(err error, path string) error { // nothing has begun
		w.end()
		return fileError(err, path)
	}
	link := filepath.Join(w.folder, trialLink)
	if err := x.files.write(warmFile, []byte(link+"\n")); err != nil {
		return give(err, x.files.path(warmFile))
	}
	if err := point(link, x.files.dir); err != nil {
		return give(err, link)
	}
	if x.j.Checkpoint != "" {
		if err := point(filepath.Join(w.folder, checkpointLink), x.j.Checkpoint); err != nil {
			return give(err, w.folder)
		}
	}
	if err := x.files.note(startedFile); err != nil {
		return give(err, x.files.path(startedFile))
	}
	w.mu.Lock()
	w.turn, w.want = t, want(x.j)
	w.mu.Unlock()
	begin := time.Now()
	if x.fresh {
		if err := w.start(); err != nil {
			w.close()
			return x.startError(err)
		}
	}
	_, _ = w.stdin.Write(line[:1])
	limit := x.j.Limit
	if x.watch.limit > limit { // it was handed over before, and got more time
		limit = x.watch.limit
	}
	x.warm = w
	x.watch = watch{j: &x.j, cmd: w.cmd, clock: newClock(begin), exited: w.exited, limit: limit, files: x.files, outputs: []*output{x.stdout, x.stderr},
		turn: t, silent: w.silent, each: func() { w.copyStderr(x.stderr); w.hangUp() }, starts: w.ask}
	return nil
}

const (
	trialLink      = "trial"
	checkpointLink = "checkpoint"
)

// point makes a link lead to a folder, wherever it led before.
func point(link, folder string) error {
	if err := os.RemoveAll(link + "~"); err != nil {
		return err
	}
	if err := os.Symlink(folder, link+"~"); err != nil {
		return err
	}
	return os.Rename(link+"~", link)
}

// newWarm prepares a command, which is not started yet.
func (p *prepared) newWarm(like string) (*warm, error) {
	folder, err := os.MkdirTemp(p.j.Slot.Dir, warmPrefix)
	if err != nil {
		return nil, fileError(err, p.j.Slot.Dir)
	}
	w := &warm{like: like, folder: folder, silent: make(chan struct{})}
	w.stderr, err = files{folder}.create(engine.StderrFile)
	if err == nil {
		w.unread, w.stdin, err = os.Pipe()
	}
	var stdout *os.File
	if err == nil {
		w.stdout, stdout, err = os.Pipe()
	}
	if err != nil {
		w.close()
		return nil, fileError(err, folder)
	}
	env := append(slices.Clone(p.env), "EKE_DIR="+filepath.Join(folder, trialLink))
	if p.j.Checkpoint != "" {
		env = append(env, "EKE_CHECKPOINT="+filepath.Join(folder, checkpointLink))
	}
	w.cmd = &exec.Cmd{Path: p.path, Args: p.j.Argv, Dir: p.workDir, Env: env, Stdin: w.unread, Stdout: stdout, Stderr: w.stderr, SysProcAttr: groupAttributes()}
	occupy(w.cmd, p.j.Slot)
	return w, nil
}

func (w *warm) start() (err error) {
	theirs := w.cmd.Stdout.(*os.File)
	w.exited, err = start(w.cmd)
	theirs.Close()
	if err != nil {
		w.exited = nil
		return err
	}
	go w.read()
	return nil
}

// read hears what the command prints until there is no more.
func (w *warm) read() {
	defer close(w.silent)
	in, rest := bufio.NewReaderSize(w.stdout, longestLine), false
	for {
		line, err := in.ReadSlice('\n')
		isPart := errors.Is(err, bufio.ErrBufferFull)
		w.hear(line, !isPart && !rest)
		rest = isPart
		if err != nil && !isPart {
			return
		}
	}
}

// hear takes a line, or a part of a line that is too long.
func (w *warm) hear(line []byte, whole bool) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	var said fields
	if whole {
		said, _ = jsonLine(line)
	}
	t := w.turn
	_, isStep := said["step"]
	_, _, isResult := w.want.find(said)
	_, isError := said["error"]
	isResult = isResult || isError
	if isResult && (t == nil || !t.asked) {
		w.stray = bytes.Clone(line)
		return
	}
	if t == nil {
		return
	}
	t.heardAt = now
	_, _ = t.stdout.Write(line) // on a full disk the result is heard all the same
	switch {
	case said == nil || isStep || !t.asked:
	case isResult:
		t.answer, t.at, w.turn = bytes.Clone(line), now, nil
		close(t.over)
	default:
		t.passed, t.passedAt = bytes.Clone(line), now
	}
}

// ask hands over the rest of the setting once the first byte is read and what was printed before is heard. It reports whether it did.
func (w *warm) ask() (asked, isStray bool) {
	hasRead := !readable(w.unread) && !w.isPrinting()
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.turn
	if t == nil || w.stray != nil {
		return false, w.stray != nil
	}
	if !hasRead || !t.calm {
		t.calm = hasRead
		return false, false
	}
	t.asked = true
	// A line that is longer than a pipe holds is written while the command reads. If it never does, closing the pipe ends this.
	if len(t.rest) <= pipeHolds {
		_, _ = w.stdin.Write(t.rest)
	} else {
		go func() { _, _ = w.stdin.Write(t.rest) }()
	}
	return true, false
}

// isPrinting reports whether there is something that the command has printed and nobody has read.
func (w *warm) isPrinting() (is bool) {
	if raw, err := w.stdout.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { is = isReadable(fd) })
	}
	return is
}

// quiet is how long a command may print nothing after an object without a value until it is told that there are no more settings.
var quiet = 10 * time.Second // tests change it

// hangUp closes stdin if the command may take what it has printed for its result, and wait.
func (w *warm) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.turn; t != nil && t.passed != nil && w.hung.IsZero() && time.Since(t.heardAt) >= quiet {
		w.hung = time.Now()
		w.stdin.Close()
	}
}

// isIdle reports whether the command lives and waits for a job.
func (w *warm) isIdle() bool {
	select {
	case <-w.exited:
		return false
	default:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stray == nil && w.hung.IsZero() && w.turn == nil && !readable(w.unread)
}

// copyStderr adds what is new on stderr to a job's. What is copied is given back to the disk now and then.
func (w *warm) copyStderr(to *output) {
	info, err := w.stderr.Stat()
	if err != nil || info.Size() <= w.copied {
		return
	}
	n, err := io.Copy(to, io.NewSectionReader(w.stderr, w.copied, info.Size()-w.copied))
	if w.copied += n; err == nil && w.copied > 1<<20 && w.stderr.Truncate(0) == nil {
		w.copied = 0
	}
}

// end has a command end that waits for a job: there are no more lines.
func (w *warm) end() {
	if w.exited != nil {
		w.stdin.Close()
		w.unread.Close()
		last := watch{cmd: w.cmd, exited: w.exited}
		gone := last.gone(warmGrace)
		if !gone {
			terminate(w.cmd)
			gone = last.gone(longestGrace)
		}
		if !gone {
			kill(w.cmd)
			last.gone(stuck)
		}
	}
	w.close()
}

// close forgets a command that is gone.
func (w *warm) close() {
	for _, file := range []*os.File{w.stdin, w.unread, w.stdout, w.stderr} {
		if file != nil {
			file.Close()
		}
	}
	if w.exited != nil { // otherwise nobody reads
		<-w.silent
	} else if w.cmd != nil {
		w.cmd.Stdout.(*os.File).Close()
	}
	_ = os.RemoveAll(w.folder)
}

// takeIdle takes the command that waits in a slot; nil if there is none.
func (e *Engine) takeIdle(slot string) *warm {
	e.mu.Lock()
	defer e.mu.Unlock()
	w := e.idle[slot]
	delete(e.idle, slot)
	return w
}

// keep has a command wait for the next job of its slot.
func (e *Engine) keep(slot string, w *warm) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.idle == nil {
		e.idle = map[string]*warm{}
	}
	e.idle[slot] = w
}

// waitTurn waits until the job has its answer, or its command is gone.
func (x *process) waitTurn(run func() ending) study.Finished {
	e := run()
	for !x.fresh && x.isUnread(e) {
		like := x.warm.like
		x.warm.close()
		if err := x.begin(nil, like); err != nil {
			return study.Finished{State: study.Abandoned, Stopped: true, Cost: new(float64), Note: err.Error()}
		}
		e = run()
	}
	w := x.warm
	w.copyStderr(x.stderr)
	if e.cause == answered {
		out, proper := x.judgeAnswer(e, x.watch.turn.answer)
		if proper && w.isIdle() {
			x.engine.keep(x.j.Slot.Dir, w)
		} else {
			w.end()
		}
		return out
	}
	select { // its last words are on their way, unless others hold the pipe open
	case <-w.silent:
	case <-time.After(settle):
	}
	w.mu.Lock()
	w.turn = nil
	stray, t, hung := w.stray, *x.watch.turn, w.hung
	w.mu.Unlock()
	defer w.close()
	if e.cause == ended && e.exit.Signal == "" && !hung.IsZero() && x.watch.begin.Add(e.wall).Sub(hung) < warmGrace { // it had waited for a setting
		e.wall = max(t.passedAt.Sub(x.watch.begin), 0)
		out, _ := x.judgeAnswer(e, t.passed)
		return out
	}
	out := x.judge(e, x.stdout.File, x.stderr.File)
	switch {
	case e.cause == unread:
		out.State = study.Failed
	case stray != nil && !t.asked && e.cause != stopped:
		out.State, out.Machine = study.Failed, false
		out.Note = "it printed " + shorten(string(bytes.TrimSpace(stray))) + " before it read its setting, so nobody can tell whose result that is; print a result only after a setting was read"
	case t.passed != nil && (e.cause == limited || e.cause == ended && !hung.IsZero() && !out.Machine && out.State == study.Failed):
		why, _ := x.judgeAnswer(e, t.passed)
		out.Note += "; " + why.Note
	}
	return out
}

// isUnread reports whether a command has ended, or has to, without having read its setting.
func (x *process) isUnread(e ending) bool {
	switch e.cause {
	case unread, unasked:
		return true
	case ended:
		x.warm.mu.Lock()
		defer x.warm.mu.Unlock()
		return !x.watch.turn.asked || readable(x.warm.unread)
	}
	return false
}

// judgeAnswer says what came of a job whose command has answered, and whether that was as it should be, so that the command may go on.
func (p *prepared) judgeAnswer(e ending, line []byte) (out study.Finished, proper bool) {
	said, _ := jsonLine(line)
	want := want(p.j)
	r := want.read(said, "the line that it printed")
	out = study.Finished{State: study.Failed, Wall: e.wall.Seconds(), Cost: r.known(), Setup: r.setup, Lost: r.lost}
	if p.j.WallTime {
		out.Cost, out.Estimated = e.cost(), e.guessed
	}
	why, failed := said["error"]
	if _, trouble := number(why); trouble == "" && r.problem == "" {
		failed = false // an error of 0.2 is a number like others, and may be the objective
	}
	switch {
	case failed:
		out.Note = strings.TrimSpace(plain(why[:min(len(why), shownTail)]))
		if out.Note == "" {
			out.Note = "the command reported an error, and did not say which"
		}
	case r.problem != "":
		out.Note, out.Metrics = r.problem, want.data(r)
	default:
		out.State, out.Value, out.Metrics = study.Done, r.value, r.metrics
		out.Note = e.doneNote()
	}
	_, text, _ := want.find(said)
	_, err := strconv.ParseFloat(strings.TrimSpace(text), 64) // NaN is what comes of a setting that diverges
	return out, failed || err == nil && (r.hasCost || !want.cost)
}

// warmEnviron is the environment of a command that stays alive, without what differs from job to job.
func warmEnviron(j *engine.Job, inherited []string) []string {
	own := []string{"EKE_STUDY=" + j.Study, "EKE_SLOT=" + strconv.Itoa(j.Slot.Number), slotVariable + "=" + j.Slot.Dir}
	env := slices.DeleteFunc(slices.Clone(inherited), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, paramPrefix) || slices.Contains([]string{"EKE_TRIAL", "EKE_PARAMS", "EKE_RESULT", "EKE_DIR", "EKE_STUDY", "EKE_SLOT", slotVariable}, name)
	})
	return append(env, own...)
}
