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

// The optima are those that are found; EKE_OPTIMA=1 finds all, and prints them.
func TestLCBenchOptima(t *testing.T) {
	s := lcData(t)
	for i, l := range lcTable {
		if os.Getenv("EKE_OPTIMA") == "" && i != 6 {
			continue
		}
		best := lcOptimum(s, l.id)
		if os.Getenv("EKE_OPTIMA") != "" {
			fmt.Printf("\t{%q, %v},\n", l.id, best)
		}
		if best != l.best {
			t.Errorf("task %s: %v, the table has %v", l.id, best, l.best)
		}
	}
}
