package runner_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// train goes on from its checkpoint, and costs a ninth for each epoch that it trains.
func train(value float64) int {
	epochs, _ := strconv.Atoi(os.Getenv("EKE_PARAM_EPOCHS"))
	file := filepath.Join(os.Getenv("EKE_CHECKPOINT"), "epoch")
	from := 0
	if raw, err := os.ReadFile(file); err == nil {
		from, _ = strconv.Atoi(string(raw))
	}
	for e := from + 1; e <= epochs; e++ {
		fmt.Printf("{\"step\": %d, \"objective\": %v, \"cost\": %v}\n", e, value+1/float64(e), float64(e-from)/9)
		if err := os.WriteFile(file, []byte(strconv.Itoa(e)), 0o600); err != nil {
			return 1
		}
	}
	return 0
}

func settingAt(x float64, epochs int64) space.Setting {
	return space.Setting{"x": space.Float(x), "y": space.Float(0.5), "epochs": space.Int(epochs)}
}

// A higher fidelity of the same setting goes on where the lower one ended, and is charged the difference. If the checkpoint is gone, it
// begins anew, is charged in full, and the record says so.
func TestResume(t *testing.T) {
	s := curves(study.StopNever)
	s.Env["EKE_TEST_ROLE"], s.Fidelity.Resume, s.Policy.Name = "train", true, "random"
	s.Trials = []space.Setting{settingAt(0.2, 1), settingAt(0.4, 3), settingAt(0.2, 3), settingAt(0.2, 9)}
	s.Budget.Trials, s.Budget.Total = 4, 30
	h := newHome(t, s)
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	check := func(number, resumes, folder int, ninths float64, steps int, lost bool) {
		t.Helper()
		trial := h.audit().Trials[number-1]
		if trial.State != study.Done || trial.Resumes != resumes || trial.FolderOf() != folder || math.Abs(trial.Charged-ninths/9) > 1e-9 || len(trial.Steps) != steps || trial.Lost != lost {
			t.Errorf("trial %d resumes %d in folder %d, is charged %v ninths with %d steps, lost %v: %s", number, trial.Resumes, trial.FolderOf(), 9*trial.Charged, len(trial.Steps), trial.Lost, trial.Note)
		}
	}
	check(1, 0, 1, 1, 1, false)
	check(2, 0, 2, 3, 3, false)
	check(3, 1, 1, 2, 2, false)
	check(4, 3, 1, 6, 6, false)

	folders, err := filepath.Glob(filepath.Join(h.dir, "trials", "checkpoints", "00002-*"))
	if err != nil || len(folders) != 1 || os.RemoveAll(folders[0]) != nil {
		t.Fatalf("%v, %v", folders, err)
	}
	s.Trials, s.Budget.Trials = append(s.Trials, settingAt(0.4, 9)), 5
	if _, err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	check(5, 2, 2, 9, 9, true)
}
