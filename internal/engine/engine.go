package engine

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Engine evaluates trials. Its methods may be called from many goroutines at once.
type Engine interface {
	// Claim reserves the folder for the trial's files. What another trial of the same number has left there is set aside, and
	// Claim says where; "": there was nothing. Without an ID, as an older version hands trials out, there is nothing to claim.
	Claim(j Job) (aside string, err error)

	// Probe says whether a job can run here. It finds every mistake that can be found before anything is submitted, makes
	// the job's folder, and sets aside the result that an earlier job has left there. The controller puts on record that the
	// job is about to run only after that, so that whatever is found in the folder later is the job's own.
	Probe(ctx context.Context, j Job) error

	// Submit has a job evaluated. Submitted again, it is still evaluated once. An error means that nothing runs, and that
	// nothing is to be charged; an engine that is not sure returns none, and finds out when it is polled. The end of ctx
	// does not end the job.
	Submit(ctx context.Context, j Job) error

	// Poll says how jobs stand, all at once and in their order, without waiting for any of them to end. The controller has
	// submitted each of them, or is the only heir of a controller that did and died. Of a job that nobody knows any more,
	// and that left no result, it says that it was abandoned. It never takes a missing job for a success. It may take a
	// moment to clear away the remains of such a job, unless ctx ends first.
	Poll(ctx context.Context, jobs []Job) ([]Status, error)

	// Cancel has a job stopped, if it has not ended yet; why is said in its note. Poll says when it has stopped.
	Cancel(ctx context.Context, j Job, why error) error

	// Cost says what a job that has ended has cost. An engine whose accounts are late waits for them for a moment, and then
	// says what it believes; asked again later, it knows better. An error that is retryable is tried again.
	Cost(ctx context.Context, j Job) (Cost, error)

	// Files are what a job's command prints and leaves behind, by the names in files.go. They may be read while the job runs. A file
	// that grows is an io.ReaderAt.
	Files(j Job) fs.FS

	// Checkpoint makes a folder in which commands keep their checkpoint, and says whether there is one in it.
	Checkpoint(dir string) (holds bool, err error)

	// Detached says whether jobs go on when their controller ends. Then a run that is cut leaves them alone, and the next one
	// finds them.
	Detached() bool
}

// Paced is an engine that is not to be polled as often as anybody likes.
type Paced interface {
	// Turn waits until the engine may be polled again; its error is that of ctx. Poll waits as well.
	Turn(ctx context.Context) error
}

// Slotted is an engine whose jobs run in slots of this machine, one at a time in each.
type Slotted interface {
	// Slots lists the slots that a study has here; none: any number of jobs may run.
	Slots(ctx context.Context, s *study.Study) ([]study.Slot, error)

	// Enter ends what a controller that died has left running in a slot. The caller has the slot for itself.
	Enter(ctx context.Context, s Slot) error

	// Leave ends what stays alive in a slot between jobs. No job is there any more.
	Leave(s Slot)
}

// Slot is a place for one job at a time on this machine.
type Slot struct {
	Number int
	Dir    string   // its own folder, by which its processes are known
	Lock   *os.File // whoever has locked it has the slot; nil where there are no locks
}

// Scripted is an engine that hands a script to a cluster.
type Scripted interface {
	// Script is what the cluster would get for a job. Nothing is submitted.
	Script(j Job) (string, error)
}

// Apart is an engine whose commands see no folder of this machine: each runs in an image of its own.
type Apart interface {
	// Places are a job's folder, params file and result file, as its command sees them.
	Places() (dir, params, result string)
}

// Cost is what a job has cost.
type Cost struct {
	Amount float64
	Known  bool // otherwise nobody will ever know
	Late   bool // the engine's accounts are not closed yet: the amount is an estimate
	Guess  bool // there are no accounts, or they have lost the job: the amount is an estimate for ever
	Fresh  bool // the accounts are closed, but so lately that they may yet change: ask again
}

// Job is one trial to be evaluated, by running a command.
type Job struct {
	Argv    []string      // with the values in place; there is no shell
	Setting space.Setting // for the params file and the environment
	Trial   int
	Study   string
	ID      string // the trial's, which no other trial of any study has; empty where an older version handed it out

	Dir     string   // the job's own folder
	WorkDir string   // where the command runs; "" is the current directory
	Env     []string // what it inherits; nil is the environment of this process
	Vars    []string // further variables, which a job on another machine gets as well
	Options []string // for the engine, such as --partition=gpu
	Rate    float64  // what the job costs in a second, as far as its options tell; 0: nobody knows

	Slot *Slot // where it runs; nil: the engine has no slots

	// Lines says that the command stays alive from job to job in its slot: it reads a setting per line, and prints a result per line.
	// Checkpoint is the folder of the job's checkpoint then, since a command that runs already gets no more variables; "": there is none.
	Lines      bool
	Checkpoint string

	Objective string // the objective's name: a key like "objective" in a report

	// Quantities are the names of further numbers that the study asks for. Others are kept as well where they stand in a result in JSON.
	Quantities []string

	// Several says that the study has several objectives: all but the first are among Quantities.
	Several bool

	// Setup says that a result may name the part of its cost that went into changes.
	Setup bool

	// Fidelity is what the trial is to reach; 0: the study has none. A value that is reported with a lower step is one of its way, and
	// not its result; see Steps.
	Fidelity float64

	WallTime bool // the cost is wall time, in seconds; a reported cost is ignored

	// Limit is the wall time after which nothing of the job is left; 0 means none. Grace is how long before it the command is
	// asked to stop; 0 means a tenth of the limit, at most 2 s.
	Limit, Grace time.Duration

	// Extend, if there is one, is asked for more time shortly before the command would be stopped: used is what it has taken,
	// and the new limit counts from the start as well. It may wait for more until due is closed, when the command would be stopped: then it
	// decides at once, and the engine waits a moment for that. It is never called twice at once; ctx ends with the command. An answer
	// that comes after the command was asked to stop changes nothing. An engine that cannot extend a job never calls it.
	Extend func(ctx context.Context, used time.Duration, due <-chan struct{}) (limit time.Duration, ok bool)

	// Changed, if there is one, is called when Poll has something new to say. An engine that is not told of changes itself never
	// calls it, and is polled now and then.
	Changed func()
}

// Key tells a job from all others: the trial's ID, or the job's folder where an older version handed the trial out.
func (j Job) Key() string {
	if j.ID != "" {
		return j.ID
	}
	if dir, err := filepath.Abs(j.Dir); err == nil {
		return dir
	}
	return j.Dir
}

// Phase is where a job stands.
type Phase string

const (
	Queued  Phase = "queued"  // it waits for its turn, and costs nothing yet
	Running Phase = "running" // its command runs
	Ended   Phase = "ended"   // nothing of it is left; see its Outcome
)

// Status is how a job stands.
type Status struct {
	Phase   Phase
	Reason  string         // why it is queued, or what is wrong with one that runs, in the engine's words
	Outcome study.Finished // of one that has ended: Done, Failed or Cut; Abandoned if its controller died and it left no result. For its cost see Cost. The metrics of one that has failed are what it reported all the same

	Began      time.Time // when its command began, of one whose controller died; zero if nobody knows
	NeverBegan bool      // its command was never started
}

// Unsubmitted is the status of a job that its folder does not know. Without an ID the folder proves nothing: the trial's own is not here.
func Unsubmitted(j Job) Status {
	note := "it was never submitted"
	if j.ID == "" {
		note = "its folder is not here, so nobody knows what became of its job"
	}
	return EndedAs(study.Finished{State: study.Abandoned, Note: note})
}

// EndedAs is the status of a job that has ended so.
func EndedAs(o study.Finished) Status { return Status{Phase: Ended, Outcome: o} }

// TokenVariable holds the token of a worker, and NotifySecret what notices are signed with. Commands do not get to see them.
const (
	TokenVariable = "EKE_TOKEN"
	NotifySecret  = "EKE_NOTIFY_SECRET"
)

// CheckpointVariable tells a command the folder for its checkpoint. Trials that go on from each other have the same.
const CheckpointVariable = "EKE_CHECKPOINT"

// Environ is what commands inherit of this process.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{TokenVariable, NotifySecret, CheckpointVariable}, name)
	})
}
