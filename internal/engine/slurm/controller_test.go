package slurm

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/runner/runnertest"
	"github.com/eke-bo/eke/study"
)

// lateVariable has how long a controller waits for the accounts of a job before it estimates what that has cost.
const lateVariable = "EKE_TEST_SLURM_LATE"

// controlled is the engine of a controller: that of its study, with less patience.
func controlled(s *study.Study) (engine.Engine, error) {
	e := quick()
	e.Charge, e.Every = s.Cost, cmp.Or(time.Duration(s.Engine.Poll), time.Second)
	var err error
	e.Late, err = time.ParseDuration(os.Getenv(lateVariable))
	return e, err
}

// site is a study that a controller of its own runs on the test's Slurm.
type site struct {
	*runnertest.Site
	former []string // names that the study had
}

// sites counts the studies. Jobs are told apart by their studies' names, also where a test is repeated on one Slurm.
var sites atomic.Int64

func newSite(t *testing.T, name, file string) *site {
	needSlurm(t)
	k := &site{Site: runnertest.New(t, fmt.Sprint(name, sites.Add(1)), file)}
	k.patience(3 * time.Minute)
	return k
}

// patience is how long the controller waits for the accounts of a job.
func (k *site) patience(late time.Duration) { k.Env = []string{lateVariable + "=" + late.String()} }

// account is all that sacct has on a trial's jobs.
type account struct {
	seconds int // of cores
	records int
	isOpen  bool
	ids     map[string]bool
}

func (k *site) accounts() map[int]*account {
	k.Helper()
	all := map[int]*account{}
	for _, line := range strings.Split(slurm(k.T, "sacct", "-D", "-X", "-n", "-P", "-S", "now-1days", "-o", "JobName,JobIDRaw,State,CPUTimeRAW"), "\n") {
		f := strings.Split(line, "|")
		rest, isOurs := k.ownJob(f[0])
		if len(f) != 4 || !isOurs {
			continue
		}
		number, _, _ := strings.Cut(rest, "-")
		n, _ := strconv.Atoi(number)
		s, _ := strconv.Atoi(f[3])
		if all[n] == nil {
			all[n] = &account{ids: map[string]bool{}}
		}
		a := all[n]
		a.seconds += s
		a.records++
		a.isOpen = a.isOpen || !isOver(f[2]) && plain(f[2]) != "REQUEUED"
		a.ids[f[1]] = true
	}
	return all
}

// ownJob cuts the study's name, or one that it had, off a job's.
func (k *site) ownJob(job string) (rest string, isOurs bool) {
	for _, name := range append(k.former, k.Name) {
		if rest, isOurs = strings.CutPrefix(job, "eke-"+name+"-"); isOurs {
			break
		}
	}
	return rest, isOurs
}

// audit compares every trial with all that sacct has on its jobs, and with what its command has reported.
//
// A slurmctld that is killed may lose a job before slurmdbd has heard of it. Only of such a trial, of which sacct has no record at all, the
// charge may be an estimate; it is then what the job itself has noted: its time, and what it was given.
func (k *site) audit() *study.Record {
	k.Helper()
	r, accounts := k.Record(), k.accounts()
	states, sum, lost := map[study.State]int{}, 0, 0
	for _, t := range r.Trials {
		states[t.State]++
		if t.State == study.Failed { // no command of these tests does
			k.Errorf("trial %d has failed: %s", t.Number, t.Note)
		}
		a := accounts[t.Number]
		if a == nil {
			a = &account{}
		}
		sum += a.seconds
		noted, starts := k.noted(t.Number)
		switch {
		case t.State.Open() || a.isOpen:
			k.Errorf("trial %d is %s, and its accounts are %+v", t.Number, t.State, a)
		case t.Estimated && (a.records > 0 || starts == 0):
			k.Errorf("trial %d is charged an estimate, and sacct has %+v", t.Number, a)
		case t.Estimated:
			lost++
			if math.Abs(t.Charged*3600-noted) > 1e-6 {
				k.Errorf("trial %d, which Slurm has lost, is charged %v core-seconds, and its job has noted %v", t.Number, t.Charged*3600, noted)
			}
		case math.Abs(t.Charged*3600-float64(a.seconds)) > 1e-6:
			k.Errorf("trial %d is charged %v core-seconds, and sacct has %d", t.Number, t.Charged*3600, a.seconds)
		case a.records == 0 && noted > 0:
			k.Errorf("trial %d ran, and is charged nothing", t.Number)
		}
		if len(a.ids) > 1 {
			k.Errorf("trial %d was submitted as %v", t.Number, a.ids)
		}
	}
	k.Reported(r, func(study.Trial) bool { return false })
	k.Logf("%d trials: %v; sacct has %d core-seconds of them, and nothing of %d; %+v", len(r.Trials), states, sum, lost, r.Ledger)
	return r
}

// noted is how many core-seconds the job of a trial says that it has used, and in how many starts, computed here from its files.
func (k *site) noted(trial int) (sum float64, starts int) {
	k.Helper()
	files, _ := filepath.Glob(filepath.Join(k.Dir, "trials", fmt.Sprintf("%05d", trial), runPrefix+"*"))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		info, e := os.Stat(file)
		var cores float64
		began, given, _ := strings.Cut(string(raw), "\n")
		from, e2 := time.Parse(time.RFC3339Nano, began)
		if _, e3 := fmt.Sscanf(given, "cpu=%g,", &cores); cmp.Or(err, e, e2, e3) != nil {
			k.Fatalf("%s: %q", file, raw)
		}
		sum += info.ModTime().Sub(from).Seconds() * cores
	}
	return sum, len(files)
}
