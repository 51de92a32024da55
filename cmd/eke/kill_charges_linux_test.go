package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/eke-bo/eke/study"
)

// TestKillCharges kills runs of a study that is charged wall time, and compares what was charged with how long the commands have run:
// EKE_KILLS=100 go test -v -run TestKillCharges ./cmd/eke
//
// What was seen of a trial is always charged. That all of them together are charged rightly, within a tenth, is a measurement.
func TestKillCharges(t *testing.T) {
	kills, err := strconv.Atoi(os.Getenv("EKE_KILLS"))
	long := err == nil
	if !long {
		kills = 3
	}
	k := newKilled(t, study.Walltime, "1000", 1)
	file := func(total float64) {
		text := "name: killed\nobjective: {goal: minimize}\ncost: {source: walltime}\nbudget: {total: " + fmt.Sprint(total) + "}\nparameters: {x: {type: float, min: 0, max: 1}}\n" +
			"command: [ticks]\nparallel: 2\npolicy: {name: random}\nstop: never\n"
		if err := os.WriteFile(filepath.Join(k.dir, "study.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file(1000)
	k.within, k.patient = 900*time.Millisecond, true
	proven := map[int]float64{}
	for range kills {
		k.killOnce()
		k.prove(proven)
	}
	b := k.record().Ledger
	file(b.Spent + b.Reserved + 2)
	k.must("run")

	r := k.record()
	states, charged, ran := map[study.State]int{}, map[study.State]float64{}, map[study.State]float64{}
	for _, trial := range r.Trials {
		states[trial.State]++
		charged[trial.State] += trial.Charged
		ran[trial.State] += k.ticked(trial.Number)
		if trial.State == study.Abandoned && trial.Charged < proven[trial.Number]-1e-6 {
			t.Errorf("trial %d was seen for %.3f s, and is charged %.3f", trial.Number, proven[trial.Number], trial.Charged)
		}
	}
	t.Logf("%d kills, %v trials; charged %.4v s, ran %.4v s", kills, states, charged, ran)
	if lost := charged[study.Abandoned] / ran[study.Abandoned]; long && (lost < 0.9 || lost > 1.1) {
		t.Errorf("what the abandoned are charged is %.3f of what they ran", lost)
	}
}

// prove notes for how long the trials of the run that was killed have been seen.
func (k *killed) prove(proven map[int]float64) {
	files, _ := filepath.Glob(filepath.Join(k.dir, "eke.trials", "killed", "runners", "run-*", "journal", "*.json"))
	for _, name := range files {
		var line struct{ Trial int }
		raw, err := os.ReadFile(name)
		seen, statErr := os.Stat(name)
		if err != nil || statErr != nil || json.Unmarshal(raw, &line) != nil || line.Trial == 0 {
			continue
		}
		started, err := os.Stat(filepath.Join(k.dir, "eke.trials", "killed", fmt.Sprintf("%05d", line.Trial), "started"))
		if err == nil {
			proven[line.Trial] = max(proven[line.Trial], seen.ModTime().Sub(started.ModTime()).Seconds())
		}
	}
}

// ticked is for how many seconds a command has run.
func (k *killed) ticked(trial int) float64 {
	raw, err := os.ReadFile(filepath.Join(k.dir, fmt.Sprintf("ticks-%d", trial)))
	if err != nil || len(raw) < 8 {
		return 0
	}
	return time.Duration(binary.LittleEndian.Uint64(raw)).Seconds()
}
