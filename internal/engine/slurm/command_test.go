package slurm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
)

// pretend has scripts in the place of Slurm's commands.
func pretend(t *testing.T, scripts map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

// A partition may be hidden, and a user may have squeue show one partition only. The jobs are there all the same.
func TestHiddenJobs(t *testing.T) {
	pretend(t, map[string]string{
		"squeue":   `[ -z "$SQUEUE_PARTITION$SQUEUE_ACCOUNT" ] || exit 0; case " $* " in *" --all "*) echo "17|eke-a-1-x|PENDING|Priority";; esac`,
		"scontrol": `case "$*" in *config*) echo "SLURM_VERSION = 22.05.8";; *--all*) echo "PartitionName=hidden Default=YES MaxTime=01:00:00";; esac`,
		"sbatch":   `echo 18`,
	})
	t.Setenv("SQUEUE_PARTITION", "main")
	t.Setenv("SQUEUE_ACCOUNT", "mine")
	e, dir := &Engine{Doubt: time.Nanosecond}, t.TempDir()
	if err := (&intent{Name: "eke-a-1-x", ID: "17", Tried: time.Now().Add(-time.Hour), Trial: 1, dir: dir}).write(); err != nil {
		t.Fatal(err)
	}
	list, err := e.Poll(t.Context(), []engine.Job{{Dir: dir, Trial: 1, ID: "x"}})
	if err != nil || list[0].Phase != engine.Queued || list[0].Reason != "Priority" {
		t.Errorf("%+v, %v", list, err)
	}
	if c, err := e.look(t.Context()); err != nil || c.usual != "hidden" || c.partitions["hidden"] != time.Hour {
		t.Errorf("%+v, %v", c, err)
	}
}

// A job that is submitted when there is room gets as little of the controller's environment as one that is submitted at once: no secrets, and nothing
// that Slurm's commands go by.
func TestCleanEnvironment(t *testing.T) {
	dir := pretend(t, map[string]string{"squeue": "", "sbatch": `env > "$0.env"; echo 18`})
	hidden := []string{engine.TokenVariable, engine.NotifySecret, engine.CheckpointVariable, "SLURM_JOB_ID", "SLURM_CLUSTERS", "SBATCH_PARTITION", "SQUEUE_SORT", "SACCT_FORMAT", "SCANCEL_INTERACTIVE", "SINFO_PARTITION"}
	kept := []string{"SLURM_CONF", "ANYTHING"}
	for _, name := range append(hidden, kept...) {
		t.Setenv(name, "hush")
	}
	job := t.TempDir()
	if err := (&intent{Name: "eke-a-1-x", Trial: 1, dir: job}).write(); err != nil {
		t.Fatal(err)
	}
	if list, err := new(Engine).Poll(t.Context(), []engine.Job{{Dir: job, Trial: 1, ID: "x"}}); err != nil || list[0].Phase != engine.Queued {
		t.Fatalf("%+v, %v", list, err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "sbatch.env"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range hidden {
		if strings.Contains(string(raw), name+"=") {
			t.Errorf("sbatch gets %s", name)
		}
	}
	for _, name := range kept {
		if !strings.Contains(string(raw), name+"=hush\n") {
			t.Errorf("sbatch does not get %s", name)
		}
	}
}
