//go:build unix

package local

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	text := write(t, filepath.Join(dir, "text.sh"), "echo objective=1\n", 0o644)
	for name, tc := range map[string]struct {
		c    engine.Job
		is   error
		says []string
	}{
		"no command":         {command(t), nil, []string{"there is no command"}},
		"not in PATH":        {command(t, "no-such-command-at-all"), exec.ErrNotFound, []string{"command not found", "no-such-command-at-all", "PATH"}},
		"no such file":       {command(t, "./nothing.sh"), fs.ErrNotExist, []string{"command not found", "/nothing.sh", "working directory"}},
		"no permission":      {command(t, text), fs.ErrPermission, []string{"no permission to execute", "chmod +x " + text}},
		"a directory":        {command(t, dir), nil, []string{"is a directory"}},
		"not a program":      {command(t, write(t, filepath.Join(dir, "odd"), "\x01\x02\x03\x04", 0o755)), syscall.ENOEXEC, []string{"not in a format", "#!/bin/sh"}},
		"no interpreter":     {command(t, write(t, filepath.Join(dir, "a.py"), "#!/no/such/python\n", 0o755)), fs.ErrNotExist, []string{"#!/no/such/python", "no such interpreter"}},
		"Windows line ends":  {command(t, write(t, filepath.Join(dir, "b.sh"), "#!/bin/sh\r\necho\r\n", 0o755)), fs.ErrNotExist, []string{"Unix line ends"}},
		"too long":           {command(t, "sh", "-c", strings.Repeat("x", 8<<20)), syscall.E2BIG, []string{"too long", engine.ParamsFile}},
		"NUL":                {command(t, "sh", "-c", "a\x00b"), nil, []string{"NUL"}},
		"no working dir":     {with(command(t, "true"), func(c *engine.Job) { c.WorkDir = filepath.Join(dir, "none") }), fs.ErrNotExist, []string{"working directory", "does not exist"}},
		"working dir a file": {with(command(t, "true"), func(c *engine.Job) { c.WorkDir = text }), syscall.ENOTDIR, []string{"working directory", "is a file"}},
		"no dir":             {with(command(t, "true"), func(c *engine.Job) { c.Dir = "" }), nil, []string{"no directory"}},
		"dir below a file":   {with(command(t, "true"), func(c *engine.Job) { c.Dir = filepath.Join(text, "7") }), syscall.ENOTDIR, []string{"a file in its place"}},
		"dir a file":         {with(command(t, "true"), func(c *engine.Job) { c.Dir = text }), syscall.ENOTDIR, []string{"a file in its place"}},
		"name too long":      {with(command(t, "true"), func(c *engine.Job) { c.Dir = filepath.Join(dir, strings.Repeat("x", 300)) }), syscall.ENAMETOOLONG, []string{"too long"}},
		"bad setting":        {with(command(t, "true"), func(c *engine.Job) { c.Setting = space.Setting{"x": space.Float(nan)} }), nil, []string{"cannot be written as JSON"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := refused(t, tc.c)
			if tc.is != nil && !errors.Is(e, tc.is) {
				t.Errorf("%v is not %v", e.Cause, tc.is)
			}
			says(t, e.Error()+"; "+fault.HintOf(e), tc.says...)
		})
	}
}

var nan = func() float64 { zero := 0.0; return zero / zero }()

func with(c engine.Job, change func(*engine.Job)) engine.Job {
	change(&c)
	return c
}

// What the system says about a folder becomes words.
func TestFileErrors(t *testing.T) {
	for errno, text := range map[syscall.Errno]string{
		syscall.ENOSPC: "the disk is full", syscall.EDQUOT: "quota", syscall.EROFS: "read-only",
		syscall.EACCES: "no permission", syscall.EMFILE: "too many open files", syscall.EIO: syscall.EIO.Error(),
	} {
		e := fileError(&fs.PathError{Op: "open", Path: "/x", Err: errno}, "/x")
		says(t, e.Error()+"; "+fault.HintOf(e), text, "/x")
	}
	for errno, text := range map[syscall.Errno]string{
		syscall.EAGAIN: "no room for another process", syscall.ETXTBSY: "is being written", syscall.EMFILE: "too many open files",
		syscall.EIO: "cannot be started",
	} {
		says(t, commandError(&fs.PathError{Op: "fork/exec", Path: "/x", Err: errno}, "x", "/x").Error(), text)
	}
}

// A relative path counts from the working directory, and PATH does not.
func TestProgramInWorkDir(t *testing.T) {
	work := t.TempDir()
	write(t, filepath.Join(work, "bin", "train.sh"), "#!/bin/sh\necho objective=1\necho cost=1\n", 0o755)
	c := command(t, "bin/train.sh")
	c.WorkDir = work
	if out := run(t, c); out.State != study.Done {
		t.Errorf("%+v", out)
	}
}

// An earlier result is neither taken for the new one nor lost.
func TestPrepareAgain(t *testing.T) {
	c := sh(t, "true")
	write(t, filepath.Join(c.Dir, engine.ResultFile), `{"objective": 1, "cost": 1}`, 0o666)
	if err := syscall.Mkfifo(filepath.Join(c.Dir, engine.StdoutFile), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if out := run(t, c); out.State != study.Failed {
			t.Errorf("%+v", out)
		}
		if old, err := os.ReadFile(filepath.Join(c.Dir, engine.ResultFile+"~")); err != nil || !strings.Contains(string(old), "objective") {
			t.Errorf("%q, %v", old, err)
		}
	}
}
