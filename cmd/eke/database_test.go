package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/fault"
)

// A study lives in a database as it does in a file: the verbs do not know which it is.
func TestDatabase(t *testing.T) {
	dir := t.TempDir()
	url := strings.Replace(newDatabase(t, "postgres", dir).url, "postgres@", "postgres:hunter2@", 1)
	study := "name: kiln\nobjective: {name: loss, goal: minimize}\ncost: {source: reported}\nbudget: {total: 10}\nparameters:\n  x: {type: float, min: 0, max: 1}\n"
	if err := os.WriteFile(filepath.Join(dir, "study.yaml"), []byte(study), 0o644); err != nil {
		t.Fatal(err)
	}
	eke := func(want int, args ...string) string {
		t.Helper()
		cmd := exec.Command("eke", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "EKE_DB="+url)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Fatalf("eke %v ended with %d, not %d:\n%s", args, got, want, out)
		}
		if strings.Contains(string(out), "hunter2") {
			t.Errorf("eke %v tells the password:\n%s", args, out)
		}
		return string(out)
	}
	eke(fault.ExitFine, "studies")
	eke(fault.ExitNotFound, "status")
	eke(fault.ExitFine, "ask")
	eke(fault.ExitFine, "tell", "1", "--value", "0.5", "--cost", "2")
	if out := eke(fault.ExitFine, "best"); !strings.Contains(out, "0.5") {
		t.Errorf("best: %s", out)
	}
	eke(fault.ExitNotFound, "status", "klin")
	eke(fault.ExitFine, "--help")
	safe := strings.Replace(url, ":hunter2@", "@", 1)
	if out := eke(fault.ExitWrong, "studies", "--db", strings.Replace(safe, "/postgres?", "/nowhere?", 1)); !strings.Contains(out, "hint: create it first") {
		t.Errorf("no database: %s", out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left beside the study file: %v, %v", left, err)
	}
}

// Arguments can be seen by everybody on a machine: a password is not taken from there, nor repeated.
func TestPasswordInArguments(t *testing.T) {
	for _, url := range []string{"postgres://me:hunter2@127.0.0.1:1/eke", "postgres://me@127.0.0.1:1/eke?password=hunter2"} {
		for _, verb := range []string{"serve", "token list", "studies"} {
			cmd := exec.Command("eke", append(strings.Fields(verb), "--db", url)...)
			cmd.Dir = t.TempDir()
			out, _ := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != fault.ExitUsage || !strings.Contains(string(out), "$EKE_DB") || strings.Contains(string(out), "hunter2") {
				t.Errorf("eke %s: %d\n%s", verb, cmd.ProcessState.ExitCode(), out)
			}
		}
	}
	for _, fine := range []string{"eke.db", "postgres://me@host/eke", "postgres://%zz", "a:b@c.db"} {
		if hasPassword(fine) {
			t.Errorf("%s has none", fine)
		}
	}
}
