package slurm

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/study"
)

// suspendedVariable has how long a job of a test must have seen nothing to have been suspended.
const suspendedVariable = "EKE_TEST_SLURM_SUSPENDED"

// A job that Slurm suspends goes on where it was when it is resumed, however long that took: the time counts neither at its limit nor as its own.
func TestSuspended(t *testing.T) {
	t.Parallel()
	const limit = 20 * time.Second
	dir := t.TempDir()
	in := &intent{Name: "eke-a-1-x", Made: time.Now(), Trial: 1, Study: "a", WorkDir: dir, Objective: "loss", WallTime: true, Limit: limit, dir: dir,
		Argv: []string{"sh", "-c", `echo $$ > pid~; mv pid~ pid; while [ ! -e go ]; do echo >> beats; sleep 0.05; done; echo '{"loss": 1}'`}}
	if err := in.write(); err != nil {
		t.Fatal(err)
	}
	job := exec.Command(os.Args[0], jobVerb, dir)
	job.Env = append(os.Environ(), "SLURM_JOB_ID=7", suspendedVariable+"=3s")
	began := time.Now()
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- job.Wait() }()
	read := func(name string) string { raw, _ := os.ReadFile(filepath.Join(dir, name)); return string(raw) }
	until := func(is func() bool) {
		t.Helper()
		for !is() {
			select {
			case err := <-over:
				t.Fatalf("the job has ended: %v, %+v", err, in.ended())
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	until(func() bool { return read("beats") != "" && read("pid") != "" })
	command, err := strconv.Atoi(strings.TrimSpace(read("pid")))
	if err != nil {
		t.Fatal(err)
	}
	signal := func(s syscall.Signal) {
		t.Helper()
		if err := errors.Join(syscall.Kill(job.Process.Pid, s), syscall.Kill(-command, s)); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	stopped := time.Now()
	until(func() bool { return time.Since(began) > limit+time.Second && time.Since(stopped) > limit })
	beats := len(read("beats"))
	signal(syscall.SIGCONT)
	resumed := time.Now()
	until(func() bool { return len(read("beats")) > beats+10 && time.Since(resumed) > limit/2 }) // had the limit stayed, it would be stopped before
	if ran := in.ran(); ran > limit {                                                            // whoever starts the job again goes by that
		t.Errorf("it is said to have run for %v", ran)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-over; err != nil {
		t.Errorf("%v", err)
	}
	end := in.ended()
	if end == nil || end.State != study.Done || end.Value != 1 || end.Wall > limit || !end.HasCost || end.Cost > limit.Seconds() {
		t.Errorf("%+v", end)
	}
}
