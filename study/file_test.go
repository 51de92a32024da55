package study

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
)

var update = flag.Bool("update", false, "write the expected messages of testdata/bad anew")

// valueEqual compares values as bits; cmp cannot look into them.
var valueEqual = cmp.Comparer(func(a, b space.Value) bool { return a == b })

func read(t testing.TB, pattern string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(names), err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = raw
	}
	return files
}

func at(x float64) *float64 { return &x }

func TestParse(t *testing.T) {
	str, num := space.String, space.Int
	want := map[string]*Study{
		"airfoil": {
			Name: "airfoil", Objective: Objective{Name: "loss", Goal: Minimize}, Cost: Cost{Unit: "core-hours", Source: Reported},
			Budget: Budget{Total: 200, PerTrial: 20, Deadline: 72 * time.Hour},
			Parameters: []space.Param{
				{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 0.1, Log: true},
				{Name: "n", Kind: space.KindInt, Min: 1, Max: 64},
				{Name: "opt", Kind: space.KindChoice, Values: []space.Value{str("sgd"), str("adam")}},
				{Name: "beta", Kind: space.KindFloat, Max: 1, When: []space.Condition{{Param: "opt", Values: []space.Value{str("adam")}}}},
			},
			Command: []string{"python", "train.py", "--lr={lr}", "--opt={opt}"}, Parallel: 2,
			Policy: Policy{Name: "auto", Preset: PresetDefault}, Seed: 1,
		},
		"limits": {
			Name: "kiln", Objective: Objective{Name: "objective", Goal: Maximize}, Cost: Cost{Unit: "euros", Source: Reported},
			Budget: Budget{Total: 200, PerTrial: 20, Trials: 40, Limit: LimitNone, Over: OverCut},
			Parameters: []space.Param{
				{Name: "batch", Kind: space.KindInt, Min: 1, Max: 512, Log: true},
				{Name: "accum", Kind: space.KindInt, Min: 1, Max: 16},
				{Name: "lr", Kind: space.KindFloat, Max: 1, Step: 0.05},
				{Name: "skip", Kind: space.KindBool, When: []space.Condition{
					{Param: "accum", Values: []space.Value{str(">= 2")}}, {Param: "lr", Values: []space.Value{num(0), str("> 0.5")}}}},
			},
			Where:   []string{"batch * accum <= 512", "lr < 1 or accum == 1"},
			Command: []string{"train", "--batch={batch}", "--accum={accum}", "--lr={lr}", "--skip={skip}"}, Parallel: 1,
			Policy: Policy{Name: "auto", Preset: PresetDefault},
		},
		"changeover": {
			Name: "kiln", Objective: Objective{Name: "objective", Goal: Maximize}, Cost: Cost{Unit: "euros", Source: Reported}, Budget: Budget{Total: 200},
			Parameters: []space.Param{
				{Name: "temperature", Kind: space.KindFloat, Min: 100, Max: 300},
				{Name: "solvent", Kind: space.KindChoice, Values: []space.Value{str("water"), str("ethanol"), str("acetone")}},
				{Name: "time", Kind: space.KindInt, Min: 1, Max: 60},
			},
			Changeover: []Changeover{
				{Of: []string{"temperature"}, Cost: at(20), PerUnit: 0.5, Down: &Downward{Cost: at(5)}},
				{Of: []string{"solvent", "time"}, Cost: at(12)}, {Of: []string{"solvent"}}, {Of: []string{"time"}, Down: &Downward{}},
			},
			Initial:  space.Setting{"temperature": num(20), "solvent": str("water")},
			Parallel: 1, Policy: Policy{Name: "auto", Preset: PresetDefault},
		},
		"metrics": {
			Name: "kiln", Objective: Objective{Name: "loss", Goal: Minimize, Min: at(-0.5)}, Cost: Cost{Unit: "euros", Source: Reported}, Budget: Budget{Total: 200},
			Parameters: []space.Param{{Name: "batch", Kind: space.KindInt, Min: 1, Max: 512, Log: true}},
			Limits: Limits{
				"memory":     {Max: at(8), Unit: "GB", ExceededBy: &ExceededBy{Stderr: "out of memory", Exit: []int{137}}},
				"latency_ms": {Max: at(50)}, "yield": {Min: at(0.9)}, "weight": {Max: at(3), Unit: "kg"},
				"pressure": {Max: at(math.Nextafter(5, 0)), Min: at(3), Unit: "bar"},
			},
			Command: []string{"train", "--batch={batch}"}, Parallel: 1, Policy: Policy{Name: "auto", Preset: PresetDefault},
		},
		"objectives": {
			Name: "oven", Objective: Objective{Name: "accuracy", Goal: Maximize, Min: at(0), Max: at(1)}, Cost: Cost{Unit: "euros", Source: Reported}, Budget: Budget{Total: 200},
			Objectives: []Aim{{Objective: Objective{Name: "accuracy", Goal: Maximize, Min: at(0), Max: at(1)}}, {Objective: Objective{Name: "latency_ms", Goal: Minimize}, Worst: at(200)}, {Objective: Objective{Name: "memory", Goal: Minimize}}},
			Parameters: []space.Param{{Name: "batch", Kind: space.KindInt, Min: 1, Max: 512}}, Limits: Limits{"yield": {Min: at(0.9)}},
			Parallel: 1, Policy: Policy{Name: "auto", Preset: PresetDefault},
		},
		"walltime": {
			Name: "walltime", Objective: Objective{Name: "objective", Goal: Maximize}, Cost: Cost{Unit: "seconds", Source: Walltime},
			Budget: Budget{Total: 9000, PerTrial: 90},
			Parameters: []space.Param{
				{Name: "layers", Kind: space.KindInt, Min: 2, Max: 32, Step: 2},
				{Name: "width", Kind: space.KindInt, Min: 1, Max: 1024, Log: true},
				{Name: "size", Kind: space.KindOrdered, Values: []space.Value{num(1), space.Float(2.5), str("large"), space.Bool(true), str("10")}},
				{Name: "fast", Kind: space.KindBool},
				{Name: "root", Kind: space.KindFixed, Value: str("/data")},
				{Name: "tail", Kind: space.KindFloat, Min: -1, Max: 1, When: []space.Condition{
					{Param: "fast", Values: []space.Value{space.Bool(true)}}, {Param: "size", Values: []space.Value{num(1), str("large")}}}},
			},
			Command: []string{"./sim", "--layers={layers}", "--out={dir}/out-{trial}.txt", "{{literal}}", "--tail={tail}"},
			Env:     map[string]string{"OMP_NUM_THREADS": "4", "DATA": "{root}/x"}, Workdir: "sim", Parallel: 1,
			Policy: Policy{"bmsei", PresetPaper, []int{4, 4, 2}, 8}, Seed: maxSeed, Noisy: true,
		},
		"slurm": {
			Name: "cluster", Objective: Objective{Name: "loss", Goal: Minimize}, Cost: Cost{Unit: "EUR", Source: "slurm", Of: "gpu-hours", Price: 1.25},
			Budget: Budget{Total: 200, PerTrial: 10},
			Parameters: []space.Param{
				{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 0.1, Log: true},
				{Name: "threads", Kind: space.KindInt, Min: 1, Max: 16},
			},
			Command: []string{"python", "train.py", "--lr={lr}"}, Parallel: 8, Policy: Policy{Name: "auto", Preset: PresetDefault},
			Engine: &Engine{
				Type: "slurm", Poll: Span(10 * time.Second), Save: Span(2 * time.Minute), Setup: []string{"module load python"},
				Options: map[string]string{"partition": "gpu", "gres": "gpu:a100:2", "cpus-per-task": "{threads}", "mem": "16G", "requeue": "true"},
			},
		},
		"kubernetes": {
			Name: "pods", Objective: Objective{Name: "loss", Goal: Minimize}, Cost: Cost{
				Unit: "EUR", Source: "kubernetes", Prices: map[string]float64{"cpu-hour": 0.03, "gib-hour": 0.004, "nvidia.com/gpu-hour": 2.1}, From: FromScheduled,
				NodePrices: map[string]map[string]float64{"pool=spot": {"cpu-hour": 0.01, "gib-hour": 0.001, "nvidia.com/gpu-hour": 0.7}},
			},
			Budget: Budget{Total: 200, PerTrial: 10},
			Parameters: []space.Param{
				{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 0.1, Log: true},
				{Name: "threads", Kind: space.KindInt, Min: 1, Max: 16},
			},
			Command: []string{"python", "train.py", "--lr={lr}"}, Parallel: 8, Policy: Policy{Name: "auto", Preset: PresetDefault},
			Engine: &Engine{
				Type: "kubernetes", Time: Span(2 * time.Hour), Namespace: "tuning", Image: "registry.example.org/train:1", Template: "pod.yaml", Queue: "gpus", Context: "lab",
				Resources: map[string]string{"cpu": "{threads}", "memory": "8Gi", "nvidia.com/gpu": "1"},
			},
		},
		"fidelity": {
			Name: "mnist", Objective: Objective{Name: "loss", Goal: Minimize}, Cost: Cost{Unit: "euros", Source: Reported}, Budget: Budget{Total: 200},
			Parameters: []space.Param{{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 0.1, Log: true}},
			Fidelity:   &Fidelity{Name: "epochs", Min: 1, Max: 81, Log: true}, Where: []string{"lr * epochs <= 5"},
			Command: []string{"python", "train.py", "--lr={lr}", "--epochs={epochs}"}, Env: map[string]string{"EPOCHS": "{epochs}"},
			Parallel: 1, Policy: Policy{Name: "auto", Preset: PresetDefault},
			Trials: []space.Setting{{"lr": space.Float(0.01), "epochs": num(81)}, {"lr": space.Float(0.02), "epochs": num(3)}},
		},
		"fidelity-start-from": {
			Name: "mnist", Objective: Objective{Name: "loss", Goal: Minimize}, Cost: Cost{Unit: "euros", Source: Reported}, Budget: Budget{Total: 200},
			Parameters: []space.Param{{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 0.1, Log: true}, {Name: "batch-size", Kind: space.KindInt, Min: 16, Max: 512, Log: true}},
			Fidelity:   &Fidelity{Name: "epochs", Min: 1, Max: 81}, Parallel: 1, Policy: Policy{Name: "auto", Preset: PresetThorough}, StartFrom: "mnist-1",
		},
		"slots": {
			Name: "airfoil", Objective: Objective{Name: "loss", Goal: Minimize}, Cost: Cost{Unit: "core-hours", Source: Reported}, Budget: Budget{Total: 200, PerTrial: 20, Deadline: 72 * time.Hour},
			Parameters: []space.Param{{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 1e-1, Log: true}, {Name: "n", Kind: space.KindInt, Min: 1, Max: 64}},
			Command:    []string{"python", "train.py"}, Protocol: ProtocolLines, Env: map[string]string{"STUDY": "{study}"},
			Slots:    []Slot{{Env: map[string]string{"CUDA_VISIBLE_DEVICES": "0"}}, {Env: map[string]string{"CUDA_VISIBLE_DEVICES": "1", "A": "{{b}}"}}, {}},
			Parallel: 3, Policy: Policy{Name: "auto", Preset: PresetDefault},
		},
		"gpus": {
			Name: "airfoil", Objective: Objective{Name: "loss", Goal: Minimize}, Cost: Cost{Unit: "core-hours", Source: Reported}, Budget: Budget{Total: 200, PerTrial: 20, Deadline: 72 * time.Hour},
			Parameters: []space.Param{{Name: "lr", Kind: space.KindFloat, Min: 1e-5, Max: 1e-1, Log: true}, {Name: "n", Kind: space.KindInt, Min: 1, Max: 64}},
			Command:    []string{"python", "train.py"}, GPUs: GPUsAuto, Policy: Policy{Name: "auto", Preset: PresetDefault},
		},
		"json": {
			Name: "json", Objective: Objective{Name: "objective", Goal: Minimize}, Cost: Cost{Unit: "units", Source: Reported}, Budget: Budget{Total: 1000},
			Parameters: []space.Param{{Name: "5", Kind: space.KindFloat, Max: 1}}, Parallel: 1,
			Policy: Policy{Name: "6-bmsei-p", Preset: PresetDefault},
		},
	}
	for file, raw := range read(t, "testdata/good/*.yaml") {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		got, err := Parse(raw, file)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if diff := cmp.Diff(want[name], got, valueEqual); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if _, err := got.Space(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got.Measured() != (name == "walltime") {
			t.Errorf("%s: Measured is %v", name, got.Measured())
		}
		windows, err := Parse([]byte("\ufeff"+strings.ReplaceAll(string(raw), "\n", "\r\n")), file)
		if err != nil || !cmp.Equal(got, windows, valueEqual) {
			t.Errorf("%s as written by an editor of another system: %v", name, err)
		}
	}
}

// shown is an error of a study file as people see it.
func shown(err error) string {
	var b strings.Builder
	for _, d := range fault.Details(err) {
		fmt.Fprintln(&b, d.Message)
		if d.Excerpt != "" {
			fmt.Fprintln(&b, d.Excerpt)
		}
		fmt.Fprintln(&b, "  hint: "+d.Hint)
	}
	return b.String()
}

// TestMessages holds every message to the text beside the file; -update writes these anew.
func TestMessages(t *testing.T) {
	for file, raw := range read(t, "testdata/bad/*.yaml") {
		_, err := Parse(raw, filepath.Base(file))
		if err == nil {
			t.Errorf("%s: no error", file)
			continue
		}
		golden := strings.TrimSuffix(file, ".yaml") + ".txt"
		got := shown(err)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestEveryErrorIsComplete(t *testing.T) {
	for file, raw := range read(t, "testdata/bad/*.yaml") {
		_, err := Parse(raw, file)
		checkErrors(t, raw, err)
		var first *Error
		if !errors.As(err, &first) {
			t.Errorf("%s: no Error in %T", file, err)
		}
	}
}

// checkErrors holds an error of Parse to what is promised of all.
func checkErrors(t *testing.T, raw []byte, err error) {
	t.Helper()
	var list Errors
	if !errors.As(err, &list) || len(list) == 0 {
		t.Fatalf("%T is not Errors, or empty", err)
	}
	lines := strings.Count(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(raw)), "\n") + 1
	for _, e := range list {
		if e.Problem == "" || e.Hint == "" {
			t.Errorf("no problem or no hint: %#v", e)
		}
		if strings.ContainsAny(e.Error()+e.Hint, "\n\r\x1b\x00") || len(e.Error()+e.Excerpt()+e.Hint) > 4000 {
			t.Errorf("more than one line, or too long: %#v", e)
		}
		if len(raw) <= MaxFile && e.Line == 0 && !strings.Contains(e.Problem, "more errors") {
			t.Errorf("no line: %#v", e)
		}
		if e.Line > lines {
			t.Errorf("line %d of %d", e.Line, lines)
		}
	}
}

func TestParseRefusesTooMuch(t *testing.T) {
	for name, text := range map[string]string{
		"bytes":    strings.Repeat("#", MaxFile+1),
		"brackets": strings.Repeat("[", MaxFile),
		"braces":   strings.Repeat("{a: ", MaxFile/4),
		"dashes":   strings.Repeat("- ", MaxFile/2),
		"keys":     strings.Repeat("a: 1\n", MaxFile/5),
		"anchors":  strings.Repeat("&a ", MaxFile/3),
	} {
		start := time.Now()
		_, err := Parse([]byte(text), "large.yaml")
		checkErrors(t, []byte(text), err)
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
		if n := len(shown(err)); n > 20_000 {
			t.Errorf("%s: a message of %d bytes", name, n)
		}
	}
}

func TestManyErrorsAreCut(t *testing.T) {
	_, err := Parse([]byte(strings.Repeat("key: 1\n", 500)), "many.yaml")
	var list Errors
	if !errors.As(err, &list) {
		t.Fatal(err)
	}
	if n := len(list); n != maxErrors+1 || list[n-1].Error() != "many.yaml: there are 455 more errors" {
		t.Errorf("%d errors, the last %q", n, list[n-1].Error())
	}
}
