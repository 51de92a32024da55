package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// end is how a trial ended, as the end file has it, with the time in nanoseconds. Programs of other versions read and write it as well.
type end struct {
	study.Finished
	Cost    float64       `json:"cost,omitempty"`
	HasCost bool          `json:"has_cost,omitempty"`
	Wall    time.Duration `json:"wall,omitempty"`
	Job     string        `json:"job,omitempty"`
}

func (e *end) outcome() study.Finished {
	o := e.Finished
	if o.Wall = e.Wall.Seconds(); e.HasCost {
		o.Cost = &e.Cost
	}
	return o
}

// ended returns the end of a trial; nil if there is none yet.
func (in *intent) ended() *end {
	raw, err := os.ReadFile(in.path(endFile))
	e := &end{}
	if err != nil || json.Unmarshal(raw, e) != nil || !e.State.Ended() {
		return nil
	}
	return e
}

// owner is the number of the job that runs the trial; empty if none does yet.
func (in *intent) owner() string {
	raw, _ := os.ReadFile(in.path(ownerFile))
	return strings.TrimSpace(string(raw))
}

// errNotDone says that a job ends without an end file: its state in Slurm says how.
var errNotDone error = fault.New(fault.Interrupted, "", "the job was stopped")

// Work is what a job does: it runs the command of the trial in that folder as the local engine does, and writes how it ended. If the job is
// stopped from outside it writes nothing, unless there is a result: it may be put back into the queue, and start again.
func Work(ctx context.Context, dir string) error {
	in, err := readIntent(abs(dir))
	switch {
	case err != nil:
		return err
	case in == nil:
		return fault.New(fault.NotFound, "this verb is for the jobs of eke run", "%s is not the folder of a job", dir)
	}
	id := os.Getenv("SLURM_JOB_ID")
	switch {
	case in.ended() != nil:
		fmt.Println("eke: the trial has ended already")
		return nil
	case !in.own(id):
		fmt.Println("eke: another job runs this trial: " + in.owner())
		return nil
	}
	used := in.ran()
	if done := local.Found(in.job()).Outcome; done.State == study.Done && len(in.runs()) > 0 {
		done.Note = "its job was stopped after it had left a result"
		return in.finish(done, used, id)
	}
	if in.Limit > 0 && used >= in.Limit-time.Second {
		return in.finish(study.Finished{State: study.Cut, Cost: in.time(used), Note: "its time was used up when its job was started again"}, used, id)
	}
	restarts := len(in.runs())
	alive := in.path(fmt.Sprintf("%s%s-%s", runPrefix, id, strconv.Itoa(restarts)))
	write := func(began time.Time) error {
		return os.WriteFile(alive, []byte(began.Format(time.RFC3339Nano)+"\n"+given(os.Getenv)), 0o600)
	}
	began := time.Now()
	if err := write(began); err != nil {
		return err
	}
	note := func(away time.Duration) { // as if it had begun so much later, if it was suspended
		if away > 0 {
			_ = write(began.Add(away))
		}
		touch(alive)
	}
	return in.work(ctx, note, used, restarts, id)
}

// given is what Slurm has given to this job, as its accounts would say. Should they lose the job, this is what is left.
func given(env func(string) string) string {
	cpus, nodes := 0, 0
	for _, part := range cpusPerNode.FindAllStringSubmatch(env("SLURM_JOB_CPUS_PER_NODE"), -1) { // 16(x2),8
		each, _ := strconv.Atoi(part[1])
		times, err := strconv.Atoi(part[2])
		if err != nil {
			times = 1
		}
		cpus, nodes = cpus+each*times, nodes+times
	}
	if cpus == 0 {
		return ""
	}
	gpus, _ := strconv.Atoi(env("SLURM_GPUS_ON_NODE")) // of this node: others have as many
	return fmt.Sprintf("cpu=%d,node=%d,gres/gpu=%d", cpus, nodes, gpus*nodes)
}

var cpusPerNode = regexp.MustCompile(`(\d+)(?:\(x(\d+)\))?`)

// own makes this job the one that runs the trial, unless another is.
func (in *intent) own(id string) bool {
	file, err := os.OpenFile(in.path(ownerFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = file.WriteString(id)
		return errors.Join(err, file.Sync(), file.Close()) == nil
	}
	return in.owner() == id
}

// beat is how often a job says that it is alive; more often at first.
const beat = 5 * time.Second

// suspensions adds up how long a job was suspended. Slurm stops all of its processes then, while the clock goes on. Slurm charges nothing for
// that time, and does not count it at its own limit.
type suspensions struct {
	mu   sync.Mutex
	seen time.Time // when the job was last seen to run
	sum  time.Duration
}

// suspended is how long a job must have seen nothing to have been suspended. A busy machine may keep it waiting for a while.
var suspended = 3 * beat // tests change it

// look sees that the job runs, and returns how long it was suspended until now.
func (s *suspensions) look() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if gap := now.Sub(s.seen); gap > suspended {
		s.sum += gap
	}
	s.seen = now
	return s.sum
}

// watch looks until ctx ends. It does nothing else, so that a file system that hangs is not taken for a suspension.
func (s *suspensions) watch(ctx context.Context) {
	ticks := time.NewTicker(suspended / 5)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			s.look()
		case <-ctx.Done():
			return
		}
	}
}

// extend makes a limit longer by the time that the job was suspended. It is asked for before the command is stopped.
func (s *suspensions) extend(limit time.Duration) func(context.Context, time.Duration, <-chan struct{}) (time.Duration, bool) {
	return func(ctx context.Context, _ time.Duration, due <-chan struct{}) (time.Duration, bool) {
		select { // until then it may be suspended
		case <-due:
		case <-ctx.Done():
		}
		sum := s.look()
		return limit + sum, sum > 0
	}
}

// work runs the command, and says now and then that it is alive, and how long it was suspended.
func (in *intent) work(ctx context.Context, alive func(away time.Duration), used time.Duration, restarts int, id string) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, saveSignal)
	defer signal.Stop(signals)
	changed := make(chan struct{}, 1)
	j, e := in.job(), &local.Engine{}
	j.Changed = func() { changed <- struct{}{} }
	j.Vars = append(j.Vars[:len(j.Vars):len(j.Vars)], "EKE_RESTARTS="+strconv.Itoa(restarts))
	away := &suspensions{seen: time.Now()}
	watching, over := context.WithCancel(context.WithoutCancel(ctx))
	defer over()
	go away.watch(watching)
	if in.Limit > 0 {
		j.Limit -= used
		j.Extend = away.extend(j.Limit)
	}
	if in.Save > 0 {
		j.Vars = append(j.Vars, "EKE_SAVE=1")
	}
	save, began := time.NewTimer(max(j.Limit-in.Save, 0)), time.Now()
	defer save.Stop()
	if in.Save == 0 || in.Limit == 0 {
		save.Stop()
	}
	if err := e.Submit(ctx, j); err != nil {
		return in.finish(study.Finished{State: study.Failed, Cost: in.time(0), Note: err.Error() + "; " + fault.HintOf(err)}, 0, id)
	}
	pause := time.Second
	tick := time.NewTimer(pause)
	defer tick.Stop()
	for stopped, saved := false, false; ; {
		select {
		case s := <-signals:
			if s != saveSignal {
				stopped = true
				_ = e.Cancel(ctx, j, fmt.Errorf("%v from Slurm", s))
			} else if in.Save > 0 && !saved {
				saved = true
				e.Save(j)
			}
		case <-save.C:
			if early := j.Limit + away.look() - in.Save - time.Since(began); early > 0 { // it was suspended
				save.Reset(early)
			} else if !saved {
				saved = true
				e.Save(j)
			}
		case <-tick.C:
			alive(away.look())
			pause = min(2*pause, beat)
			tick.Reset(pause)
		case <-changed:
			alive(away.look())
			return in.conclude(ctx, e, j, used, away.look(), time.Since(began), func() bool { return stopped || isStopped(signals) }, id)
		}
	}
}

// isStopped waits a moment for a signal to stop. Slurm sends it to all processes of a job at once, so the command may have died of it before
// this one has heard of it.
func isStopped(signals <-chan os.Signal) bool {
	for late := time.After(time.Second); ; {
		select {
		case s := <-signals:
			if s != saveSignal {
				return true
			}
		case <-late:
			return false
		}
	}
}

func touch(file string) {
	now := time.Now()
	_ = os.Chtimes(file, now, now)
}

// conclude writes the end of a command. The time that the job was suspended does not count; a part of it may be left out of the command's time already.
func (in *intent) conclude(ctx context.Context, e *local.Engine, j engine.Job, used, away, elapsed time.Duration, stopped func() bool, id string) error {
	list, err := e.Poll(ctx, []engine.Job{j})
	if err != nil {
		return err
	}
	o := list[0].Outcome
	if o.State != study.Done && stopped() {
		return errNotDone
	}
	wall := time.Duration(math.Round(o.Wall * 1e9))
	away = max(away-max(elapsed-wall, 0), 0)
	if in.WallTime && o.Cost != nil {
		o.Cost = new(max(*o.Cost-away.Seconds(), 0) + used.Seconds())
	}
	return in.finish(o, max(wall-away, 0)+used, id)
}

// time is the cost of so much time; nil where the cost is not wall time.
func (in *intent) time(used time.Duration) *float64 {
	if !in.WallTime {
		return nil
	}
	return new(used.Seconds())
}

// finish writes the end. If the trial did not succeed, the job does not either, for whoever looks at Slurm's list.
func (in *intent) finish(o study.Finished, wall time.Duration, job string) error {
	e := end{Finished: o, Wall: wall, Job: job}
	if e.HasCost = o.Cost != nil; e.HasCost {
		e.Cost = *o.Cost
	}
	raw, err := json.Marshal(e)
	if err == nil {
		err = engine.WriteFile(in.path(endFile), raw)
	}
	if err == nil && e.State != study.Done {
		err = fault.New(fault.CannotRun, "", "the trial is %s: %s", e.State, e.Note)
	}
	return err
}
