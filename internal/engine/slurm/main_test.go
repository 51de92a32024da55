package slurm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/cluster"
	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/enginetest"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/runner/runnertest"
	"github.com/eke-bo/eke/study"
)

// A job of a test runs the test's own program, with this word for the verb.
const jobVerb = "the-job-in"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == jobVerb {
		if quick, err := time.ParseDuration(os.Getenv(suspendedVariable)); err == nil {
			suspended = quick
		}
		if err := Work(context.Background(), os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(fault.CodeOf(err).Exit()) // as the command does
		}
		return
	}
	runnertest.Main(controlled)
	enginetest.Main(func() engine.Engine { return quick() })
	if os.Getenv("EKE_TEST_SLURM") != "" {
		go resume()
	}
	code := m.Run()
	_ = os.RemoveAll(programs)
	os.Exit(code)
}

// resume is the administrator of node one, for as long as there are tests: a slurmctld that was killed may have forgotten what it has
// started, and drains the node, a minute after the test that killed it has ended.
func resume() {
	for range time.Tick(2 * time.Second) {
		_ = exec.Command("scontrol", "update", "NodeName=one", "State=RESUME").Run() // unless it is well
	}
}

// quick is an engine with little patience.
func quick() *Engine {
	return &Engine{Every: 500 * time.Millisecond, Eke: []string{os.Args[0], jobVerb}, Doubt: 3 * time.Second, Late: 20 * time.Second}
}

// needSlurm skips a test where there is no Slurm.
func needSlurm(t *testing.T) (dir string) {
	t.Helper()
	dir = os.Getenv("EKE_TEST_SLURM")
	if dir == "" {
		t.Skip("there is no Slurm; run: scripts/slurm run go test ./internal/engine/slurm")
	}
	return dir
}

// slurm runs a command of Slurm's.
func slurm(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestEngine(t *testing.T) {
	needSlurm(t)
	enginetest.Run(t, enginetest.Config{Open: func() engine.Engine { return quick() }, Patience: 6 * time.Minute, Limit: 2 * time.Second})
}

// What sacct prints about a requeued job, a job with a GPU, one that never ran, and nonsense.
const printed = `11|eke-a-1-x|REQUEUED|7|billing=1,cpu=4,node=1|2026-11-15T20:22:03||0:0
11|eke-a-1-x|COMPLETED|5|billing=12,cpu=4,gres/gpu=2,node=1|2026-11-15T20:24:03|7200000|0:0
12|eke-b-2-y|CANCELLED by 0|0||2026-11-15T20:22:07||0:0
13|eke-c-3-z|RUNNING|4|cpu=1,node=1|Unknown|18446744073709551614|0:0
welcome to the cluster
`

func TestRecords(t *testing.T) {
	found := readRecords(printed)
	a := found["eke-a-1-x"]
	for of, want := range map[string]float64{cluster.CoreHours: 48.0 / 3600, cluster.GPUHours: 10.0 / 3600, cluster.NodeHours: 12.0 / 3600, cluster.BillingHours: 67.0 / 3600, cluster.Energy: 2} {
		if got := amount(a, study.Cost{Of: of}); got != want {
			t.Errorf("%s: %v, want %v", of, got, want)
		}
		if got := amount(a, study.Cost{Of: of, Price: 3}); got != 3*want {
			t.Errorf("%s in money: %v, want %v", of, got, 3*want)
		}
	}
	if b := found["eke-b-2-y"]; len(b) != 1 || amount(b, study.Cost{Of: cluster.CoreHours}) != 0 || !(&intent{ID: "12"}).isClosed(b, false, false) {
		t.Errorf("%+v", b)
	}
	if (&intent{ID: "13"}).isClosed(found["eke-c-3-z"], true, false) || (&intent{ID: "11"}).isClosed(a[:1], true, false) || !(&intent{ID: "11"}).isClosed(a[:1], true, true) || !(&intent{ID: "11"}).isClosed(a, false, false) || (&intent{ID: "1"}).isClosed(nil, false, false) || (&intent{ID: "11", Others: []string{"14"}}).isClosed(a, false, false) || !(&intent{ID: "11", Others: []string{"14"}}).isClosed(a, true, false) {
		t.Error("closed accounts, or open ones")
	}
}

// What a job notes of itself is what is charged if Slurm's accounts have lost it.
func TestEstimate(t *testing.T) {
	for env, want := range map[[2]string]string{
		{"2", ""}: "cpu=2,node=1,gres/gpu=0", {"16(x2),8", "4"}: "cpu=40,node=3,gres/gpu=12", {"", "1"}: "",
	} {
		if got := given(func(name string) string {
			return map[string]string{"SLURM_JOB_CPUS_PER_NODE": env[0], "SLURM_GPUS_ON_NODE": env[1]}[name]
		}); got != want {
			t.Errorf("%v: %q, want %q", env, got, want)
		}
	}
	in := &intent{dir: t.TempDir(), Rate: 5, Charge: study.Cost{Of: cluster.CoreHours, Price: 2}}
	began := time.Now().Add(-time.Hour).Round(0)
	for name, text := range map[string]string{"7-0": began.Format(time.RFC3339Nano) + "\ncpu=3,node=1,gres/gpu=0", "7-1": began.Format(time.RFC3339Nano)} { // an earlier version's says no more
		file := in.path(runPrefix + name)
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Chtimes(file, began, began.Add(10*time.Second))); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := in.estimate(), (engine.Cost{Amount: 10*3.0/3600*2 + 10*5, Known: true}); math.Abs(got.Amount-want.Amount) > 1e-9 || !got.Known {
		t.Errorf("%+v, want %+v", got, want)
	}
	if in.isAlive() {
		t.Error("it was last seen an hour ago")
	}
	in.Rate = 0
	if got := in.estimate(); got.Known {
		t.Errorf("nobody knows what the second start was given: %+v", got)
	}
	touch(in.path(runPrefix + "7-1"))
	if !in.isAlive() {
		t.Error("it was seen a moment ago")
	}
}

// A job whose node does not see its folder fails at once. Whoever reads why is told of the folder.
func TestUnseenFolder(t *testing.T) {
	in := &intent{dir: t.TempDir()}
	for _, state := range []string{"FAILED", "NODE_FAIL", "TIMEOUT"} {
		if o := in.outcome(state, "0:53", nil).Outcome; strings.Contains(o.Note, in.dir) != (state == "FAILED") || o.State == study.Done {
			t.Errorf("%s: %+v", state, o)
		}
	}
	if err := os.WriteFile(in.path(outputFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := in.outcome("FAILED", "1:0", nil).Outcome; strings.Contains(o.Note, in.dir) {
		t.Errorf("its node sees the folder: %+v", o)
	}
}

// A controller may die before a job's intent is on disk. Then there is no job, and nothing is charged.
func TestNeverSubmitted(t *testing.T) {
	for _, e := range []*Engine{{}, {Charge: coreHours}} {
		for id, isKnown := range map[string]bool{"ABCDEFGH": true, "": false} { // of a trial whose folder is not here nobody knows it
			if cost, err := e.Cost(t.Context(), engine.Job{Dir: t.TempDir(), Trial: 1, ID: id}); err != nil || cost != (engine.Cost{Known: isKnown}) {
				t.Errorf("%q: %+v, %v", id, cost, err)
			}
		}
	}
}

func TestJobNumber(t *testing.T) {
	for out, want := range map[string]string{
		"17\n": "17", "17;cluster\n": "17", "Welcome, 3 jobs wait\nSubmitted batch job 18\nthank you\n": "18",
		"sbatch: lua: checked 5\n  19\n": "19", "": "", "error\n": "",
	} {
		if got := jobNumber(out); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

func TestStates(t *testing.T) {
	for state, want := range map[string]study.State{
		"COMPLETED": study.Failed, "FAILED": study.Abandoned, "TIMEOUT": study.Cut, "CANCELLED by 1000": study.Cut, "NODE_FAIL": study.Abandoned,
		"PREEMPTED": study.Abandoned, "OUT_OF_ME+": study.Abandoned, "OUT_OF_MEMORY": study.Failed, "SOMETHING_NEW": study.Abandoned, "": study.Abandoned,
	} {
		if got, note := endOf(state, "0:0"); got != want || note == "" {
			t.Errorf("%s: %s, %s", state, got, note)
		}
	}
	if got, _ := endOf("FAILED", "1:0"); got != study.Failed {
		t.Errorf("failed: %s", got)
	}
	if got, _ := endOf("FAILED", ""); got != study.Abandoned {
		t.Errorf("nobody knows how it failed: %s", got)
	}
	if got, _ := endOf("FAILED", "0:9"); got != study.Abandoned {
		t.Errorf("killed: %s", got)
	}
	if got, _ := endOf("FAILED", fmt.Sprintf("%d:0", fault.ExitInterrupted)); got != study.Abandoned {
		t.Errorf("stopped: %s", got)
	}
	for reason, never := range map[string]bool{"PartitionTimeLimit": true, "Priority": false, "Resources": false, "QOSMaxCpuPerJobLimit": true, "QOSMaxJobsPerUserLimit": false,
		"JobHeldUser": false, "AssocMaxWallDurationPerJobLimit": true, "BeginTime": false, "ReqNodeNotAvail, UnavailableNodes:one": false, "AssocGrpCpuLimit": false} {
		if hopeless.MatchString(reason) != never {
			t.Errorf("%s: %v", reason, !never)
		}
	}
}

// A limit on the number of jobs passes, whoever it is for.
func TestIsFull(t *testing.T) {
	for words, want := range map[string]bool{
		"sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)": true,
		"sbatch: error: QOSMaxSubmitJobPerUserLimit": true, "sbatch: error: AssocGrpSubmitJobsLimit": true, "sbatch: error: QOSGrpSubmitJobsLimit": true,
		"sbatch: error: QOSMaxCpuPerJobLimit": false,
	} {
		if isFull(&failure{"sbatch", words, errors.New("exit status 1")}) != want {
			t.Errorf("%s: %v", words, !want)
		}
	}
}

func TestCluster(t *testing.T) {
	c := readCluster("SLURM_VERSION           = 22.05.8\nAccountingStorageType   = accounting_storage/slurmdbd\nAccountingStorageTRES   = cpu,mem,energy,node,billing\n",
		"PartitionName=main Default=YES MaxTime=01:00:00\nPartitionName=long Default=NO MaxTime=2-00:00:00\nPartitionName=ever Default=NO MaxTime=UNLIMITED\n")
	if c.version != "22.05.8" || !c.accounting || c.usual != "main" {
		t.Errorf("%+v", c)
	}
	for option, want := range map[string]time.Duration{"--mem=1": 59 * time.Minute, "--partition=long": 48*time.Hour - time.Minute, "--partition=ever": 100 * time.Hour} {
		if got := c.within(100*time.Hour, []string{option}); got != want {
			t.Errorf("%s: %v, want %v", option, got, want)
		}
	}
	if c.accountsFor(study.Cost{Source: "slurm", Of: cluster.GPUHours}) == nil || c.accountsFor(study.Cost{Source: "slurm", Of: cluster.CoreHours}) != nil {
		t.Error("GPUs are not accounted for here, and cores are")
	}
}

func TestScript(t *testing.T) {
	e := &Engine{Eke: []string{"/opt/eke", "job"}, Setup: []string{"module load python"}, Save: 2 * time.Minute}
	text, err := e.Script(engine.Job{Study: "kiln", Trial: 7, Dir: "/scratch/it's/00007", Limit: 59 * time.Minute, Options: []string{"--exclusive", "--comment=two words", "--partition=gpu"}})
	for _, part := range []string{"#!/bin/bash\n#SBATCH --job-name=eke-kiln-7-", "--output=\"/scratch/it's/00007/slurm.out\"\n", "--time=60\n", "--signal=B:USR1@180\n", "#SBATCH --exclusive\n",
		"--comment=\"two words\"\n", "\nmodule load python\nexec '/opt/eke' 'job' '/scratch/it'\\''s/00007'\n"} {
		if err != nil || !strings.Contains(text, part) {
			t.Errorf("%s\nhas no %q, %v", text, part, err)
		}
	}
}

// A job may run another version of this program than its controller does: both write the same end files.
func TestEndFile(t *testing.T) {
	in := &intent{dir: t.TempDir(), WallTime: true}
	const old = `{"state":"done","value":0.5,"cost":2,"has_cost":true,"wall":1500000000,"exit":{"code":0},"lost":true,"note":"odd","job":"7"}`
	if err := os.WriteFile(in.path(endFile), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	want := study.Finished{State: study.Done, Value: 0.5, Cost: new(2.0), Wall: 1.5, Exit: &study.Exit{}, Lost: true, Note: "odd"}
	if end := in.ended(); end == nil || !reflect.DeepEqual(end.outcome(), want) {
		t.Errorf("%+v", end)
	}
	if err := in.finish(want, 1500*time.Millisecond, "7"); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(in.path(endFile))
	if again := `{"state":"done","value":0.5,"charged":0,"note":"odd","exit":{"code":0},"lost":true,"cost":2,"has_cost":true,"wall":1500000000,"job":"7"}`; err != nil || string(raw) != again {
		t.Errorf("%s, %v", raw, err)
	}
}
