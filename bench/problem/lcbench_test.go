package problem

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/eke-bo/eke/internal/golden"
	"github.com/eke-bo/eke/space"
)

// lcData returns the surrogate, which is not part of the module.
func lcData(t *testing.T) *surrogate {
	t.Helper()
	folder := dataFolder(lcModel)
	if folder == "" {
		t.Skipf("the surrogate of LCBench is not part of the module; name the folder that has lcbench by EKE_DATA (%s)", lcWhere)
	}
	s, err := lcSurrogate(folder)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The evaluator agrees with an independent one in float32.
func TestLCBenchMeetsTheReference(t *testing.T) {
	s := lcData(t)
	raw, err := os.ReadFile(filepath.Join(golden.Dir("../../testdata/golden"), "lcbench_values.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Evaluations []struct {
			Config  map[string]any
			Targets map[string]float64
		}
	}
	if err := json.Unmarshal(raw, &want); err != nil || len(want.Evaluations) == 0 {
		t.Fatal(err, len(want.Evaluations))
	}
	for _, e := range want.Evaluations {
		setting := space.Setting{}
		for name, v := range e.Config {
			switch {
			case name == "epoch":
				setting[epochsName] = space.Float(v.(float64))
			case name != "OpenML_task_id":
				setting[name] = space.Float(v.(float64))
			}
		}
		seconds, accuracy := s.train(e.Config["OpenML_task_id"].(string), setting)
		if !near(seconds, e.Targets["time"], 1e-4) || !near(accuracy, e.Targets["val_accuracy"], 1e-4) {
			t.Errorf("%v: %v s and %v %%, want %v and %v", e.Config, seconds, accuracy, e.Targets["time"], e.Targets["val_accuracy"])
		}
	}
}

// The optima and what is typical are what is found; EKE_OPTIMA=1 finds all, and prints them. An optimum takes 20 seconds to find.
func TestLCBenchOptima(t *testing.T) {
	s := lcData(t)
	for i, l := range lcTable {
		if os.Getenv("EKE_OPTIMA") == "" && i != 6 {
			continue
		}
		found := lcTask{id: l.id, best: l.best}
		if os.Getenv("EKE_OPTIMA") != "" {
			found.best = lcOptimum(s, l.id)
		}
		found.median, found.seconds = found.unscaled(s).typical(found.seed())
		if os.Getenv("EKE_OPTIMA") != "" {
			fmt.Printf("\t{%q, %v, %v, %v},\n", found.id, found.best, found.median, found.seconds)
		}
		if found != l {
			t.Errorf("%+v, the table has %+v", found, l)
		}
	}
}

// With a fidelity a task is the task without one, and cheaper below it. What a training costs that goes on from another is the difference, which the suite charges
// where the fidelity says that trials resume; without a fidelity there is none.
func TestLCBenchFidelity(t *testing.T) {
	lcData(t)
	data := dataFolder(lcModel)
	looks, err := NewTask("lcbench-126026", 0, data)
	if err != nil {
		t.Fatal(err)
	}
	full, err := NewTask("lcbench-126026-full", 0, data)
	if err != nil {
		t.Fatal(err)
	}
	if f := looks.Fidelity; f == nil || !f.Resume || f.Top() != lcEpochs || full.Fidelity != nil {
		t.Errorf("%+v and %+v", looks.Fidelity, full.Fidelity)
	}
	if looks.Budget != full.Budget || looks.Best != full.Best || looks.Scale != full.Scale || looks.Family != LCBench || full.Family != LCBenchFull || looks.Validation != full.Validation {
		t.Errorf("%+v and %+v", looks.Info, full.Info)
	}
	sp := spaceOf(t, full)
	surveyed(sp, 1, func(s space.Setting) {
		value, cost := full.Evaluate(s)
		s[epochsName] = space.Float(lcEpochs)
		if v, c := looks.Evaluate(s); v != value || c != cost {
			t.Fatalf("%v: %v for %v, without a fidelity %v for %v", s, v, c, value, cost)
		}
	})
}
