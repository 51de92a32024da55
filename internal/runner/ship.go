package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// Keeper is a source that keeps what trials print and leave behind, so that people elsewhere can see it. Nothing depends on that: what it
// does not take is left out.
type Keeper interface {
	// Keep adds a part to a file of a trial. It returns where the file ends then.
	Keep(ctx context.Context, t Task, name string, p Part) (size int64, err error)
}

// Part is a part of a file.
type Part struct {
	Offset int64 // where it begins
	Data   []byte
	Skip   bool // what is missing before it was too much to be sent
}

// environmentFile is a file that a keeper gets, beside what a trial prints and leaves behind: it says where the trial ran.
const environmentFile = "environment"

const (
	shipEvery    = 2 * time.Second
	shipPatience = 15 * time.Second // for what is left when a trial has ended
	shipPart     = 128 << 10
	shipBehind   = 1 << 20 // of what is printed faster than that between two times, only the end is sent
	maxArtifact  = 16 << 20
	maxArtifacts = 50
)

// shipment is what a keeper has of a trial.
type shipment struct {
	keeper Keeper
	task   Task
	files  fs.FS
	sent   map[string]int64 // by name
	refuse map[string]bool  // files that the keeper does not want
}

// ship sends what a trial prints to the source, if that keeps it, until the returned function is called, which sends the rest.
func (r *run) ship(run context.Context, t *task) (finish func()) {
	keeper, ok := r.Source.(Keeper)
	if !ok {
		return func() {}
	}
	s := &shipment{keeper: keeper, task: t.Task, files: r.Engine.Files(t.job), sent: map[string]int64{}, refuse: map[string]bool{}}
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		if len(t.job.Argv) > 0 { // and not found again: it ran elsewhere then, perhaps
			s.whole(ctx, environmentFile, t.job.Environment())
		}
		for ctx.Err() == nil {
			s.outputs(ctx)
			wait(ctx, nil, shipEvery)
		}
	}()
	return func() {
		stop()
		<-over
		patience := shipPatience
		if run.Err() != nil { // whoever stops a run does not want to wait
			patience /= 10
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		s.outputs(ctx)
		s.artifacts(ctx)
	}
}

func (s *shipment) outputs(ctx context.Context) {
	for _, name := range []string{engine.StdoutFile, engine.StderrFile} {
		if file, err := s.files.Open(name); err == nil {
			s.follow(ctx, name, file)
			file.Close()
		}
	}
}

// follow sends what is new in a file that grows.
func (s *shipment) follow(ctx context.Context, name string, file fs.File) {
	grows, ok := file.(io.ReaderAt)
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || !ok {
		return
	}
	p := Part{Offset: s.sent[name]}
	if behind := info.Size() - p.Offset; behind > shipBehind && p.Offset >= shipBehind {
		p.Offset, p.Skip = info.Size()-shipBehind/2, true
	}
	for p.Offset < info.Size() && !s.refuse[name] && ctx.Err() == nil {
		p.Data = make([]byte, min(shipPart, info.Size()-p.Offset))
		n, err := grows.ReadAt(p.Data, p.Offset)
		if p.Data = p.Data[:n]; n == 0 || err != nil && !errors.Is(err, io.EOF) {
			return
		}
		if !s.send(ctx, name, &p) {
			return
		}
	}
}

// whole sends a file that is complete.
func (s *shipment) whole(ctx context.Context, name string, data []byte) {
	for p := (Part{}); p.Offset < int64(len(data)) && ctx.Err() == nil; {
		p.Data = data[p.Offset:min(p.Offset+shipPart, int64(len(data)))]
		if !s.send(ctx, name, &p) {
			return
		}
	}
}

// send sends a part, and moves on to the next. It reports whether that is of use. What the keeper refuses once is not sent again; an
// older server has no place for files at all.
func (s *shipment) send(ctx context.Context, name string, p *Part) bool {
	size, err := s.keeper.Keep(ctx, s.task, name, *p)
	if err != nil {
		s.refuse[name] = !passes(err)
		return false
	}
	forward := size > p.Offset
	s.sent[name], p.Offset, p.Skip = size, size, false
	return forward
}

// artifacts sends the files that the command has put into its folder for them: plain files only, and nothing outside.
func (s *shipment) artifacts(ctx context.Context) {
	entries, err := fs.ReadDir(s.files, engine.ArtifactsDir)
	if err != nil {
		return
	}
	count := 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxArtifact || count == maxArtifacts || slices.Contains([]string{engine.StdoutFile, engine.StderrFile, environmentFile}, e.Name()) {
			continue
		}
		if data, err := fs.ReadFile(s.files, path.Join(engine.ArtifactsDir, e.Name())); err == nil {
			s.whole(ctx, e.Name(), data)
			count++
		}
	}
}

// stepsEvery is how often it is looked whether a trial has printed another value.
const stepsEvery = 100 * time.Millisecond

// stepsPatience is how long the source may take for the last values of a trial that has ended. Its outcome matters more.
const stepsPatience = 5 * time.Second

// follower tells the source which values a trial prints on its way.
type follower struct {
	*run
	task   Task
	trial  study.Trial // with the steps that the source knows
	job    engine.Job
	began  time.Time
	stop   chan<- error // gets the source's order to stop the trial
	reader engine.Steps
	unsent []study.Step // the source could not be told yet
	refuse bool         // the source does not want any
}

func (r *run) newFollower(t *task) *follower {
	r.mu.Lock() // the heartbeat writes to it
	defer r.mu.Unlock()
	return &follower{run: r, task: t.Task, trial: t.Trial, job: t.job, began: t.entry.Began, stop: t.stop}
}

// follow tells the source what is new, at once, until the returned function is called. Without a fidelity nothing is followed.
func (f *follower) follow(ctx context.Context) (stop func()) {
	if f.job.Fidelity <= 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	over := make(chan struct{})
	go func() {
		defer close(over)
		for ctx.Err() == nil {
			f.pass(ctx, f.reader.Read(f.Engine.Files(f.job), f.job.Objective), false)
			wait(ctx, nil, stepsEvery)
		}
	}()
	return func() {
		cancel()
		<-over
	}
}

// finish tells the source the last steps of a trial that has ended. If it is done, its result is the last of them: then everybody
// knows that it was not stopped on its way.
func (f *follower) finish(ctx context.Context, o study.Finished) {
	if f.job.Fidelity <= 0 {
		return
	}
	steps := f.reader.Read(f.Engine.Files(f.job), f.job.Objective)
	if o.State == study.Done && len(f.trial.Steps)+len(f.unsent)+len(steps) > 0 {
		last := study.Step{Step: f.job.Fidelity, Value: o.Value}
		if o.Cost != nil {
			last.Cost = *o.Cost
		}
		steps = append(steps, last)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepsPatience)
	defer cancel()
	f.pass(ctx, steps, true)
}

// pass tells the source of steps. What it cannot be told now is told with the next; only what it would keep is sent.
func (f *follower) pass(ctx context.Context, steps []study.Step, ended bool) {
	s := f.shown.Load()
	for i := range steps {
		steps[i].Cost = f.costOf(s, steps[i], ended)
	}
	kept, err := s.Thin(f.trial, append(f.unsent, steps...))
	if f.unsent = kept; err != nil || len(kept) == 0 || f.refuse {
		f.unsent = nil
		return
	}
	order, err := f.Source.Steps(ctx, f.task, kept, ended)
	switch {
	case err != nil && (passes(err) || ctx.Err() != nil):
		return
	case err != nil:
		f.tell(Trouble, &f.trial, fmt.Sprintf("the values of trial %d on its way are not taken: %v", f.task.Number, err))
		f.refuse = true
		return
	}
	f.trial.Steps, f.unsent = append(f.trial.Steps, kept...), nil
	if order.Why != nil && f.stop != nil && !f.isNearlyDone(f.job, order) {
		select { // an order that waits already does as well
		case f.stop <- order.Why:
		default:
		}
	}
}

// isNearlyDone says whether a trial that is to be stopped early goes on all the same: while that was decided, it has done more than two thirds of what was
// left. To stop it now would save little, and what it has cost would be lost.
func (r *run) isNearlyDone(j engine.Job, o Order) bool {
	if !errors.Is(o.Why, ErrEarly) || o.At <= 0 {
		return false
	}
	newest := o.At
	for _, step := range new(engine.Steps).Read(r.Engine.Files(j), j.Objective) {
		if step.Step <= j.Fidelity {
			newest = math.Max(newest, step.Step)
		}
	}
	return j.Fidelity-newest < (j.Fidelity-o.At)/3
}

// costOf is what a trial had cost at a step: what it says or, where the cost is wall time on this machine, the time since it began.
func (f *follower) costOf(s *study.Study, step study.Step, ended bool) float64 {
	switch {
	case s.Cost.Source == study.Reported || ended && step.Step == f.job.Fidelity:
		return step.Cost
	case s.Cost.Source == study.Walltime && !f.Engine.Detached() && !ended:
		return time.Since(f.beginning()).Seconds()
	}
	return 0
}

// beginning is when the trial began. The start of a command that stays alive is not its trial's.
func (f *follower) beginning() time.Time {
	if f.job.Lines {
		if info, err := fs.Stat(f.Engine.Files(f.job), engine.StartedFile); err == nil {
			return info.ModTime()
		}
	}
	return f.began
}
