package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

// optunaStudy makes a study of 200 trials and prints its best value.
const optunaStudy = `
import math, optuna
optuna.logging.set_verbosity(optuna.logging.ERROR)
def objective(t):
    lr = t.suggest_float("lr", 1e-5, 1e-1, log=True)
    layers = t.suggest_int("layers", 1, 8)
    opt = t.suggest_categorical("opt", ["sgd", "adam"])
    t.set_user_attr("gpu_hours", 0.1 * layers)
    if layers == 8 and opt == "sgd":
        raise optuna.TrialPruned()
    return (math.log10(lr) + 3) ** 2 + abs(layers - 4) + (opt == "sgd")
study = optuna.create_study(storage="sqlite:///optuna.db", study_name="net", sampler=optuna.samplers.RandomSampler(seed=1))
study.optimize(objective, n_trials=200)
print(repr(study.best_value))
pair = optuna.create_study(storage="sqlite:///pair.db", directions=["maximize", "minimize"], sampler=optuna.samplers.RandomSampler(seed=1))
pair.optimize(lambda t: (1 - (1 - t.suggest_float("x", 0, 1)) ** 2 - t.suggest_float("waste", 0, 1) / 3, 5 + 190 * t.params["x"] ** 3), n_trials=12)
for t in pair.best_trials:
    print(*map(repr, t.values))
`

// An Optuna study of 200 trials is imported and continued: its best is the best, and the first suggestion goes by it.
func TestOptunaIsContinued(t *testing.T) {
	python := ""
	for _, one := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(one, "-c", "import optuna").Run() == nil {
			python = one
			break
		}
	}
	if python == "" {
		t.Skip("Optuna is not installed (scripts/optuna installs it); what it keeps is still read by the tests of internal/results")
	}
	k := &killed{t: t, dir: t.TempDir()}
	make := exec.Command(python, "-c", optunaStudy)
	make.Dir = k.dir
	out, err := make.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	line, pairs, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	best, err := strconv.ParseFloat(line, 64)
	if err != nil {
		t.Fatal(err)
	}
	file := "name: net\nobjective: {name: loss, goal: minimize}\ncost: {source: reported, unit: gpu-hours}\nbudget: {total: 20}\nparameters:\n" +
		"  lr: {type: float, min: 1e-5, max: 1e-1, log: true}\n  layers: {type: int, min: 1, max: 8}\n  opt: {type: choice, values: [sgd, adam]}\n"
	if err := os.WriteFile(filepath.Join(k.dir, "study.yaml"), []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(into any, args ...string) {
		t.Helper()
		out, err := k.eke(append(args, "--json")...).Output()
		if err == nil {
			err = json.Unmarshal(out, into)
		}
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	var imported struct {
		Added   int `json:"added"`
		Without int `json:"without_result"`
		Refused []any
	}
	run(&imported, "import", "study.yaml", "optuna.db")
	if imported.Added+imported.Without != 200 || imported.Added < 150 || imported.Without == 0 || len(imported.Refused) > 0 {
		t.Errorf("%+v", imported)
	}
	var top struct {
		Value float64 `json:"value"`
	}
	if run(&top, "best"); top.Value != best {
		t.Errorf("the best is %v, Optuna's %v", top.Value, best)
	}
	var asked []study.Trial
	run(&asked, "ask")
	why, ok := advisor.WhyOf(asked[0].Why)
	if !ok || why.Policy == "design" || why.Expected == nil {
		t.Fatalf("the first suggestion does not go by what was imported: %s", asked[0].Why)
	}
	lr, _ := asked[0].Setting["lr"].Number()
	layers, _ := asked[0].Setting["layers"].Number()
	if got := math.Pow(math.Log10(lr)+3, 2) + math.Abs(layers-4); got > 2 {
		t.Errorf("after 200 results it suggests %v, which is far from the best", asked[0].Setting)
	}

	// A study with several directions: all objectives come along, and the front is Optuna's.
	file = "name: pair\nobjectives: {accuracy: {goal: maximize}, latency_ms: {goal: minimize}}\ncost: {source: reported, unit: gpu-hours}\nbudget: {total: 20}\nparameters:\n" +
		"  x: {type: float, min: 0, max: 1}\n  waste: {type: float, min: 0, max: 1}\n"
	if err := os.WriteFile(filepath.Join(k.dir, "pair.yaml"), []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	if run(&imported, "import", "pair.yaml", "pair.db"); imported.Added != 12 {
		t.Errorf("%+v", imported)
	}
	var found struct {
		Front []struct {
			Objectives map[string]float64 `json:"objectives"`
		} `json:"front"`
	}
	run(&found, "front", "pair")
	var want, got []string
	for pair := range strings.SplitSeq(pairs, "\n") {
		var accuracy, latency float64
		if _, err := fmt.Sscan(pair, &accuracy, &latency); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprint(accuracy, latency))
	}
	for _, f := range found.Front {
		got = append(got, fmt.Sprint(f.Objectives["accuracy"], f.Objectives["latency_ms"]))
	}
	slices.Sort(want)
	if slices.Sort(got); len(got) < 2 || !slices.Equal(got, want) {
		t.Errorf("the front is %v, Optuna's %v", got, want)
	}
}
