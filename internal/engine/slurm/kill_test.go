package slurm

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/runner/runnertest"
)

// attack kills one of the parts, and starts it again, as an administrator would.
func (k *site) attack(what string, rng *rand.Rand) {
	k.Helper()
	switch what {
	case "controller":
		k.Kill()
		k.Start()
	case "job":
		_ = exec.Command("pkill", "-9", "-o", "-f", jobVerb+" "+k.Dir).Run() // there may be none
	default:
		daemon(k.T, "kill", what)
		time.Sleep(time.Duration(rng.IntN(3000)) * time.Millisecond)
		daemon(k.T, "start", what)
	}
	for i := 1; what == "slurmctld" && exec.Command("squeue").Run() != nil; i++ { // which takes seconds to fail
		if i%3 == 0 { // it does not start while slurmdbd is not up yet, and ends
			daemon(k.T, "start", what)
		}
		time.Sleep(time.Second)
	}
}

// rename gives the study another name, and its old one to another study. Its controller, its jobs and their folders know it by its identity.
func (k *site) rename() {
	k.Helper()
	s, db, err := runnertest.Open(k.Dir)
	if err != nil {
		k.Fatal(err)
	}
	defer db.Close()
	was := k.Name
	k.former, k.Name = append(k.former, was), k.Name+"x"
	if err = db.Rename(k.Context(), was, k.Name); err == nil {
		_, err = broker.Create(k.Context(), db, s)
	}
	file := filepath.Join(k.Dir, "study.yaml")
	raw, readErr := os.ReadFile(file)
	raw = bytes.Replace(raw, []byte("name: "+was+"\n"), []byte("name: "+k.Name+"\n"), 1)
	if err := errors.Join(err, readErr, os.WriteFile(file, raw, 0o600)); err != nil {
		k.Fatal(err)
	}
}

// Whatever is killed, every job that ran is charged once, by sacct's own sum; no result is lost; the budget holds at every commit.
func TestKills(t *testing.T) {
	needSlurm(t)
	times := 8
	if n, err := strconv.Atoi(os.Getenv("EKE_TEST_SLURM_KILLS")); err == nil {
		times = n
	}
	k := newSite(t, "kills", `
objective: {goal: minimize}
cost: {source: slurm, unit: core-hours}
budget: {total: 10000}
parameters:
  x: {type: float, min: 0, max: 1}
command: [sh, -c, 'sleep $((1 + EKE_TRIAL % 3)); echo "{{\"objective\": $EKE_PARAM_X}}" > $EKE_RESULT.new && mv $EKE_RESULT.new $EKE_RESULT && echo "$EKE_TRIAL $EKE_PARAM_X" >> reported']
parallel: 4
policy: {name: random}
stop: never
engine: {type: slurm, options: {cpus-per-task: 2}, time: 5m}
`)
	k.patience(20 * time.Second) // of a job that Slurm has lost there will never be any
	rng, done := rand.New(rand.NewPCG(1, uint64(times))), map[string]int{}
	begin := time.Now()
	k.Start()
	for range times {
		select {
		case <-k.Over:
			t.Fatalf("the controller ended before all was killed: %v\n%s", done, k.Said())
		case <-time.After(time.Duration(500+rng.IntN(3000)) * time.Millisecond):
		}
		if rng.IntN(4) == 0 {
			k.rename()
			done["name"]++
		}
		what := []string{"controller", "slurmctld", "slurmdbd", "job"}[rng.IntN(4)]
		k.attack(what, rng)
		done[what]++
	}
	k.Close()
	k.End()
	t.Logf("killed in %v: %v", time.Since(begin).Round(time.Second), done)
	// Controllers come back until they are sure of all accounts but those that Slurm has lost.
	for range 20 {
		if k.unsure() == 0 {
			break
		}
		slurm(t, "sacctmgr", "-i", "show", "runawayjobs") // as an administrator would: records that slurmctld has left open are closed
		time.Sleep(20 * time.Second)
		k.Start()
		k.End()
	}
	k.audit()
}

// unsure is of how many trials the accounts may yet change. Those of which sacct has no record are not among them.
func (k *site) unsure() (n int) {
	k.Helper()
	late, _ := filepath.Glob(filepath.Join(k.Dir, "runners", "*", "late", "*.json"))
	accounts := k.accounts()
	for _, t := range k.Record().Trials {
		if t.Estimated && accounts[t.Number] == nil {
			n--
		}
	}
	return n + len(late)
}
