package slurm

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/eke-bo/eke/study"
)

// A higher fidelity of the same setting goes on from the checkpoint that the lower one has left, as another job, perhaps of another
// controller. It is charged what sacct has on its own job, and what was paid before counts for its setting.
func TestResume(t *testing.T) {
	t.Parallel()
	file := func(trials string) string {
		return `
objective: {goal: minimize}
cost: {source: slurm, unit: core-hours}
budget: {total: 100, trials: ` + trials + `}
parameters:
  x: {type: float, min: 0, max: 1}
fidelity: {name: epochs, min: 1, max: 9, resume: true, stop_early: never}
trials: [{x: 0.25, epochs: 1}, {x: 0.5, epochs: 3}, {x: 0.25, epochs: 3}, {x: 0.25, epochs: 9}]
command:
  - sh
  - -c
  - |
    from=$(cat "$EKE_CHECKPOINT/epoch" || echo 0)
    echo "$EKE_TRIAL: $from to $EKE_PARAM_EPOCHS" >> ran
    for epoch in $(seq $((from + 1)) $EKE_PARAM_EPOCHS); do
      sleep 1
      echo "{{\"step\": $epoch, \"objective\": $EKE_PARAM_X}}"
      echo $epoch > "$EKE_CHECKPOINT/epoch"
    done
    echo "$EKE_TRIAL $EKE_PARAM_X" >> reported
policy: {name: random}
engine: {type: slurm, time: 5m}
`
	}
	k := newSite(t, "resume", file("3"))
	k.Start()
	k.End()
	if err := os.WriteFile(filepath.Join(k.Dir, "study.yaml"), []byte("name: "+k.Name+"\n"+file("4")), 0o600); err != nil {
		t.Fatal(err)
	}
	k.Start(on("login2")...)
	k.End()
	raw, err := os.ReadFile(filepath.Join(k.Dir, "ran"))
	if want := "1: 0 to 1\n2: 0 to 3\n3: 1 to 3\n4: 3 to 9\n"; err != nil || string(raw) != want {
		t.Errorf("what ran: %v\n%swant\n%s", err, raw, want)
	}
	r := k.audit()
	if len(r.Trials) != 4 {
		t.Fatalf("%d trials\n%s", len(r.Trials), k.Said())
	}
	for i, want := range []struct{ resumes, folder, steps int }{{0, 1, 1}, {0, 2, 3}, {1, 1, 2}, {3, 1, 6}} {
		trial := r.Trials[i]
		if trial.State != study.Done || trial.Resumes != want.resumes || trial.FolderOf() != want.folder || len(trial.Steps) != want.steps || trial.Lost || trial.Estimated {
			t.Errorf("%+v, want %+v", trial, want)
		}
	}
	if paid, want := r.PaidBefore(r.Trials[3]), r.Trials[0].Charged+r.Trials[2].Charged; !(want > 0) || math.Abs(paid-want) > 1e-9 {
		t.Errorf("%v was paid before, want %v", paid, want)
	}
}
