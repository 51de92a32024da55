package slurm

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Engine evaluates trials as jobs of Slurm. The zero value is ready to use.
type Engine struct {
	Every  time.Duration // how often Slurm is asked at most; 0: 30 s
	Setup  []string      // lines of the script before the command
	Save   time.Duration // how long before its limit a command gets SIGUSR1; 0: never
	Charge study.Cost    // what Slurm's accounting is asked for; the zero value: nothing, the command reports its cost
	Eke    []string      // how a job calls this program, before its folder; nil: the program that runs, with the verb job

	// Doubt is how long Slurm may take to know a job of a submission that it did not confirm, and how long a file that was written on a
	// node may take to be seen here; 0: a minute.
	Doubt time.Duration
	// Late is how long the accounts of an ended job are waited for before its cost is estimated; 0: a minute.
	Late time.Duration

	mu       sync.Mutex
	jobs     map[string]*job
	cluster  *cluster
	trying   sync.Mutex
	possible map[string]bool     // requests that Slurm has said it can run; guarded by trying
	queue    map[string][]queued // the latest answer of squeue, and when it was asked
	asked    time.Time
	asking   sync.Mutex
	tried    time.Time // when squeue was asked without a poll
	told     time.Time // when slurmctld had nothing to tell slurmdbd
	doubted  time.Time // and when it had
	pace     pace
	accounts accounts
}

var (
	_ engine.Engine = (*Engine)(nil)
	_ engine.Paced  = (*Engine)(nil)
)

// job is what this process knows of a job, beside what is on disk.
type job struct {
	mu    sync.Mutex // one at a time submits it, or changes its intent
	never int        // how often in a row Slurm has said that it will never run
	gone  time.Time  // since when nobody knows it
}

// New returns the engine that a study asks for.
func New(s *study.Study) *Engine {
	e := &Engine{}
	if s.Cost.Source == study.FromSlurm {
		e.Charge = s.Cost
	}
	if s.Engine != nil {
		e.Every, e.Setup, e.Save = time.Duration(s.Engine.Poll), s.Engine.Setup, time.Duration(s.Engine.Save)
	}
	return e
}

func (e *Engine) every() time.Duration { return cmp.Or(e.Every, 30*time.Second) }
func (e *Engine) doubt() time.Duration { return cmp.Or(e.Doubt, time.Minute) }
func (e *Engine) late() time.Duration  { return cmp.Or(e.Late, time.Minute) }

func (e *Engine) job(dir string) *job {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.jobs == nil {
		e.jobs = map[string]*job{}
	}
	if e.jobs[dir] == nil {
		e.jobs[dir] = &job{}
	}
	return e.jobs[dir]
}

// Detached says that jobs go on without their controller.
func (e *Engine) Detached() bool { return true }

// Probe finds what is wrong with a job before it is submitted: on this machine, and by what Slurm says of it.
func (e *Engine) Probe(ctx context.Context, j engine.Job) error {
	if err := local.Prepare(j, len(e.Setup) > 0); err != nil {
		return err
	}
	c, err := e.look(ctx)
	if err != nil {
		return err
	}
	if err := c.accountsFor(e.Charge); err != nil {
		return err
	}
	x := e.job(key(j))
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := setAside(key(j)); err != nil {
		return fault.Wrap(err, fault.CannotRun, "see to the folder, and run again", "%s cannot be cleared: %v", j.Dir, err)
	}
	return e.tryOut(ctx, j)
}

// setAside keeps what an earlier job has left in the folder from being taken for this one's.
func setAside(dir string) error {
	names := []string{endFile, ownerFile, outputFile, scriptFile}
	runs, _ := filepath.Glob(filepath.Join(dir, runPrefix+"*"))
	for _, r := range runs {
		names = append(names, filepath.Base(r))
	}
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	err := os.Rename(filepath.Join(dir, intentFile), filepath.Join(dir, intentFile+"~"))
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// Cancel has all jobs of a trial cancelled. That it is to be so is on record first.
func (e *Engine) Cancel(ctx context.Context, j engine.Job, why error) error {
	x := e.job(key(j))
	x.mu.Lock()
	defer x.mu.Unlock()
	in, err := readIntent(key(j))
	if err != nil || in == nil || in.ended() != nil {
		return err
	}
	if in.Cancelled == "" {
		in.Cancelled = "stopped"
		if why != nil {
			in.Cancelled += ": " + why.Error()
		}
		if err := in.write(); err != nil {
			return err
		}
	}
	return in.scancel(ctx)
}

// scancel cancels all jobs of that name. An unknown one is no error to Slurm.
func (in *intent) scancel(ctx context.Context) error {
	if _, err := call(ctx, nil, "scancel", "--name="+in.Name); err != nil {
		return down(err)
	}
	return nil
}
