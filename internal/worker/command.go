package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// TokenVariable holds the token. Commands do not get to see it.
const TokenVariable = "EKE_TOKEN"

// ChangedError says that the server's definition has a command other than the one that was shown when the worker began.
type ChangedError struct{ Was, Is []string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the study's command has changed on the server while this worker ran: it was %q, and is %q", e.Was, e.Is)
}

// MismatchError says that a study file is not of the study that the server keeps.
type MismatchError struct{ Field string }

func (e *MismatchError) Error() string {
	return "the study file's " + e.Field + " are not those of the study on the server"
}

// pinned returns the study whose command is run: the server's as it is now, or the local one. Nothing that the server says
// later changes it.
func pinned(server *study.Study, c Config) (*study.Study, error) {
	s := *server
	if c.Local != nil {
		s = *c.Local
		switch {
		case s.Objective != server.Objective:
			return nil, &MismatchError{"name and goal of the objective"}
		case s.Cost != server.Cost:
			return nil, &MismatchError{"unit and source of the cost"}
		case !sameParameters(&s, server):
			return nil, &MismatchError{"parameters"}
		}
	}
	if len(s.Command) == 0 {
		return nil, fmt.Errorf("study %s has no command to run", s.Name)
	}
	if c.WorkDir != "" {
		s.Workdir = c.WorkDir
	}
	dir, err := filepath.Abs(s.Workdir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fault.Wrap(err, fault.CannotRun, "make it, or give another: --workdir DIR", "the study's working directory %s does not exist on this machine", dir)
	}
	s.Workdir = dir
	return &s, nil
}

// sameCommand says whether two definitions run the same: the command, and what decides what a command's name means.
func sameCommand(a, b *study.Study) bool {
	return slices.Equal(a.Command, b.Command) && maps.Equal(a.Env, b.Env) && a.Workdir == b.Workdir
}

// sameParameters compares what a study file says with what came over the network, in the latter's form.
func sameParameters(a, b *study.Study) bool {
	one, err1 := json.Marshal(study.Study{Parameters: a.Parameters})
	other, err2 := json.Marshal(study.Study{Parameters: b.Parameters})
	return err1 == nil && err2 == nil && bytes.Equal(one, other)
}

// command returns a trial's command with its limits.
func (w *worker) command(e *entry, l api.Lease) (local.Command, error) {
	dir := e.dir()
	places := map[string]string{
		"trial": strconv.Itoa(l.Number), "dir": dir,
		"params": filepath.Join(dir, local.ParamsFile), "result": filepath.Join(dir, local.ResultFile),
	}
	argv, err := w.pinned.Argv(l.Setting, places)
	if err != nil {
		return local.Command{}, err
	}
	env, err := w.pinned.Environ(l.Setting, places)
	if err != nil {
		return local.Command{}, err
	}
	inherited := slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, TokenVariable+"=") })
	c := local.Command{
		Argv: argv, Setting: l.Setting, Trial: l.Number, Study: w.pinned.Name, Dir: dir, WorkDir: w.pinned.Workdir,
		Env: append(inherited, env...), Objective: w.pinned.Objective.Name, WallTime: w.pinned.Measured(),
	}
	if l.Limit != nil {
		c.Limit = seconds(*l.Limit)
		// The server grants more only when a third of a lease is left at most; asking to stop must come after that.
		c.Grace = min(2*time.Second, c.Limit/10, seconds(l.LeaseSeconds)/12)
	}
	return c, nil
}

// seconds is a duration, within what can be one. None is zero, which would mean no limit at all.
func seconds(s float64) time.Duration {
	return max(time.Duration(min(s, 1e9)*float64(time.Second)), time.Microsecond)
}
