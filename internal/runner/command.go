package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// ErrChanged says that a study has another command than the one that was shown when the run began.
var ErrChanged error = fault.New(fault.CannotRun, "look at the new command, and start again if it may run here", "the study's command has changed while this ran")

// pin returns the study whose command is run: the source's as it is now, or the one that was given. Nothing that the source says
// later changes it.
func (c *Config) pin(given *study.Study) (*study.Study, error) {
	s := *given
	if c.Own != nil {
		s = *c.Own
		const hint = "use the file that the study was created from; only its command, env and workdir may differ"
		switch {
		case s.Objective != given.Objective:
			return nil, fault.New(fault.BadStudy, hint, "the study file's name and goal of the objective are not those of the study on the server")
		case s.Cost != given.Cost:
			return nil, fault.New(fault.BadStudy, hint, "the study file's unit and source of the cost are not those of the study on the server")
		case !sameParameters(&s, given):
			return nil, fault.New(fault.BadStudy, hint, "the study file's parameters are not those of the study on the server")
		}
	}
	if len(s.Command) == 0 {
		return nil, fault.New(fault.BadStudy, "add a command to the study file; or ask for trials and tell their results: eke ask, eke tell",
			"study %s has no command to run", s.Name)
	}
	if c.WorkDir != "" {
		s.Workdir = c.WorkDir
	}
	dir, err := filepath.Abs(s.Workdir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "stat", Path: dir, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, fault.New(fault.CannotRun, "make it, or give another: workdir in the study file, or eke worker --workdir DIR", "the study's working directory cannot be used on this machine: %w", err)
	}
	s.Workdir = dir
	return &s, nil
}

// mayGoOn looks whether the study still has the command that was shown. What runs is the one that was shown, in any case; but a
// study whose command has changed wants other results than this one's.
func (r *run) mayGoOn(now *study.Study) error {
	shown := r.shown.Load()
	for _, part := range [][3]any{{"command", shown.Command, now.Command}, {"env", shown.Env, now.Env}, {"workdir", shown.Workdir, now.Workdir}} {
		if was, is := fmt.Sprintf("%q", part[1]), fmt.Sprintf("%q", part[2]); r.Own == nil && was != is {
			return fault.New(fault.CannotRun, "", "%w: its %s was %s, and is %s", ErrChanged, part[0], was, is)
		}
	}
	return nil
}

// sameParameters compares what a study file says with what came over the network, in the latter's form.
func sameParameters(a, b *study.Study) bool {
	one, err1 := json.Marshal(study.Study{Parameters: a.Parameters, Fidelity: a.Fidelity})
	other, err2 := json.Marshal(study.Study{Parameters: b.Parameters, Fidelity: b.Fidelity})
	return err1 == nil && err2 == nil && bytes.Equal(one, other)
}
