package slurm

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eke-bo/eke/internal/cluster"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Engine evaluates trials as jobs of Slurm. The zero value is ready to use.
type Engine struct {
	engine.Folders // which all nodes share

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
	cluster  *facts
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
	if s.Cost.Accounted() {
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

// Cancel has all jobs of a trial cancelled. It puts that on record first.
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

// facts are what Slurm says of itself.
type facts struct {
	version    string
	accounting bool     // there is a database of accounts
	tres       []string // what is accounted for
	partitions map[string]time.Duration
	usual      string // the default partition
}

// look asks Slurm what it is like, once.
func (e *Engine) look(ctx context.Context) (*facts, error) {
	e.mu.Lock()
	known := e.cluster
	e.mu.Unlock()
	if known != nil {
		return known, nil
	}
	config, err := call(ctx, nil, "scontrol", "show", "config")
	if err != nil {
		return nil, down(err)
	}
	parts, err := call(ctx, nil, "scontrol", "--all", "show", "partition", "-o")
	if err != nil {
		return nil, down(err)
	}
	c := readCluster(config, parts)
	if c.accounting {
		fields, err := call(ctx, nil, "sacct", "-e")
		if err != nil && !isDown(err) {
			return nil, down(err)
		}
		for _, f := range []string{"AllocTRES", "ElapsedRaw", "JobIDRaw"} { // an unknown field would fail every query
			if err == nil && !strings.Contains(fields, f) {
				return nil, fault.New(fault.CannotRun, "use Slurm 20.11 or later", "sacct has no field %s (Slurm %s)", f, c.version)
			}
		}
	}
	e.mu.Lock()
	e.cluster = c
	e.mu.Unlock()
	return c, nil
}

// readCluster reads what scontrol shows. What it does not understand it leaves out.
func readCluster(config, parts string) *facts {
	c := &facts{partitions: map[string]time.Duration{}}
	for _, line := range strings.Split(config, "\n") {
		name, value, _ := strings.Cut(line, "=")
		switch value = strings.TrimSpace(value); strings.TrimSpace(name) {
		case "SLURM_VERSION":
			c.version = value
		case "AccountingStorageType":
			c.accounting = strings.HasSuffix(value, "slurmdbd")
		case "AccountingStorageTRES":
			c.tres = strings.Split(value, ",")
		}
	}
	for _, line := range strings.Split(parts, "\n") {
		fields := map[string]string{}
		for _, word := range strings.Fields(line) {
			name, value, _ := strings.Cut(word, "=")
			fields[name] = value
		}
		if name := fields["PartitionName"]; name != "" {
			c.partitions[name], _ = parseTime(fields["MaxTime"])
			if fields["Default"] == "YES" {
				c.usual = name
			}
		}
	}
	return c
}

// parseTime reads days-hours:minutes:seconds; false if there is no limit.
func parseTime(text string) (time.Duration, bool) {
	days, rest, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, rest = "0", text
	}
	var seconds int
	for i, part := range append([]string{days}, strings.Split(rest, ":")...) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || i > 3 {
			return 0, false
		}
		seconds = seconds*[]int{0, 24, 60, 60}[i] + n
	}
	return time.Duration(seconds) * time.Second, true
}

// accountsFor reports whether Slurm accounts for what is charged. Where there are no accounts at all, costs are estimated.
func (c *facts) accountsFor(charge study.Cost) error {
	needs := map[string]string{cluster.GPUHours: "gres/gpu", cluster.Energy: "energy"}[charge.Of]
	if !charge.Accounted() || !c.accounting || needs == "" {
		return nil
	}
	for _, t := range c.tres {
		if t == needs {
			return nil
		}
	}
	return fault.New(fault.CannotRun, "ask the site to add it to AccountingStorageTRES, or count something else: core-hours, node-hours",
		"this Slurm does not account for %s, so %s cannot be charged", needs, charge.Of)
}

// within is a limit within that of the job's partition.
func (c *facts) within(limit time.Duration, options []string) time.Duration {
	name := c.usual
	for _, o := range options {
		if p, ok := strings.CutPrefix(o, "--partition="); ok {
			name, _, _ = strings.Cut(p, ",")
		}
	}
	if most := c.partitions[name]; most > cluster.Spare && limit > 0 {
		return min(limit, most-cluster.Spare)
	}
	return limit
}

// tryOut asks Slurm whether a request can run at all, once for each kind of request.
func (e *Engine) tryOut(ctx context.Context, j engine.Job) error {
	request := strings.Join(j.Options, "\n")
	e.trying.Lock() // the others want to know the same
	defer e.trying.Unlock()
	if e.possible[request] {
		return nil
	}
	eke, err := e.program()
	if err != nil {
		return err
	}
	if err := e.visible(ctx, "the trial's folder", j.Dir, "run with --dir FOLDER, on a file system that all nodes share"); err != nil {
		return err
	}
	if err := e.visible(ctx, "the program", eke[0], "install eke on a file system that all nodes share"); err != nil {
		return err
	}
	in := e.newIntent(j)
	in.Limit = e.cluster.within(in.Limit, j.Options)
	if err := os.WriteFile(in.path(scriptFile), []byte(e.script(in, j.Options, eke)), 0o700); err != nil {
		return fault.Wrap(err, fault.CannotRun, "see to the folder, and run again", "%s cannot be written: %v", in.path(scriptFile), err)
	}
	_, err = call(ctx, j.Env, "sbatch", "--test-only", in.path(scriptFile))
	var f *failure
	switch {
	case err == nil:
		if e.possible == nil {
			e.possible = map[string]bool{}
		}
		e.possible[request] = true
		return nil
	case isFull(err), isDown(err): // it is submitted later, and if it can never run, its reason in the queue says so
		return nil
	case !errors.As(err, &f):
		return down(err)
	case says(err, "not available") && e.hasSickNodes(ctx):
		return nil // it can run when they are back; otherwise its reason in the queue says so
	}
	return refusal(err)
}

// hasSickNodes reports whether nodes are down or drained. Then Slurm says of requests for them that they cannot run.
func (e *Engine) hasSickNodes(ctx context.Context) bool {
	out, err := call(ctx, nil, "sinfo", "--all", "--noheader", "--Node", "--format=%T")
	return err != nil || regexp.MustCompile(`(?i)down|drain|fail|maint|unk|inval|boot|power|[*~#$@]`).MatchString(out)
}

// refusal is the error of a job that Slurm does not take.
func refusal(err error) error {
	var f *failure
	words := err.Error()
	if errors.As(err, &f) {
		words = f.words
	}
	return fault.Wrap(err, fault.CannotRun, "change engine.options in the study file; eke plan shows the script", "Slurm refuses the job: %s", words)
}

// visible refuses a path that jobs on other machines cannot see for certain, since it is in this machine's memory. A local disk may be
// exported to the nodes under the same name; a job that does not find its folder says so.
func (e *Engine) visible(ctx context.Context, what, path, hint string) error {
	if !inMemory(path) {
		return nil
	}
	here, err := os.Hostname()
	if err != nil {
		return nil //nolint:nilerr // nobody knows which nodes are other machines
	}
	out, err := call(ctx, nil, "sinfo", "--all", "--noheader", "--format=%n")
	if err != nil {
		return nil //nolint:nilerr // Slurm does not answer now; the job will tell
	}
	for _, node := range strings.Fields(out) {
		if short(node) != short(here) {
			return fault.New(fault.CannotRun, hint, "%s %s is in this machine's memory (tmpfs), where jobs on %s cannot see it", what, path, node)
		}
	}
	return nil
}

// short is the name of a machine without its domain.
func short(host string) string {
	name, _, _ := strings.Cut(host, ".")
	return name
}
