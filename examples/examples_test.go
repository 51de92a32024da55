// Package examples keeps the examples working.
package examples

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// read returns the study of an example.
func read(t *testing.T, file string) *study.Study {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := study.Parse(raw, file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every study file is valid, and its command can be made for every setting.
func TestStudies(t *testing.T) {
	files, err := filepath.Glob("*/study.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%v, %v, want three studies or more", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Dir(file), func(t *testing.T) {
			s := read(t, file)
			for _, setting := range settings(t, s) {
				argv, err := s.Argv(setting, map[string]string{"params": "p", "result": "r", "dir": "d", "trial": "1"})
				if err != nil {
					t.Fatal(err)
				}
				if line := strings.Join(argv, " "); strings.ContainsAny(line, "{}") {
					t.Errorf("%s has a placeholder left", line)
				}
			}
		})
	}
}

// settings returns the ends of a study's space and some points between them.
func settings(t *testing.T, s *study.Study) (list []space.Setting) {
	t.Helper()
	sp, err := s.Space()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for k := range 50 {
		unit := make([]float64, sp.Dim())
		for i := range unit {
			switch unit[i] = random.Float64(); k {
			case 0, 1:
				unit[i] = float64(k)
			}
		}
		list = append(list, sp.Decode(unit))
	}
	return list
}

// The quickstart gives an argument to every parameter that exists, and none to momentum under adam.
func TestQuickstartArguments(t *testing.T) {
	s := read(t, "quickstart/study.yaml")
	for _, setting := range settings(t, s) {
		argv, err := s.Argv(setting, nil)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, p := range s.Parameters {
			if value, exists := setting[p.Name]; exists {
				want = append(want, fmt.Sprintf("--%s=%s", p.Name, value))
			}
		}
		want = append(want, fmt.Sprintf("--%s=%s", s.Fidelity.Name, setting[s.Fidelity.Name]))
		if prefix := []string{"eke", "example", "spirals"}; !slices.Equal(argv, append(prefix, want...)) {
			t.Errorf("%q, want %q after %q", argv, want, prefix)
		}
	}
}

func TestPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here:", err)
	}
	compare(t, "python", "python",
		space.Setting{"rounds": space.Int(20), "rate": space.Float(0.1), "bins": space.Int(8), "subsample": space.Float(0.5)},
		space.Setting{"rounds": space.Int(120), "rate": space.Float(0.3), "bins": space.Int(32), "subsample": space.Int(1)})
}

func TestSimulation(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler here:", err)
	}
	dir := t.TempDir() // built elsewhere: a test leaves nothing among the sources
	source := filepath.Join("simulation", "heatsink.c")
	build := exec.Command(compiler, "-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror",
		"-o", filepath.Join(dir, "heatsink"), source, "-lm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	compare(t, "simulation", dir,
		space.Setting{"thickness": space.Float(0.5), "gap": space.Int(3), "height": space.Int(10), "material": space.String("steel")},
		space.Setting{"thickness": space.Float(0.5), "gap": space.Int(5), "height": space.Int(20), "material": space.String("aluminium")})
}

// compare runs an example with a cheap and poor setting and with one that is neither.
func compare(t *testing.T, example, workdir string, poor, good space.Setting) {
	t.Helper()
	s := read(t, filepath.Join(example, "study.yaml"))
	cheap, expensive := try(t, s, workdir, poor), try(t, s, workdir, good)
	if !(cheap.cost < expensive.cost) || !(expensive.value < cheap.value) {
		t.Errorf("%v: %v for %v, %v: %v for %v; want less for less", poor, cheap.value, cheap.cost, good, expensive.value, expensive.cost)
	}
}

type result struct{ value, cost float64 }

// try runs an example's command as eke does.
func try(t *testing.T, s *study.Study, workdir string, setting space.Setting) result {
	t.Helper()
	sp, err := s.Space()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sp.Encode(setting); err != nil {
		t.Fatal(err)
	}
	argv, err := s.Argv(setting, nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	job := engine.Job{
		Argv: argv, Setting: setting, Study: s.Name, Trial: 1,
		Dir: t.TempDir(), WorkDir: workdir, Limit: 10 * time.Minute, // it bounds a hang; a busy machine may take long
		Objective: s.Objective.Name, WallTime: s.Measured(), Changed: func() { close(ended) },
	}
	var e local.Engine
	if err := e.Submit(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	<-ended
	list, err := e.Poll(t.Context(), []engine.Job{job})
	if err != nil {
		t.Fatal(err)
	}
	out := list[0].Outcome
	cost, err := e.Cost(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	if out.State != study.Done || !finite(out.Value) || !cost.Known || !finite(cost.Amount) || cost.Amount <= 0 {
		t.Fatalf("%q: %+v", argv, out)
	}
	t.Logf("%v: %v for %v in %.3f s", setting, out.Value, cost.Amount, out.Wall)
	return result{out.Value, cost.Amount}
}
