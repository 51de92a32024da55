package slurm

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// cluster is what Slurm says of itself.
type cluster struct {
	version    string
	accounting bool     // there is a database of accounts
	tres       []string // what is accounted for
	partitions map[string]time.Duration
	usual      string // the default partition
}

// look asks Slurm what it is like, once.
func (e *Engine) look(ctx context.Context) (*cluster, error) {
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
	parts, err := call(ctx, nil, "scontrol", "show", "partition", "-o")
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
func readCluster(config, parts string) *cluster {
	c := &cluster{partitions: map[string]time.Duration{}}
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
func (c *cluster) accountsFor(charge study.Cost) error {
	needs := map[string]string{study.GPUHours: "gres/gpu", study.Energy: "energy"}[charge.Of]
	if charge.Source != study.FromSlurm || !c.accounting || needs == "" {
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
func (c *cluster) within(limit time.Duration, options []string) time.Duration {
	name := c.usual
	for _, o := range options {
		if p, ok := strings.CutPrefix(o, "--partition="); ok {
			name, _, _ = strings.Cut(p, ",")
		}
	}
	if most := c.partitions[name]; most > study.JobSpare && limit > 0 {
		return min(limit, most-study.JobSpare)
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
	out, err := call(ctx, nil, "sinfo", "--noheader", "--Node", "--format=%T")
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
