package local

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/eke-bo/eke/internal/engine"
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
	p.env = environ(&p.j, append(slices.Clip(inherited), p.j.Vars...), p.files)
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
// The signal that makes the command die with its runner is sent when the thread that started it ends, not
// the process (prctl(2), PR_SET_PDEATHSIG); and Go ends a thread when a goroutine that is locked to it returns,
// which any library may do on any thread that is free. So the command is started on a thread that is locked for
// as long as the command lives, and given back after: nobody else can end it.
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
