package slurm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/runner/runnertest"
	"github.com/eke-bo/eke/study"
)

// A study with many jobs at once: one squeue a poll at most, every job submitted once, and the ledger is sacct's sum.
// $EKE_TEST_SLURM_CROWD has how many trials, how many at once, how often to poll, and the policy: "500 50 30s auto". If the policy is
// "listed" the study file lists all settings, so that the controller does nothing but watch.
func TestCrowd(t *testing.T) {
	needSlurm(t)
	trials, parallel, poll, policy := 40, 20, "2s", "listed"
	if text := os.Getenv("EKE_TEST_SLURM_CROWD"); text != "" {
		if _, err := fmt.Sscan(text, &trials, &parallel, &poll, &policy); err != nil {
			t.Fatal(err)
		}
	}
	every, err := time.ParseDuration(poll)
	if err != nil {
		t.Fatal(err)
	}
	var listed string
	if policy == "listed" {
		policy, listed = "random", "trials:\n"
		for i := range trials {
			listed += fmt.Sprintf("  - {x: %v}\n", float64(i)/float64(trials))
		}
	}
	k := newSite(t, "crowd", fmt.Sprintf(`
objective: {goal: minimize}
cost: {source: slurm, unit: core-hours}
budget: {total: 1000, trials: %d}
parameters:
  x: {type: float, min: 0, max: 1}
command: [sh, -c, 'sleep $((2 + EKE_TRIAL %% 4)); echo "{{\"objective\": $EKE_PARAM_X}}" > $EKE_RESULT.new && mv $EKE_RESULT.new $EKE_RESULT && echo "$EKE_TRIAL $EKE_PARAM_X" >> reported']
parallel: %d
policy: {name: %s}
stop: never
engine: {type: slurm, time: 5m, poll: %s}
%s`, trials, parallel, policy, poll, listed))
	asked := k.count("squeue", "sacct", "sbatch")
	begin := time.Now()
	k.Start()
	k.End()
	took := time.Since(begin)
	if n, most := asked("squeue"), int(took/every)+2; n > most {
		t.Errorf("squeue was called %d times, which is more than once in %v", n, every)
	}
	if n := asked("sbatch"); n != trials+1 { // and once to try
		t.Errorf("sbatch was called %d times", n)
	}
	r := k.audit()
	for _, trial := range r.Trials {
		if trial.State != study.Done || trial.Estimated {
			t.Errorf("%+v", trial)
		}
	}
	used := k.Used()
	t.Logf("%d trials in %v: %d squeue, %d sacct; the controller used %.1f%% of a core, Slurm's commands %.1f%%", len(r.Trials), took.Round(time.Second), asked("squeue"), asked("sacct"),
		100*used[0]/took.Seconds(), 100*used[1]/took.Seconds())
	_, events := k.Events()
	t.Logf("%d trials were open at once", runnertest.MostOpen(events))
}

// count has calls of Slurm's commands counted.
func (k *site) count(commands ...string) func(string) int {
	bin := k.TempDir()
	for _, c := range commands {
		real, err := exec.LookPath(c)
		if err != nil {
			k.Fatal(err)
		}
		text := fmt.Sprintf("#!/bin/sh\necho >> %s/%s.count\nexec %s \"$@\"\n", bin, c, real)
		if err := os.WriteFile(filepath.Join(bin, c), []byte(text), 0o700); err != nil {
			k.Fatal(err)
		}
	}
	k.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return func(c string) int {
		raw, _ := os.ReadFile(filepath.Join(bin, c+".count"))
		return strings.Count(string(raw), "\n")
	}
}
