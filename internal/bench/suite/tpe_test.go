package suite

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/bench/problem"
	"github.com/eke-bo/eke/internal/bench/variant"
)

// Optuna's TPE plays a problem with choices and conditions to the end of the money, twice the same.
func TestTPE(t *testing.T) {
	if err := exec.Command("/usr/bin/python3", "-c", "import optuna").Run(); err != nil {
		t.Skip("Optuna is not installed (Debian: apt-get install python3-optuna)")
	}
	v, err := variant.Parse("tpe")
	if err != nil {
		t.Fatal(err)
	}
	var first Run
	for i := range 2 {
		task, err := problem.NewTask("network", 1, os.Getenv("EKE_DATA"))
		if err != nil {
			t.Fatal(err)
		}
		run, err := Play(t.Context(), task, v)
		if err != nil {
			t.Fatal(err)
		}
		if run.Ended != "spent" || run.Trials < 10 || run.Final() > 0 {
			t.Errorf("%+v", run)
		}
		if i > 0 && (run.Trials != first.Trials || run.Final() != first.Final()) {
			t.Errorf("%d trials to %v, and %d to %v", first.Trials, first.Final(), run.Trials, run.Final())
		}
		first = run
	}
}

// Without Optuna the error says what to install.
func TestTPEWithoutPython(t *testing.T) {
	t.Setenv("EKE_PYTHON", "/nonexistent/python")
	task, err := problem.NewTask("menu", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	v, _ := variant.Parse("tpe")
	if _, err := Play(t.Context(), task, v); err == nil || !strings.Contains(err.Error(), "python3-optuna") {
		t.Errorf("%v", err)
	}
}
