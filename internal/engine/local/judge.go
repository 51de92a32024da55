package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

// judge says what came of a command, now that no process of its group is left to change what it wrote.
//
//	exit code 0            done, if a result was reported in any way
//	another exit code      failed, whatever was reported: the program itself says so
//	stopped, or a signal   done, if a whole result file was there: the program did not choose to end. What it had
//	from outside           printed does not count, for it may have been on its way to something else
//	stopped early          cut, whatever was reported: it is a value of its way
//	otherwise              cut if it was stopped here, and failed if not
func (p *prepared) judge(e ending, stdout, stderr *os.File) study.Finished {
	out := study.Finished{Wall: e.wall.Seconds()}
	if e.wall > 0 {
		out.Exit = &e.exit
	}
	want := want(p.j)

	var r report
	fromFile := false
	if e.running {
		r.problem = "no result was read"
	} else {
		r, fromFile = p.files.report(want)
		if !fromFile && (e.cause == ended || e.exit == study.Exit{}) {
			r = want.readLines(readTail(stdout, maxTail))
		}
	}
	out.Cost, out.Setup, out.Lost = r.known(), r.setup, r.lost
	if p.j.Fidelity > 0 && out.Cost == nil && !e.running { // what it had said of its way counts, however it ended
		out.Cost = want.readLines(readTail(stdout, maxTail)).known()
	}
	if p.j.WallTime {
		out.Cost, out.Estimated = e.cost(), e.guessed
	}

	complete := r.problem == ""
	counts := e.exit == study.Exit{} || fromFile && (e.cause != ended || sentFromOutside(e.exit.Signal))
	counts = counts && !(e.cause == stopped && errors.Is(e.why, engine.ErrEarly))
	switch {
	case complete && counts && !e.running:
		out.State, out.Value, out.Metrics = study.Done, r.value, r.metrics
		out.Note = e.doneNote()
		return out
	case e.cause != ended:
		out.State = study.Cut
	default:
		out.State = study.Failed
		if counts {
			out.Metrics = want.data(r)
		}
	}
	out.Note = p.trouble(e, r, fromFile) + p.words(e, stdout, stderr)
	out.Machine = out.State == study.Failed && (ordered(e.exit.Signal) || diskFull(p.files.dir))
	return out
}

// ordered says whether a signal is one that people and systems send to end a program, whatever it does. SIGKILL is not among them: it is what comes when
// memory runs out, and that is the setting's doing.
func ordered(signal string) bool {
	return signal == "SIGTERM" || signal == "SIGINT" || signal == "SIGHUP"
}

// cost is what a command costs whose cost is wall time.
func (e ending) cost() *float64 {
	cost := e.wall.Seconds()
	if e.limit > 0 { // the group was killed at the limit; what the system took to do so is nobody's money
		cost = min(cost, e.limit.Seconds())
	}
	return &cost
}

// sentFromOutside says whether a signal is one that others send, not one that a program's own mistake raises.
func sentFromOutside(signal string) bool {
	switch signal {
	case "SIGKILL", "SIGTERM", "SIGINT", "SIGHUP":
		return true
	}
	return false
}

// unseen says that an end was estimated.
const unseen = "eke was stopped while the command ran, and did not see it end: its time is estimated"

// doneNote says what was odd about a command that reported all the same.
func (e ending) doneNote() string {
	var odd []string
	switch {
	case e.cause == limited:
		odd = append(odd, fmt.Sprintf("it was stopped at its limit of %s, and left a result", say.Duration(e.limit.Seconds())))
	case e.cause == stopped:
		odd = append(odd, "it was stopped, and left a result")
	case e.exit.Signal != "":
		odd = append(odd, "it was ended by "+e.exit.Signal+" from outside, and left a result")
	}
	if e.left {
		odd = append(odd, "it left processes running, which were stopped")
	}
	if e.guessed {
		odd = append(odd, unseen)
	}
	return strings.Join(odd, "; ")
}

// trouble says in one line why there is no value.
func (p *prepared) trouble(e ending, r report, fromFile bool) string {
	var parts []string
	switch {
	case e.cause == stopped:
		if why := "stopped"; e.why != nil && !errors.Is(e.why, context.Canceled) {
			parts = append(parts, why+": "+shorten(e.why.Error()))
		} else {
			parts = append(parts, why)
		}
	case e.cause == unread:
		parts = append(parts, "it did not read its setting within "+say.Duration(longestStart.Seconds())+" of its start")
	case e.cause == limited:
		parts = append(parts, "stopped at its limit of "+say.Duration(e.limit.Seconds()))
	case e.exit != study.Exit{}:
		parts = append(parts, say.Ended(e.exit))
	}
	if e.killed && e.cause != ended && !e.running {
		parts = append(parts, "it did not heed SIGTERM in time and was killed")
	}
	if e.running {
		parts = append(parts, "it waits inside the kernel, cannot be killed and may still run: see ps and the disks it uses")
	}
	saysSo := e.exit.Code != 0 && r.noValue && (r.hasCost || p.j.WallTime) // it failed, and told what it cost: nothing is wrong with that
	switch {
	case len(parts) == 0, fromFile && r.problem != "" && !saysSo:
		parts = append(parts, r.problem)
	case r.hasValue && e.exit.Code != 0:
		parts = append(parts, fmt.Sprintf("it reported %v, but a result counts only with exit code 0", r.value))
	}
	if e.left {
		parts = append(parts, "it left processes running, which were stopped")
	}
	if e.guessed {
		parts = append(parts, unseen)
	}
	if diskFull(p.files.dir) {
		parts = append(parts, "the disk of "+p.files.dir+" is full: free some space")
	}
	return strings.Join(parts, "; ")
}

// diskFull says whether nothing more can be written to a directory. A program on a full disk may end in silence, with half a result.
// Not every system can tell.
var diskFull = func(dir string) bool { return false }

// words are the command's last: those on stderr, or if there are none and it failed, on stdout.
func (p *prepared) words(e ending, stdout, stderr *os.File) string {
	if text := lastWords(engine.StderrFile, readTail(stderr, shownTail)); text != "" {
		return text
	}
	if e.cause == ended && e.exit != (study.Exit{}) {
		return lastWords(engine.StdoutFile, readTail(stdout, shownTail))
	}
	return ""
}

// report reads the result file, and says whether there is one.
func (f files) report(w wanted) (r report, there bool) {
	hint := "; write " + w.example() + " to the file $EKE_RESULT itself"
	data, size, err := f.readResult()
	switch {
	case errors.Is(err, errNoFile):
		return report{}, false
	case errors.Is(err, errNoDir):
		return report{problem: err.Error() + "; leave it alone until the trial has ended"}, true
	case errors.Is(err, errTooLarge):
		return report{problem: fmt.Sprintf("%s is %s long; at most %s is read%s",
			engine.ResultFile, bytesOf(size), bytesOf(maxResult), hint)}, true
	case err != nil:
		return report{problem: fmt.Sprintf("%s cannot be read: %v%s", engine.ResultFile, bare(err), hint)}, true
	case len(strings.TrimSpace(string(data))) == 0:
		return report{problem: engine.ResultFile + " is empty" + hint}, true
	}
	found, err := parseObject(data)
	if err != nil {
		return report{problem: fmt.Sprintf("%s is not a JSON object: it has %s (%s)%s",
			engine.ResultFile, shorten(string(data)), shorten(err.Error()), hint)}, true
	}
	return w.read(found, engine.ResultFile), true
}

// Found is the end of a job whose controller died, with its cost, from what the job has left in its folder, after sweep. It is abandoned unless there is something that can
// be relied on:
//
//   - a whole JSON object in the result file. Half a file is what a command leaves that died with its controller;
//   - or, where the cost is reported, a value on stdout together with a cost: whoever says what it has cost is through with it.
//     A value alone may be one of many on the way, and where the cost is wall time there is nothing to tell them apart.
//
// What was reported may not do; then the job has failed, and its note says why. A cost on stdout without a value counts as
// well: that money was spent. How the command ended and how long it ran nobody knows, so where the cost is wall time there
// is none. A command that was never started costs nothing.
func Found(j engine.Job) engine.Status {
	lost := engine.EndedAs(study.Finished{State: study.Abandoned})
	dir, err := filepath.Abs(j.Dir)
	if err != nil || j.Dir == "" {
		return lost
	}
	f := files{dir}
	lost.Began = f.noted(startedFile)
	if lost.Began.IsZero() && j.ID != "" { // versions that know no IDs note nothing
		lost.NeverBegan, lost.Outcome.Cost, lost.Outcome.Note = true, new(float64), "its command was never started"
	}
	want := want(j)
	if data, _, err := f.readResult(); err == nil {
		if found, err := parseObject(data); err == nil {
			return engine.EndedAs(want.outcome(want.read(found, engine.ResultFile)))
		}
	}
	if j.WallTime {
		return lost
	}
	stdout, err := os.Open(f.path(engine.StdoutFile))
	if err != nil {
		return lost
	}
	defer stdout.Close()
	r := want.readLines(readTail(stdout, maxTail))
	if out := want.outcome(r); out.State == study.Done {
		return engine.EndedAs(out)
	}
	if r.hasCost {
		lost.Outcome.Cost, lost.NeverBegan = r.known(), false
	}
	return lost
}

func (w wanted) outcome(r report) study.Finished {
	out := study.Finished{State: study.Failed, Cost: r.known(), Setup: r.setup, Lost: r.lost, Note: r.problem, Metrics: w.data(r)}
	if r.problem == "" {
		out.State, out.Value, out.Metrics = study.Done, r.value, r.metrics
	}
	return out
}

// End is how a command ended that ran on another machine, as whoever ran it says.
type End struct {
	Exit    study.Exit
	Wall    time.Duration
	Limit   time.Duration // that it was stopped at; 0: it was not
	Stopped bool          // somebody had it stopped
	Why     error         // of one that was stopped
	Guessed bool          // the time is an estimate
	Stdout  string        // the file with what it printed
}

// Judge says what came of a command that ran on another machine. Its result, if it wrote one, is in the job's folder.
func Judge(j engine.Job, e End) study.Finished {
	how := ending{exit: e.Exit, wall: e.Wall, limit: e.Limit, why: e.Why, guessed: e.Guessed}
	switch {
	case e.Stopped:
		how.cause = stopped
	case e.Limit > 0:
		how.cause = limited
	}
	stdout, err := os.Open(e.Stdout)
	if err != nil {
		stdout, _ = os.Open(os.DevNull)
	}
	defer stdout.Close()
	none, _ := os.Open(os.DevNull)
	defer none.Close()
	p := &prepared{j: j, files: files{j.Dir}}
	out := p.judge(how, stdout, none)
	if out.State == study.Cut && out.Note != "" && !strings.Contains(out.Note, "ends:") { // both streams are one: its last words may be there
		out.Note += lastWords(engine.StdoutFile, readTail(stdout, shownTail))
	}
	return out
}

// Setting writes the params file, and makes the job's folder; a result that an earlier job has left there is set aside.
func Setting(j engine.Job) error { return (&prepared{j: j}).makeDir() }

// Variables are what a command gets in its environment, with these places for the folder, the params file and the result file.
func Variables(j engine.Job, dir, params, result string) []string {
	list := environ(&j, j.Vars, files{dir})
	for i, entry := range list {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "EKE_PARAMS":
			list[i] = name + "=" + params
		case "EKE_RESULT":
			list[i] = name + "=" + result
		}
	}
	return list
}
