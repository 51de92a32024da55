package local

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// prepared is a command that is ready to run, once.
type prepared struct {
	j       engine.Job
	files   files
	workDir string
	path    string // of the program
	env     []string
}

// prepare makes the trial's directory and the params file, and finds the program. An error
// means that the command cannot be run; nothing has been, and nothing is to be charged.
//
// What an earlier command has left in the directory is replaced, but its result is kept beside, as
// result.json~.
func prepare(j engine.Job) (*prepared, error) {
	p := &prepared{j: j}
	p.j.Argv = slices.Clone(j.Argv)
	for _, step := range []func() error{p.findWorkDir, p.findProgram, p.makeDir, p.makeEnv} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Prepare is what Probe does, for a command that runs on another machine with the same folders. If that machine is set up first, only
// there it is known where programs are.
func Prepare(j engine.Job, isSetUp bool) error {
	p := &prepared{j: j}
	steps := []func() error{p.findWorkDir, p.findProgram, p.makeDir, p.makeEnv}
	if isSetUp && len(j.Argv) > 0 && filepath.Base(j.Argv[0]) == j.Argv[0] && j.Argv[0] != "" {
		steps = slices.Delete(steps, 1, 2)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (p *prepared) findWorkDir() error {
	dir, err := filepath.Abs(p.j.WorkDir)
	if err != nil { // the current directory was removed
		return workDirError(err, p.j.WorkDir)
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return workDirError(err, dir)
	}
	p.workDir = dir
	return nil
}

// findProgram looks a bare name up in PATH, and a relative path in the working directory, as the command itself
// would.
func (p *prepared) findProgram() error {
	if len(p.j.Argv) == 0 || p.j.Argv[0] == "" {
		return wrong(nil, "give the study a command", "there is no command")
	}
	name := p.j.Argv[0]
	path := name
	if filepath.Base(name) != name && !filepath.IsAbs(name) {
		path = filepath.Join(p.workDir, name)
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return commandError(err, name, path)
	}
	p.path = found
	return nil
}

func (p *prepared) makeDir() error {
	if p.j.Dir == "" {
		return wrong(nil, "give it one", "the trial has no directory")
	}
	dir, err := filepath.Abs(p.j.Dir)
	if err != nil {
		return fileError(err, p.j.Dir)
	}
	p.files = files{dir}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fileError(err, dir)
	}
	if err := errors.Join(p.setAside(), os.RemoveAll(p.files.path(startedFile))); err != nil {
		return fileError(err, p.files.path(engine.ResultFile))
	}
	setting, err := json.MarshalIndent(p.j.Setting, "", "  ")
	if err != nil {
		return wrong(err, "give parameters finite values", "the setting cannot be written as JSON: %v", err)
	}
	if err := p.files.write(engine.ParamsFile, append(setting, '\n')); err != nil {
		return fileError(err, p.files.path(engine.ParamsFile))
	}
	return nil
}

// setAside keeps an earlier result from being taken for this one's, without losing it.
func (p *prepared) setAside() error {
	old := p.files.path(engine.ResultFile)
	if _, err := os.Lstat(old); err != nil {
		return nil
	}
	if err := os.RemoveAll(old + "~"); err != nil {
		return err
	}
	return os.Rename(old, old+"~")
}

func (p *prepared) makeEnv() error {
	inherited := p.j.Env
	if inherited == nil {
		inherited = os.Environ()
	}
	if inherited = append(slices.Clip(inherited), p.j.Vars...); p.j.Lines && p.j.Slot != nil {
		p.env = warmEnviron(&p.j, inherited)
	} else {
		p.env = environ(&p.j, inherited, p.files)
	}
	hasNUL := func(s string) bool { return strings.ContainsRune(s, 0) }
	if slices.ContainsFunc(p.j.Argv, hasNUL) || slices.ContainsFunc(p.env, hasNUL) {
		return wrong(nil, "take it out of the parameter's values or of the command",
			"an argument or a variable has a NUL character, which no command can be given")
	}
	return nil
}

// open makes the files that the command writes to.
func (p *prepared) open() (stdout, stderr *os.File, err error) {
	if stdout, err = p.files.create(engine.StdoutFile); err != nil {
		return nil, nil, fileError(err, p.files.path(engine.StdoutFile))
	}
	if stderr, err = p.files.create(engine.StderrFile); err != nil {
		stdout.Close()
		return nil, nil, fileError(err, p.files.path(engine.StderrFile))
	}
	return stdout, stderr, nil
}

// start runs the program. It returns when the program has been started, or cannot be.
//
// The signal that makes the command die with its runner is sent when the thread that started it ends, not the
// process (prctl(2), PR_SET_PDEATHSIG). Go ends a thread when a goroutine that is locked to it returns, which
// any library may do on any thread that is free. So the command is started on a thread that is locked for as
// long as the command lives, and given back after: nobody else can end it.
func start(cmd *exec.Cmd) (exited <-chan struct{}, err error) {
	started, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			awaitExit(cmd)
		}
	}()
	return over, <-started
}

// startError explains why a program that was found did not start.
func (p *prepared) startError(err error) error {
	if _, statErr := os.Stat(p.workDir); errors.Is(statErr, os.ErrNotExist) {
		return workDirError(statErr, p.workDir) // it is gone since, and the system does not say which file is missing
	}
	return commandError(err, p.j.Argv[0], p.path)
}

const paramPrefix = "EKE_PARAM_"

// environ returns the command's environment. What an eke further up has set is taken out: a parameter that does
// not exist in this setting must not be found there.
func environ(j *engine.Job, inherited []string, files files) []string {
	own := []string{
		"EKE_TRIAL=" + strconv.Itoa(j.Trial),
		"EKE_STUDY=" + j.Study,
		"EKE_DIR=" + files.dir,
		"EKE_PARAMS=" + files.path(engine.ParamsFile),
		"EKE_RESULT=" + files.path(engine.ResultFile),
	}
	if j.Slot != nil {
		own = append(own, "EKE_SLOT="+strconv.Itoa(j.Slot.Number), slotVariable+"="+j.Slot.Dir)
	}
	env := slices.DeleteFunc(slices.Clone(inherited), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, paramPrefix) || name == "EKE_SLOT" || name == slotVariable ||
			slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, name+"=") })
	})
	return append(append(env, own...), paramVariables(j.Setting)...)
}

// paramVariables returns a variable for each parameter. Names that become the same variable get none: a program
// that finds none complains, and one that finds the other's value does not.
func paramVariables(setting space.Setting) []string {
	owners := map[string]int{}
	for name := range setting {
		owners[study.Variable(name)]++
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(setting)) {
		if v := study.Variable(name); owners[v] == 1 {
			list = append(list, v+"="+setting[name].String())
		}
	}
	return list
}

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
