package eke_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
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

// unpinned lists the images that a Containerfile is built from without saying which version of them is meant. A tag may be moved.
func unpinned(file string) (images []string) {
	stages := []string{"scratch"}
	for line := range strings.Lines(file) {
		words := strings.Fields(line)
		if len(words) < 2 || !strings.EqualFold(words[0], "FROM") {
			continue
		}
		words = slices.DeleteFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "--") })
		if !slices.Contains(stages, words[0]) && !strings.Contains(words[0], "@sha256:") {
			images = append(images, words[0])
		}
		if len(words) == 3 {
			stages = append(stages, words[2])
		}
	}
	return images
}

// What the container is built from cannot be changed by whoever keeps a registry.
func TestContainerIsPinned(t *testing.T) {
	file, err := os.ReadFile("deploy/Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	if images := unpinned(string(file)); len(images) > 0 {
		t.Errorf("deploy/Containerfile is built from %q: name each by its digest, as in image@sha256:…", images)
	}
	if images := unpinned("FROM --platform=x golang:1.26 AS build\nRUN true\nfrom build\nFROM scratch\nFROM debian@sha256:12"); !slices.Equal(images, []string{"golang:1.26"}) {
		t.Errorf("of a tag it finds %q", images)
	}
}
