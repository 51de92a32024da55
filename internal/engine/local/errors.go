package local

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
)

// wrong says why nothing was run. There is nothing to charge.
func wrong(err error, hint, problem string, args ...any) error {
	return fault.Wrap(err, fault.CannotRun, hint, problem, args...)
}

// fileError explains why a trial's directory or a file in it could not be made.
func fileError(err error, path string) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return wrong(err, "free some space and run again", "the disk is full: %s cannot be written", path)
	case errors.Is(err, syscall.EDQUOT):
		return wrong(err, "free some space or ask for more, and run again",
			"the disk quota is used up: %s cannot be written", path)
	case errors.Is(err, syscall.EROFS):
		return wrong(err, "keep the trials where files can be written",
			"the file system is read-only: %s cannot be written", path)
	case errors.Is(err, fs.ErrPermission):
		return wrong(err, "make the folder above writable for this user", "no permission to write %s", path)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return wrong(err, "move away the file that stands in the way",
			"%s cannot be made: there is a file in its place", path)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return wrong(err, "raise the limit (ulimit -n) or evaluate fewer trials at once",
			"too many open files: %s cannot be opened", path)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return wrong(err, "use a shorter folder or study name", "the path is too long: %s", path)
	}
	return wrong(err, "see to the folder and run again", "%s cannot be written: %v", path, bare(err))
}

// workDirError explains why the command cannot run in a directory.
func workDirError(err error, dir string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wrong(err, "make it, or run from another", "the working directory %s does not exist", dir)
	case errors.Is(err, fs.ErrPermission):
		return wrong(err, "give this user the right to enter it (chmod +x)",
			"no permission to enter the working directory %s", dir)
	case errors.Is(err, syscall.ENOTDIR):
		return wrong(err, "give a directory", "the working directory %s is a file", dir)
	}
	return wrong(err, "see to it and run again", "the working directory %s cannot be used: %v", dir, bare(err))
}

// commandError explains why a command cannot be found or started. The path is where it was found, or where it
// was looked for.
func commandError(err error, name, path string) error {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return wrong(err, "install it, or give its full path in the study's command",
			"command not found: %s is in no folder of PATH", name)
	case errors.Is(err, exec.ErrDot):
		return wrong(err, "write ."+string(filepath.Separator)+name+" if that is the one",
			"%s was found in the current directory only", name)
	case errors.Is(err, fs.ErrNotExist):
		if line := interpreter(path); line != "" {
			if strings.HasSuffix(line, "\r") {
				return wrong(err, "save the file with Unix line ends",
					"%s begins with %q: its lines end as on Windows", path, line)
			}
			return wrong(err, "install the interpreter, or name another in the first line",
				"%s begins with %q, and there is no such interpreter", path, line)
		}
		if _, statErr := os.Stat(path); statErr == nil {
			return wrong(err, "install what it was built for, or build it here",
				"%s cannot be loaded: its loader is not installed", path)
		}
		return wrong(err, "a relative path counts from the working directory; fix it in the study's command",
			"command not found: there is no file %s", path)
	case errors.Is(err, syscall.EISDIR):
		return wrong(err, "name a program in the study's command", "the command %s is a directory", path)
	case errors.Is(err, fs.ErrPermission):
		return wrong(err, "chmod +x "+path+", or put its interpreter first in the study's command",
			"no permission to execute %s", path)
	case errors.Is(err, syscall.ENOEXEC):
		return wrong(err,
			"begin it with a line like #!/bin/sh, put its interpreter first in the command, or build it for this machine",
			"%s is not in a format this machine can execute", path)
	case errors.Is(err, syscall.ETXTBSY):
		return wrong(err, "wait until it is written, and run again", "%s is being written to", path)
	case errors.Is(err, syscall.E2BIG):
		return wrong(err, "hand over large values in "+engine.ParamsFile+" only",
			"the arguments and the environment of %s are too long", name)
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM):
		return wrong(err, "end some, raise the limit (ulimit -u), or evaluate fewer trials at once",
			"the system has no room for another process: %v", bare(err))
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return wrong(err, "raise the limit (ulimit -n) or evaluate fewer trials at once",
			"too many open files to start %s", name)
	}
	return wrong(err, "try it by hand", "%s cannot be started: %v", path, bare(err))
}

// interpreter returns a script's first line, or "" for what is no script.
func interpreter(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 128)).ReadString('\n')
	if !strings.HasPrefix(line, "#!") {
		return ""
	}
	return strings.TrimSuffix(line, "\n")
}

// bare takes the path out of an error that is shown beside it.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
