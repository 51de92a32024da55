package slurm

import (
	"regexp"
	"slices"
	"strings"

	"github.com/eke-bo/eke/study"
)

// What follows from a job's state in Slurm. A state that is not listed is one that newer versions have: the job is taken to run as long
// as squeue lists it, and to be lost when nothing does. It is never a success.
var (
	waiting = []string{"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT", "RESIZING"}
	over    = []string{"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "DEADLINE", "REVOKED", "LAUNCH_FAILED"}
)

// plain is a state without what may follow it: "CANCELLED by 1000", "COMPLETED+".
func plain(state string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(state), " ")
	return strings.TrimRight(word, "+")
}

func isWaiting(state string) bool { return slices.Contains(waiting, plain(state)) }
func isOver(state string) bool    { return slices.Contains(over, plain(state)) }

// hopeless are the reasons for which a job waits for ever.
var hopeless = regexp.MustCompile(`^(PartitionTimeLimit|PartitionConfig|PartitionNodeLimit|BadConstraints|InvalidAccount|InvalidQOS|QOSNotAllowed|AccountNotAllowed|` +
	`DependencyNeverSatisfied|JobHoldMaxRequeue|(QOS|Assoc)(Grp|Max)?\w*PerJob\w*)$`)

// stoppedExit is the exit code of a job that was stopped by a signal: fault.ExitInterrupted.
const stoppedExit = "130"

// launchFailed is the reason of a job that Slurm could not start on a node, put back into the queue, and holds.
const launchFailed = "launch failed requeued held"

// endOf is the end of a trial whose job left no end file.
func endOf(state, exit string) (end study.State, note string) {
	_, signal, _ := strings.Cut(exit, ":")
	switch state := plain(state); state {
	case "COMPLETED":
		return study.Failed, "the job ended without a word about its result; see " + outputFile
	case "FAILED", "LAUNCH_FAILED":
		switch {
		case exit == "" || exit == "0:0":
			return study.Abandoned, "Slurm says that the job failed, and not how"
		case signal == "53":
			return study.Failed, "Slurm could not write to the trial's folder on the node: keep the folder on a file system that all nodes share"
		case exit == "127:0" || exit == "126:0":
			return study.Failed, "the job's script found no program; eke and the trial's folder must be on a file system that all nodes share; see " + outputFile
		case exit == stoppedExit+":0":
			return study.Abandoned, "the job was stopped from outside, and not put back into the queue"
		case signal != "" && signal != "0": // the program around the command catches what it can
			return study.Abandoned, "the job was killed by signal " + signal
		}
		return study.Failed, "the job failed with exit code " + exit + "; see " + outputFile
	case "OUT_OF_MEMORY":
		return study.Failed, "the job ran out of memory: ask for more with engine.options mem"
	case "TIMEOUT":
		return study.Cut, "Slurm stopped the job at its time limit"
	case "DEADLINE":
		return study.Cut, "Slurm stopped the job at its deadline"
	case "CANCELLED":
		return study.Cut, "the job was cancelled in Slurm, by hand or by an administrator"
	case "NODE_FAIL", "BOOT_FAIL":
		return study.Abandoned, "the job's node failed"
	case "PREEMPTED", "REVOKED":
		return study.Abandoned, "the job was preempted, and not put back into the queue"
	default:
		return study.Abandoned, "the job ended as " + state
	}
}
