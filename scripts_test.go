package eke_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// A failure of either command is one of both, and what the first says is said after the second.
func TestBeside(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash: ", err)
	}
	for _, c := range []struct {
		first, second string
		code          int
	}{
		{"echo one", "sleep 0.1; echo two", 0},
		{"echo one; exit 3", "echo two", 3},
		{"sleep 0.1; echo one; false", "echo two", 1},
		{"echo one", "echo two; exit 4", 4},
		{"echo one; exit 3", "echo two; exit 4", 4},
		{"echo one; kill -9 $$", "echo two", 137},
	} {
		out, err := exec.Command("scripts/beside", "sh", "-c", c.first, "--", "sh", "-c", c.second).Output() // the shell's own word on who was killed is no part of it
		code, exit := 0, (*exec.ExitError)(nil)
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		before, after, _ := strings.Cut(string(out), "========")
		if code != c.code || !strings.HasPrefix(before, "two\n") || !strings.Contains(after, "\none\n") || strings.Contains(after, "FAIL") != (c.code != 0) {
			t.Errorf("%q beside %q ended with %d, want %d:\n%s", c.first, c.second, code, c.code, out)
		}
	}
}
