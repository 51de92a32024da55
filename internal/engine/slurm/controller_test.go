package slurm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/source"
	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// controllerVerb is the word by which the test's program plays a controller.
const controllerVerb = "the-controller-in"

// usedWord is what a controller says before how many seconds of the processor it, and what it called, have used.
const usedWord = "processor seconds:"

// profileVariable names the file that a controller writes a profile of its processor time to.
const profileVariable = "EKE_TEST_SLURM_PROFILE"

// lateVariable has how long a controller waits for the accounts of a job before it estimates what that has cost.
const lateVariable = "EKE_TEST_SLURM_LATE"

// control runs a study as eke run does, with less patience.
func control(dir string) error {
	s, db, err := open(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	if file := os.Getenv(profileVariable); file != "" {
		out, err := os.Create(file)
		if err != nil {
			return err
		}
		defer out.Close()
		if err := pprof.StartCPUProfile(out); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	b, err := broker.Join(context.Background(), db, s)
	if err != nil {
		return err
	}
	e := quick()
	e.Charge, e.Every = s.Cost, cmp.Or(time.Duration(s.Engine.Poll), time.Second)
	if e.Late, err = time.ParseDuration(os.Getenv(lateVariable)); err != nil {
		return err
	}
	sum, err := runner.Run(context.Background(), runner.Config{
		Source: &source.Store{Broker: b}, Engine: e, Dir: filepath.Join(dir, "runners"), Trials: filepath.Join(dir, "trials"), WorkDir: dir,
		Tell: func(n runner.News) {
			if n.Trial != nil {
				fmt.Println(n.Kind, n.Trial.Number, n.Trial.State, n.Text, n.Trial.Note)
			} else {
				fmt.Println(n.Kind, n.Text)
			}
		},
	})
	fmt.Println(sum.Code, sum.Text)
	fmt.Println(usedWord, used(syscall.RUSAGE_SELF), used(syscall.RUSAGE_CHILDREN))
	return err
}

// open opens the study in a folder, and its store.
func open(dir string) (*study.Study, *sqlite.Store, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "study.yaml"))
	if err != nil {
		return nil, nil, err
	}
	s, err := study.Parse(raw, "study.yaml")
	if err != nil {
		return nil, nil, err
	}
	db, err := sqlite.Open(context.Background(), filepath.Join(dir, "eke.db"))
	return s, db, err
}

func used(who int) float64 {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// site is a study that a controller of its own runs on the test's Slurm.
type site struct {
	*testing.T
	dir, name  string
	former     []string // names that the study had
	late       time.Duration
	controller *exec.Cmd
	over       chan error
}

func newSite(t *testing.T, name, file string) *site {
	needSlurm(t)
	k := &site{T: t, dir: t.TempDir(), name: name, late: 3 * time.Minute}
	if err := os.WriteFile(filepath.Join(k.dir, "study.yaml"), []byte("name: "+name+"\n"+file), 0o600); err != nil {
		t.Fatal(err)
	}
	return k
}

// start starts the controller; before is what comes before it in its command.
func (k *site) start(before ...string) {
	words := slices.Concat(before, []string{os.Args[0], controllerVerb, k.dir})
	k.controller = exec.Command(words[0], words[1:]...)
	out, err := os.OpenFile(filepath.Join(k.dir, "said"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		k.Fatal(err)
	}
	defer out.Close()
	k.controller.Env = append(os.Environ(), lateVariable+"="+k.late.String())
	k.controller.Stdout, k.controller.Stderr = out, out
	if err := k.controller.Start(); err != nil {
		k.Fatal(err)
	}
	k.over = make(chan error, 1)
	go func(c *exec.Cmd, over chan<- error) { over <- c.Wait() }(k.controller, k.over)
}

// end waits for the end of the controller, which is to be a good one.
func (k *site) end() {
	k.Helper()
	select {
	case err := <-k.over:
		if err != nil {
			k.Fatalf("the controller failed: %v\n%s", err, k.said())
		}
	case <-time.After(20 * time.Minute):
		_ = k.controller.Process.Kill()
		k.Fatalf("the study does not end; squeue:\n%s\n%s", slurm(k.T, "squeue", "-t", "all"), k.said())
	}
}

// close ends the study, when the running trials have ended.
func (k *site) close() {
	k.Helper()
	s, db, err := open(k.dir)
	if err != nil {
		k.Fatal(err)
	}
	defer db.Close()
	b, err := broker.Join(k.Context(), db, s)
	if err == nil {
		err = b.Close(k.Context())
	}
	if err != nil {
		k.Fatal(err)
	}
}

func (k *site) said() string {
	raw, _ := os.ReadFile(filepath.Join(k.dir, "said"))
	return string(raw[max(len(raw)-4000, 0):])
}

// events returns the log.
func (k *site) events() (*study.Record, []study.Event) {
	k.Helper()
	_, db, err := open(k.dir)
	if err != nil {
		k.Fatal(err)
	}
	defer db.Close()
	header, events, err := db.Read(k.Context(), k.name, 0)
	if err != nil {
		k.Fatal(err)
	}
	return study.NewRecord(header.Total, header.Measured), events
}

// record replays the log, and checks the budget after every event.
func (k *site) record() *study.Record {
	k.Helper()
	replay, events := k.events()
	for _, e := range events {
		if err := replay.Apply(e); err != nil {
			k.Fatal(err)
		}
		if l := replay.Ledger; l.Spent+l.Reserved > l.Total*(1+1e-9) {
			k.Errorf("after event %d: %+v", e.Seq, l)
		}
	}
	return replay
}

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
	for _, name := range append(k.former, k.name) {
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
	r, accounts := k.record(), k.accounts()
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
	k.reported(r)
	k.Logf("%d trials: %v; sacct has %d core-seconds of them, and nothing of %d; %+v", len(r.Trials), states, sum, lost, r.Ledger)
	return r
}

// noted is how many core-seconds the job of a trial says that it has used, and in how many starts, computed here from its files.
func (k *site) noted(trial int) (sum float64, starts int) {
	k.Helper()
	files, _ := filepath.Glob(filepath.Join(k.dir, "trials", fmt.Sprintf("%05d", trial), runPrefix+"*"))
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

// reported checks that no result is lost.
func (k *site) reported(r *study.Record) {
	k.Helper()
	raw, _ := os.ReadFile(filepath.Join(k.dir, "reported"))
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		var n int
		var x float64
		if _, err := fmt.Sscan(line, &n, &x); err != nil || n < 1 || n > len(r.Trials) || r.Trials[n-1].State != study.Done || r.Trials[n-1].Value != x {
			k.Errorf("a trial reported %q, and is not on record so: %+v", line, r.Trials[max(min(n, len(r.Trials)), 1)-1])
		}
	}
}
