package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every verb has a manual page, and man can show it.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	root := rootCommand(&app{out: io.Discard, err: io.Discard})
	if err := writeManual(root, dir); err != nil {
		t.Fatal(err)
	}
	var missing []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		if raw, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(raw), ".SH SYNOPSIS") {
			missing = append(missing, name)
		}
		for _, verb := range c.Commands() {
			if !verb.Hidden && verb.IsAvailableCommand() {
				walk(verb)
			}
		}
	}
	walk(root)
	if len(missing) > 0 {
		t.Errorf("there are no pages %v", missing)
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("the pages are not formatted: there is no groff on this machine")
	}
	pages, _ := filepath.Glob(filepath.Join(dir, "*.1"))
	out, err := exec.Command(groff, append([]string{"-man", "-Tutf8", "-ww", "-z"}, pages...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// Text that looks like an instruction of roff stays text.
func TestRoffText(t *testing.T) {
	if got := roffText(".so /etc/passwd\n'x \\n-1…"); got != "\\&.so /etc/passwd\n\\&'x \\en\\-1\\[u2026]" {
		t.Errorf("%q", got)
	}
}
