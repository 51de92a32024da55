package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/cluster"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// coreHours is what the jobs of these tests are charged.
var coreHours = study.Cost{Source: "slurm", Unit: cluster.CoreHours, Of: cluster.CoreHours}

const reports = `echo '{"loss": 0.5}' > "$EKE_RESULT"`

// lab is where one test works, on a real Slurm.
type lab struct {
	*testing.T
	e   *Engine
	dir string
}

func newLab(t *testing.T) *lab {
	needSlurm(t)
	l := &lab{t, quick(), t.TempDir()}
	l.e.Charge = coreHours
	return l
}

// job runs a script, in which "ran" counts how often it was started.
func (l *lab) job(script string, options ...string) engine.Job {
	return engine.Job{
		Argv: []string{"sh", "-c", "echo $EKE_RESTARTS >> ran; " + script}, Trial: 1, Study: "lab", Dir: filepath.Join(l.dir, "00001"), WorkDir: l.dir,
		Objective: "loss", WallTime: true, Options: options, Rate: 1.0 / 3600, Limit: 3 * time.Minute,
	}
}

func (l *lab) submit(j engine.Job) {
	l.Helper()
	if err := errors.Join(l.e.Probe(l.Context(), j), l.e.Submit(l.Context(), j)); err != nil {
		l.Fatal(err)
	}
}

func (l *lab) poll(j engine.Job) engine.Status {
	l.Helper()
	list, err := l.e.Poll(l.Context(), []engine.Job{j})
	if err != nil {
		l.Fatal(err)
	}
	return list[0]
}

func (l *lab) end(j engine.Job) study.Finished {
	l.Helper()
	var s engine.Status
	l.eventually("the job ends", func() bool { s = l.poll(j); return s.Phase == engine.Ended })
	return s.Outcome
}

func (l *lab) eventually(what string, is func() bool) {
	l.Helper()
	for begin := time.Now(); !is(); time.Sleep(200 * time.Millisecond) {
		if time.Since(begin) > 6*time.Minute {
			l.Fatalf("waited in vain: %s; squeue:\n%s\nsinfo:\n%s", what, slurm(l.T, "squeue", "-t", "all"), slurm(l.T, "sinfo", "-N", "-l"))
		}
	}
}

func (l *lab) starts() int {
	raw, _ := os.ReadFile(filepath.Join(l.dir, "ran"))
	return strings.Count(string(raw), "\n")
}

func (l *lab) begins(times int) {
	l.Helper()
	l.eventually(fmt.Sprintf("it begins %d times", times), func() bool { return l.starts() >= times })
}

func (l *lab) intent(j engine.Job) *intent {
	l.Helper()
	in, err := readIntent(j.Dir)
	if err != nil || in == nil {
		l.Fatal(in, err)
	}
	return in
}

// isCharged checks that a job costs what sacct's records of its name add up to, computed here from what sacct prints.
func (l *lab) isCharged(j engine.Job, records int) {
	l.Helper()
	var cost engine.Cost
	var err error
	l.eventually("the accounts are closed", func() bool { cost, err = l.e.Cost(l.Context(), j); return !cost.Late })
	var seconds, lines int
	for _, line := range strings.Split(slurm(l.T, "sacct", "-D", "-X", "-n", "-P", "--name="+l.intent(j).Name, "-S", "now-1days", "-o", "CPUTimeRAW"), "\n") {
		var s int
		if _, err := fmt.Sscan(line, &s); err == nil {
			seconds, lines = seconds+s, lines+1
		}
	}
	cost.Fresh = false
	if err != nil || cost != (engine.Cost{Amount: float64(seconds) / 3600, Known: true}) || lines != records {
		l.Errorf("it is charged %+v, %v; sacct has %d core-seconds in %d records, and there should be %d", cost, err, seconds, lines, records)
	}
}

func (l *lab) is(o study.Finished, state study.State, part string) {
	l.Helper()
	if o.State != state || !strings.Contains(o.Note, part) {
		l.Errorf("%+v; want %s, %q", o, state, part)
	}
}

// again has a job that was put back into the queue start at once: Slurm would wait for two minutes.
func (l *lab) again(j engine.Job) {
	l.Helper()
	time.Sleep(4 * time.Second) // until Slurm has ended the first start
	l.eventually("it starts again", func() bool {
		_ = exec.Command("scontrol", "update", "JobId="+l.intent(j).ID, "StartTime=now").Run() // unless it runs already
		return l.starts() > 1
	})
}

// untilGo waits for goOn.
const untilGo = "while [ ! -e go ]; do sleep 0.2; done; "

func (l *lab) goOn() {
	l.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, "go"), nil, 0o600); err != nil {
		l.Fatal(err)
	}
}

// twice sleeps at first, and reports when it is started again. The shell becomes the sleep: a shell that outlives its sleep for a moment would report.
const twice = `[ "$EKE_RESTARTS" = 1 ] || exec sleep 600; ` + reports

func TestRequeued(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	j := l.job(twice)
	l.submit(j)
	l.begins(1)
	slurm(t, "scontrol", "requeue", l.intent(j).ID)
	l.eventually("it waits", func() bool { s := l.poll(j); return s.Phase == engine.Queued && s.Reason != "" })
	l.again(j)
	l.is(l.end(j), study.Done, "")
	l.isCharged(j, 2)
}

func TestCancelledByHand(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	j := l.job("sleep 600")
	l.submit(j)
	l.begins(1)
	slurm(t, "scancel", l.intent(j).ID)
	l.is(l.end(j), study.Cut, "cancelled in Slurm")
	l.isCharged(j, 1)
}

// A job that is cancelled before its turn costs nothing.
func TestCancelledInTheQueue(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	j := l.job(reports, "--begin=now+1hour")
	l.submit(j)
	l.eventually("it waits", func() bool { s := l.poll(j); return s.Phase == engine.Queued && s.Reason == "BeginTime" })
	if err := l.e.Cancel(t.Context(), j, errors.New("the study is over")); err != nil {
		t.Fatal(err)
	}
	l.is(l.end(j), study.Cut, "the study is over")
	l.isCharged(j, 0)
	if cost, _ := l.e.Cost(t.Context(), j); cost.Amount != 0 || l.starts() > 0 {
		t.Errorf("%+v", cost)
	}
}

// A held job waits, and says so.
func TestHeld(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	j := l.job(reports, "--hold")
	l.submit(j)
	l.eventually("it waits", func() bool { return l.poll(j).Reason == "JobHeldUser" })
	slurm(t, "scontrol", "release", l.intent(j).ID)
	l.is(l.end(j), study.Done, "")
}

func TestKilled(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	j := l.job("sleep 600")
	l.submit(j)
	l.begins(1)
	slurm(t, "pkill", "-9", "-f", jobVerb+" "+j.Dir)
	l.is(l.end(j), study.Abandoned, "killed by signal 9")
	l.isCharged(j, 1)
}

// Two jobs of one name: one is kept, the other ends at once, and both are charged.
func TestDuplicate(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	j := l.job(untilGo + reports)
	l.submit(j)
	l.begins(1)
	slurm(t, "sbatch", filepath.Join(j.Dir, scriptFile))
	held := slurm(t, "sbatch", "--parsable", "--hold", filepath.Join(j.Dir, scriptFile))
	l.goOn()
	l.is(l.end(j), study.Done, "")
	if n := l.starts(); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	if state := slurm(t, "squeue", "-h", "-t", "all", "-j", held, "-o", "%T"); state != "CANCELLED" {
		t.Errorf("the duplicate is %s", state)
	}
	l.isCharged(j, 2) // one that was held has no record
}

// A request that can never run is refused with Slurm's words; if Slurm takes it all the same, it is not waited for.
func TestNever(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	j := l.job(reports, "--cpus-per-task=1024")
	if err := l.e.Probe(t.Context(), j); fault.CodeOf(err) != fault.CannotRun || !strings.Contains(err.Error(), "not available") {
		t.Errorf("%v", err)
	}
	if err := l.e.Submit(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	l.is(l.end(j), study.Failed, "PartitionConfig")
	for _, option := range []string{"--partition=nosuch", "--account=nosuch", "--no-such-option"} {
		if err := l.e.Probe(t.Context(), l.job(reports, option)); fault.CodeOf(err) != fault.CannotRun || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", option, err)
		}
	}
}

// The command hears of its limit in time to save its work, and is told that it will.
func TestSave(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.e.Save = 10 * time.Second
	j := l.job(`save() { ` + reports + `; exit; }; trap save USR1; [ "$EKE_SAVE" = 1 ] && while :; do sleep 0.1; done`)
	j.Limit = 22 * time.Second // on a busy machine it takes the command a while to set its trap
	l.submit(j)
	o := l.end(j)
	l.is(o, study.Done, "")
	if o.Wall < (j.Limit-l.e.Save-time.Second).Seconds() || o.Wall > j.Limit.Seconds() {
		t.Errorf("after %v", o.Wall)
	}
}

// A job is stopped by Slurm when somebody has lowered its limit.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if testing.Short() {
		t.Skip("Slurm takes two minutes to stop a job after one")
	}
	j := l.job("sleep 600")
	l.submit(j)
	l.begins(1)
	slurm(t, "scontrol", "update", "JobId="+l.intent(j).ID, "TimeLimit=1")
	l.is(l.end(j), study.Cut, "time limit")
	l.isCharged(j, 1)
}

// The limit of a trial counts over all starts of its job.
func TestLimitAcrossStarts(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	j := l.job("sleep 600")
	j.Limit = 30 * time.Second
	l.submit(j)
	l.begins(1)
	var first time.Duration
	l.eventually("it has run for a while, and said so", func() bool { first = l.intent(j).ran(); return first > 10*time.Second })
	slurm(t, "scontrol", "requeue", l.intent(j).ID)
	l.again(j)
	o := l.end(j)
	l.is(o, study.Cut, "")
	if o.Wall >= (first + j.Limit).Seconds() { // the second start has less than all of the limit
		t.Errorf("it took %v at first, %v in all", first, o.Wall)
	}
	l.isCharged(j, 2)
}

// What happens to a node happens to one job after the other.
func TestNode(t *testing.T) {
	t.Parallel()
	needSlurm(t)
	t.Run("preempted", func(t *testing.T) {
		l := newLab(t)
		j := l.job(twice, "--partition=spare", "--cpus-per-task=32")
		l.submit(j)
		l.begins(1)
		slurm(t, "sbatch", "-p", "urgent", "-c", "32", "-o", "/dev/null", "--wrap", "sleep 1")
		l.eventually("it waits, or has waited", func() bool { return l.poll(j).Phase == engine.Queued || l.starts() > 1 })
		l.again(j)
		l.is(l.end(j), study.Done, "")
		l.isCharged(j, 2)
	})
	for option, want := range map[string]study.State{"--no-requeue": study.Abandoned, "--requeue": study.Done} {
		t.Run("node failure "+option, func(t *testing.T) {
			l := newLab(t)
			j := l.job(twice, "--partition=spare", option)
			l.submit(j)
			l.begins(1)
			slurm(t, "scontrol", "update", "NodeName=two", "State=DOWN", "Reason=test")
			records := 1
			if want == study.Done {
				_ = exec.Command("scontrol", "update", "NodeName=two", "State=RESUME").Run() // it may be back by itself
				l.again(j)
				records = 2
			}
			l.is(l.end(j), want, map[study.State]string{study.Abandoned: "node failed"}[want])
			l.isCharged(j, records)
			_ = exec.Command("scontrol", "update", "NodeName=two", "State=RESUME").Run()
			l.eventually("the node is back", func() bool { return slurm(t, "sinfo", "-h", "-n", "two", "-o", "%t") != "down" })
		})
	}
	t.Run("drained", func(t *testing.T) {
		l := newLab(t)
		slurm(t, "scontrol", "update", "NodeName=two", "State=DRAIN", "Reason=test")
		j := l.job(reports, "--partition=spare")
		l.submit(j)
		l.eventually("it waits", func() bool { s := l.poll(j); return s.Phase == engine.Queued && s.Reason != "" })
		slurm(t, "scontrol", "update", "NodeName=two", "State=RESUME")
		l.is(l.end(j), study.Done, "")
	})
}

// The tests below disturb all others, so they run one after the other, before them.

// daemon pulls the plug of one of Slurm's daemons, or starts it again.
func daemon(t *testing.T, verb, name string) {
	t.Helper()
	script, err := filepath.Abs("../../../scripts/slurm")
	if err != nil {
		t.Fatal(err)
	}
	slurm(t, script, verb, needSlurm(t), name)
}

// With slurmctld down nothing is lost, and nothing is submitted twice.
func TestControllerDown(t *testing.T) {
	l := newLab(t)
	first := l.job(untilGo + reports)
	l.submit(first)
	l.begins(1)
	l.isSaved(first)
	second := first
	second.Dir = filepath.Join(l.dir, "00002")
	if err := l.e.Probe(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	daemon(t, "kill", "slurmctld")
	if err := l.e.Submit(t.Context(), second); err != nil {
		t.Errorf("it is to be submitted later: %v", err)
	}
	if _, err := l.e.Poll(t.Context(), []engine.Job{first, second}); !fault.CodeOf(err).Retryable() {
		t.Errorf("%v", err)
	}
	if err := l.e.Cancel(t.Context(), second, nil); !fault.CodeOf(err).Retryable() {
		t.Errorf("%v", err)
	}
	in := l.intent(second)
	in.Cancelled = ""
	if err := in.write(); err != nil {
		t.Fatal(err)
	}
	daemon(t, "start", "slurmctld")
	l.eventually("Slurm answers", func() bool { return exec.Command("squeue").Run() == nil })
	l.goOn()
	for _, j := range []engine.Job{first, second} {
		l.is(l.end(j), study.Done, "")
		l.isCharged(j, 1)
	}
	if l.starts() != 2 {
		t.Errorf("%d starts", l.starts())
	}
}

// isSaved waits until slurmctld has a running job on disk. One that is killed earlier forgets what it has started.
func (l *lab) isSaved(j engine.Job) {
	l.Helper()
	mark := "is-saved-" + l.intent(j).Name
	slurm(l.T, "scontrol", "update", "JobId="+l.intent(j).ID, "Comment="+mark)
	l.eventually("the job is saved", func() bool {
		raw, _ := os.ReadFile(filepath.Join(needSlurm(l.T), "state", "job_state"))
		return strings.Contains(string(raw), mark)
	})
}

// With slurmdbd down a cost is estimated, and known when it is back.
func TestAccountsDown(t *testing.T) {
	l := newLab(t)
	l.e.Late = 2 * time.Second
	j := l.job(untilGo + "sleep 2; " + reports)
	began := time.Now()
	l.submit(j)
	daemon(t, "kill", "slurmdbd")
	l.goOn()
	l.is(l.end(j), study.Done, "")
	cost, err := l.e.Cost(t.Context(), j)
	if err != nil || !cost.Late || !cost.Known || cost.Amount < 1.0/3600 || cost.Amount > time.Since(began).Hours() {
		t.Errorf("%+v, %v", cost, err)
	}
	daemon(t, "start", "slurmdbd")
	l.eventually("the accounts are closed", func() bool { cost, _ := l.e.Cost(context.Background(), j); return !cost.Late })
	l.isCharged(j, 1)
}

// There is no room in the queue: the job is submitted when there is.
func TestFull(t *testing.T) {
	l := newLab(t)
	room := func(n string) { slurm(t, "sacctmgr", "-i", "modify", "user", "root", "set", "maxsubmitjobs="+n) }
	room("0")
	defer room("-1")
	j := l.job(reports)
	l.submit(j)
	l.eventually("it waits", func() bool { return strings.Contains(l.poll(j).Reason, "no room") })
	room("-1")
	l.is(l.end(j), study.Done, "")
	l.isCharged(j, 1)
}

// The answer to a submission is lost: the job is found, or submitted once more when it is sure that there is none.
func TestLostAnswer(t *testing.T) {
	needSlurm(t)
	real, err := exec.LookPath("sbatch")
	if err != nil {
		t.Fatal(err)
	}
	for name, does := range map[string]string{"taken": real + ` "$@" >/dev/null`, "not taken": `[ -e DIR/tried ] && exec ` + real + ` "$@"; touch DIR/tried`, "silent": real + ` "$@" >/dev/null; echo thanks; exit 0`} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			j := l.job(reports)
			if err := l.e.Probe(t.Context(), j); err != nil {
				t.Fatal(err)
			}
			bin := t.TempDir()
			script := "#!/bin/sh\n" + strings.ReplaceAll(does, "DIR", bin) + "\necho 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation' >&2\nexit 1\n"
			if err := os.WriteFile(filepath.Join(bin, "sbatch"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			if err := l.e.Submit(t.Context(), j); err != nil {
				t.Fatal(err)
			}
			if id := l.intent(j).ID; id != "" {
				t.Errorf("it is %s", id)
			}
			next := quick() // the controller dies, and another one comes
			next.Charge = coreHours
			l.e = next
			l.is(l.end(j), study.Done, "")
			l.isCharged(j, 1)
			if l.starts() != 1 {
				t.Errorf("it ran %d times", l.starts())
			}
		})
	}
}
