package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"eke": main, "ticks": ticks}) }

// The scripts read as a tutorial, in the order of their names.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "waitfor": waitfor, "sed": sed, "append": appends, "apiserver": apiserver,
		},
	})
}

// waitfor runs a command again and again until it succeeds and prints a trial.
func waitfor(ts *testscript.TestScript, neg bool, args []string) {
	for range 1200 {
		out := &strings.Builder{}
		c := exec.Command(args[0], args[1:]...)
		c.Dir, c.Env, c.Stdout = ts.Getenv("WORK"), []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME")}, out
		if c.Path, _ = findIn(ts.Getenv("PATH"), args[0]); c.Run() == nil && strings.Contains(out.String(), "\n1 ") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("it did not come")
}

// findIn finds a program where the script's commands are.
func findIn(path, name string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fs.ErrNotExist
}

// sed copies a file with a text replaced: sed 's/old/new/' from to.
func sed(ts *testscript.TestScript, _ bool, args []string) {
	parts := strings.Split(args[0], "/")
	text := strings.Replace(ts.ReadFile(args[1]), parts[1], parts[2], 1)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(text), 0o666))
}

// appends adds a line to a file: append file line.
func appends(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[0])+args[1]+"\n"), 0o666))
}

// exits runs a command that must end with a code: exits 3 eke ask.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("it ended with %d, not %d", code, want)
	}
}
