package kubernetes

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Names of files in a job's folder.
const (
	intentFile   = "kubernetes.json"
	manifestFile = "job.json"
	logFile      = "log~" // the last pod's log, until the end is on record
)

// intent is all that is known of a trial's Job, on disk before it is submitted. Only the controller writes it.
type intent struct {
	Name      string    `json:"name"`
	Server    string    `json:"server,omitempty"` // the address of its cluster; empty: an earlier version has submitted it
	Namespace string    `json:"namespace"`
	Study     string    `json:"study"` // as a label
	Container string    `json:"container"`
	UID       string    `json:"uid,omitempty"` // of the Job; empty: nobody has confirmed it
	Made      time.Time `json:"made"`

	Cancelled string `json:"cancelled,omitempty"` // why the controller has it stopped
	Early     bool   `json:"early,omitempty"`     // it was not worth finishing
	Refused   string `json:"refused,omitempty"`   // why it will never run

	Removed time.Time `json:"removed,omitzero"` // when the controller had the Job deleted, and none of its pods had a node

	Charge     study.Cost    `json:"charge"`
	Trial      int           `json:"trial"`
	Objective  string        `json:"objective"`
	Quantities []string      `json:"quantities,omitempty"`
	Several    bool          `json:"several,omitempty"`
	WallTime   bool          `json:"walltime,omitempty"`
	Fidelity   float64       `json:"fidelity,omitempty"`
	Limit      time.Duration `json:"limit,omitempty"`
	Grace      time.Duration `json:"grace,omitempty"`
	Checkpoint string        `json:"checkpoint,omitempty"` // a folder here that says whether there is one in the volume

	Attempts []*attempt      `json:"attempts,omitempty"`
	End      *study.Finished `json:"end,omitempty"` // once it is there, nothing changes it
	HasCost  bool            `json:"has_cost,omitempty"`
	Cost     float64         `json:"cost,omitempty"` // that the command reported
	Never    bool            `json:"never,omitempty"`

	dir string
}

func (in *intent) path(name string) string { return filepath.Join(in.dir, name) }

// write puts the intent on disk.
func (in *intent) write() error { return engine.WriteNote(in.path(intentFile), in.Trial, in) }

// readIntent returns the intent of a job; nil if nobody has ever meant to submit it.
func readIntent(dir string) (*intent, error) {
	in := &intent{dir: dir}
	if ok, err := engine.ReadNote(in.path(intentFile), in); !ok {
		return nil, err
	}
	return in, nil
}

// isElsewhere reports whether the Job is on another cluster than the one that is asked, as far as the address tells.
func (in *intent) isElsewhere(c *client) bool { return in.Server != "" && in.Server != c.server }

// elsewhere is the error of a Job that is not on the cluster that is asked, and was submitted to another address.
func (in *intent) elsewhere(c *client) error {
	return fault.New(fault.CannotRun, "switch the context back (kubectl config use-context), or write engine: {context: NAME}; if "+c.server+" is the new address of that cluster, and the Job was deleted there, put the new address into "+in.path(intentFile),
		"the Job of trial %d is on the cluster %s, and %s is another one, which does not have it", in.Trial, in.Server, c.server)
}

// job is what its result is judged by.
func (in *intent) job() engine.Job {
	return engine.Job{Trial: in.Trial, Dir: in.dir, Objective: in.Objective, Quantities: in.Quantities, Several: in.Several, WallTime: in.WallTime || in.Charge.Accounted(), Fidelity: in.Fidelity}
}

// last returns the attempt that decides how the trial ended: the newest that succeeded, or else the newest; nil if there is none. A Job controller that was killed may make a second pod, and
// delete it when it sees the first.
func (in *intent) last() *attempt {
	if len(in.Attempts) == 0 {
		return nil
	}
	for _, a := range slices.Backward(in.Attempts) {
		if a.Exit != nil && *a.Exit == (study.Exit{}) {
			return a
		}
	}
	return in.Attempts[len(in.Attempts)-1]
}

// hasBegun reports whether any attempt has begun, or has cost something. The last one may not have, where an earlier one was disrupted.
func (in *intent) hasBegun() bool {
	return slices.ContainsFunc(in.Attempts, func(a *attempt) bool { return !a.Started.IsZero() || !a.begins(in.Charge).IsZero() })
}

// endsItself reports whether a Job is about to end: its last pod has ended, and Kubernetes makes no other. A pod that was disrupted or deleted, or whose end nobody has
// seen, may be replaced. While a quota has no room for another pod, or Kueue has suspended the Job, there is none, perhaps for ever.
func (in *intent) endsItself(known *kubeJob) bool {
	last := in.last()
	switch {
	case last == nil || !last.Over:
		return false
	case last.Exit != nil && *last.Exit == study.Exit{}:
		return true
	case last.Exit == nil && last.Reason == "" || last.Guessed != "":
		return false
	}
	return !last.replaced() && !last.Deleted && (known == nil || !known.Spec.Suspend)
}

func (in *intent) attempt(uid string) *attempt {
	for _, a := range in.Attempts {
		if a.UID == uid {
			return a
		}
	}
	return nil
}

func key(j engine.Job) string {
	if dir, err := filepath.Abs(j.Dir); err == nil {
		return dir
	}
	return j.Dir
}
