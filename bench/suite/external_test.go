package suite

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/variant"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
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

// sweeper is the smallest program that takes part: it walks along the first parameter.
const sweeper = `
import json, sys
task = json.loads(sys.stdin.readline())
n = 0
for line in sys.stdin:
    message = json.loads(line)
    if "ask" in message:
        n += 1
        p = task["params"][0]
        setting = {q["name"]: q.get("min", 0) for q in task["params"]}
        setting[p["name"]] = p.get("min", 0) + (p["max"] - p.get("min", 0)) * (n % 8) / 8
        print(json.dumps({"done": True} if n > LAST else {"number": n, "setting": setting}), flush=True)
`

func playExternal(t *testing.T, script string) (Run, error) {
	t.Helper()
	task, err := problem.NewTask("branin-ramp", 1, "")
	if err != nil {
		t.Fatal(err)
	}
	return playExternalOn(t, script, task)
}

func playExternalOn(t *testing.T, script string, task *problem.Task) (Run, error) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	path := filepath.Join(t.TempDir(), "other.py")
	if err := os.WriteFile(path, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	v, err := variant.Parse("external:python3 " + path)
	if err != nil {
		t.Fatal(err)
	}
	return Play(t.Context(), task, v)
}

// Any program takes part over lines of JSON: until the money is spent, or it says that it is done.
func TestExternal(t *testing.T) {
	for last, ended := range map[string]string{"10**9": "spent", "5": "not worth"} {
		run, err := playExternal(t, strings.Replace(sweeper, "LAST", last, 1))
		if err != nil || run.Ended != ended || run.Trials < 5 || !strings.HasPrefix(run.Policy, "external:python3") {
			t.Errorf("%s: %+v, %v", last, run, err)
		}
	}
}

// The programs in the documentation take part as they are printed.
func TestExternalAsPrinted(t *testing.T) {
	if run, err := playExternal(t, printed(t, "../../docs/EXTERNAL.md")); err != nil || run.Ended != "spent" {
		t.Errorf("%+v, %v", run, err)
	}
}

// The rival in bench/rivals/README.md plays problems of all kinds by the module that all rivals share: with choices and conditions, with failures,
// with a free design, and with a fidelity.
func TestRivalAsPrinted(t *testing.T) {
	rivals, err := filepath.Abs("../rivals")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", rivals)
	program := printed(t, "../rivals/README.md")
	for _, name := range []string{"network", "flags", "menu", "hartmann3-fails", "dropwave", "branin-fidelity"} {
		task, err := problem.NewTask(name, 1, "")
		if err != nil {
			t.Fatal(err)
		}
		run, err := playExternalOn(t, program, task)
		if err != nil || run.Ended != "spent" || run.Final() > 0 {
			t.Errorf("%s: %+v, %v", name, run, err)
		}
	}
}

// pruner prints, and stops all trainings but that of the design after three epochs.
const pruner = `
import protocol
print("a library says hello")

class Stopper(protocol.Cube):
    def ask(self, number):
        assert number > 1 and self.ended == [1], "the design comes first"
        return self.setting([1 / number])

    def __init__(self, task):
        super().__init__(task)
        self.ended = []
        assert task.steps == list(range(1, 10)), task.steps

    def go_on(self, number, setting, level, loss):
        return number == 1 or level < 3

    def tell(self, number, setting, loss, cost):
        assert number == 1 and abs(cost - 9) < 1e-9 and loss <= 0, (number, cost, loss)
        self.ended.append(number)

protocol.play(Stopper)
`

// A rival that stops trainings on their way is asked after every epoch, and told of what came to its end.
func TestRivalStops(t *testing.T) {
	rivals, err := filepath.Abs("../rivals")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", rivals)
	task := climb()
	task.Budget = 36 // the design may spend a quarter of it: one setting to its end
	run, err := playExternalOn(t, pruner, task)
	if err != nil || run.Ended != "spent" || run.Trials != 36 {
		t.Errorf("%+v, %v", run, err)
	}
}

// printed returns the program on a page.
func printed(t *testing.T, path string) string {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "```python\n")
	program, _, ok := strings.Cut(program, "```")
	if !ok {
		t.Fatalf("there is no program in %s", path)
	}
	return program
}

// climb is a problem with epochs, which cost 1 each. Looks are better than all that counts.
func climb() *problem.Task {
	return &problem.Task{
		Info: problem.Info{Name: "climb"}, Params: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}}, Goal: study.Maximize, Budget: 20, Best: 10, Scale: 1,
		Fidelity: &study.Fidelity{Name: "epochs", Min: 1, Max: 9, Resume: true},
		Evaluate: func(s space.Setting) (value, cost float64) {
			x, _ := s["x"].Number()
			if epochs, looked := s["epochs"].Number(); looked && epochs < 9 {
				return 9, epochs
			}
			return x, 9
		},
	}
}

// climber trains every setting of the design epoch by epoch, and stops the second after two.
const climber = `
import json, sys
task = json.loads(sys.stdin.readline())
assert task["fidelity"]["levels"] == [1, 3, 9] and task["fidelity"]["resume"], task
steps = [(s, e) for i, s in enumerate(task["design"]) for e in range(1, 3 if i == 1 else 10)]
costs = []
for line in sys.stdin:
    message = json.loads(line)
    if "ask" in message:
        setting, epochs = steps.pop(0) if len(costs) < 20 else ({"x": 0.5}, BAD)
        print(json.dumps({"number": len(costs), "setting": {**setting, "epochs": epochs}}), flush=True)
    else:
        costs.append(message["cost"])
        assert abs(message["cost"] - 1) < 1e-9, costs
`

// A program may ask for less than the highest fidelity, and go on from there: it pays for the difference, and only values at the highest count. It is told of
// the fidelity, and what to begin with.
func TestExternalClimbs(t *testing.T) {
	task := climb()
	run, err := playExternalOn(t, strings.Replace(climber, "BAD", "10", 1), task)
	if err != nil || run.Ended != "spent" || run.Trials != 20 {
		t.Fatalf("%+v, %v", run, err)
	}
	if best := 10 - math.Pow(10, run.Final()); best > 1 || best <= 0 {
		t.Errorf("the best is %v, which no full training had", best)
	}
	task.Budget = 21
	if _, err := playExternalOn(t, strings.Replace(climber, "BAD", "10", 1), task); err == nil || !strings.Contains(err.Error(), "is not one of the problem") {
		t.Errorf("a level above the highest: %v", err)
	}
}

// What a program does wrong is said with its own words.
func TestExternalMistakes(t *testing.T) {
	for script, want := range map[string]string{
		"import sys; sys.stdin.readline(); sys.exit('no licence')":                                        "no licence",
		"import sys; sys.stdin.readline(); sys.stdin.readline(); print('hello')":                          "is not an answer to ask",
		`import sys; sys.stdin.readline(); sys.stdin.readline(); print('{"number":1,"setting":{"q":1}}')`: "is not one of the problem",
	} {
		if _, err := playExternal(t, script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
	}
	if _, err := variant.Parse("external: "); err == nil {
		t.Error("a command was made of nothing")
	}
}
