package suite

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/eke-bo/eke/bench/campaign"
	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/variant"
	"github.com/eke-bo/eke/space"
)

// Sets of problems.
const (
	Tuning     = "tuning"     // problems that may be used to choose something
	Validation = "validation" // the others
	All        = "all"        // both
	Fidelity   = "fidelity"   // problems with fidelities, which are in none of the others

	FidelityTuning     = "fidelity-tuning"     // those of them that may be used to choose something
	FidelityValidation = "fidelity-validation" // and the others

	LCBench               = "lcbench" // networks on real data with epochs as a fidelity
	LCBenchTuning         = "lcbench-tuning"
	LCBenchValidation     = "lcbench-validation"
	LCBenchFull           = "lcbench-full" // the same, as full trainings alone
	LCBenchFullTuning     = "lcbench-full-tuning"
	LCBenchFullValidation = "lcbench-full-validation"

	Live           = "live" // trained whenever they are evaluated, with fidelities
	LiveTuning     = "live-tuning"
	LiveValidation = "live-validation"

	Limits           = "limits" // with limits on what evaluations report
	LimitsTuning     = "limits-tuning"
	LimitsValidation = "limits-validation"
	Walls            = "walls" // evaluations fail beyond an edge
	WallsTuning      = "walls-tuning"
	WallsValidation  = "walls-validation"
	WallsTold        = "walls-told" // the same, in studies that know the edge

	Programs           = "programs" // costs are a fixed part and a power law
	ProgramsTuning     = "programs-tuning"
	ProgramsValidation = "programs-validation"

	Changes           = "changeover" // changes from trial to trial cost something
	ChangesTuning     = "changeover-tuning"
	ChangesValidation = "changeover-validation"
)

// sets are the sets of problems: where they come from, and whether those for tuning and for validation are in them.
var sets = map[string]struct {
	tasks              func() []problem.Info
	tuning, validation bool
}{
	Tuning: {problem.Tasks, true, false}, Validation: {problem.Tasks, false, true}, All: {problem.Tasks, true, true},
	FidelityTuning: {problem.Fidelities, true, false}, FidelityValidation: {problem.Fidelities, false, true}, Fidelity: {problem.Fidelities, true, true},
	LCBenchTuning: {lcbench, true, false}, LCBenchValidation: {lcbench, false, true}, LCBench: {lcbench, true, true},
	LCBenchFullTuning: {lcbenchFull, true, false}, LCBenchFullValidation: {lcbenchFull, false, true}, LCBenchFull: {lcbenchFull, true, true},
	WallsTuning: {walls, true, false}, WallsValidation: {walls, false, true}, Walls: {walls, true, true}, WallsTold: {toldWalls, true, true},
	LiveTuning: {problem.Lives, true, false}, LiveValidation: {problem.Lives, false, true}, Live: {problem.Lives, true, true},
	ChangesTuning: {problem.Changes, true, false}, ChangesValidation: {problem.Changes, false, true}, Changes: {problem.Changes, true, true},
	ProgramsTuning: {problem.ProgramTasks, true, false}, ProgramsValidation: {problem.ProgramTasks, false, true}, Programs: {problem.ProgramTasks, true, true},
	LimitsTuning: {problem.Limits, true, false}, LimitsValidation: {problem.Limits, false, true}, Limits: {problem.Limits, true, true},
}

func lcbench() []problem.Info { return problem.Curves(problem.LCBench) }

func walls() []problem.Info { return problem.WallTasks(problem.Walls) }

func toldWalls() []problem.Info { return problem.WallTasks(problem.ToldWalls) }

func lcbenchFull() []problem.Info { return problem.Curves(problem.LCBenchFull) }

// Experiment says what to run.
type Experiment struct {
	Policies     []string // labels
	Only         []string // patterns of names; none: all problems
	Set          string   // one of the sets above
	First        int      // number of the first replication
	Replications int
	Workers      []int  // how many trials at a time; each is played; none: one
	Data         string // folder of data sets

	Overhead float64 // the fraction of the price of a full evaluation that every look costs besides its own price; 0: none
	Money    float64 // the fraction of every problem's budget that is played with; 0: all of it. Give runs with another budget a folder of their own
}

// task makes a replication's task, with the experiment's part of its money.
func (e Experiment) task(name string, number int) (*problem.Task, error) {
	task, err := problem.NewTask(name, uint64(number), e.Data)
	if err != nil {
		return nil, err
	}
	if e.Money > 0 {
		task.Budget *= e.Money
	}
	if evaluate := task.Evaluate; e.Overhead > 0 && task.Fidelity != nil {
		task.Evaluate = func(s space.Setting) (value, cost float64) {
			full := maps.Clone(s)
			delete(full, task.Fidelity.Name)
			value, cost = evaluate(s)
			_, whole := evaluate(full)
			return value, e.Overhead*whole + (1-e.Overhead)*cost
		}
	}
	return task, nil
}

// Problems returns the chosen problems of the suite.
func (e Experiment) Problems() ([]problem.Info, error) {
	set, known := sets[e.Set]
	if !known {
		return nil, fmt.Errorf("set %q is not known; there are %s", e.Set, strings.Join(slices.Sorted(maps.Keys(sets)), ", "))
	}
	var list []problem.Info
	for _, info := range set.tasks() {
		chosen, err := e.names(info.Name)
		if err != nil {
			return nil, err
		}
		if chosen && (info.Validation && set.validation || !info.Validation && set.tuning) {
			list = append(list, info)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no problem of the set %s is called %s", e.Set, strings.Join(e.Only, " or "))
	}
	return list, nil
}

func (e Experiment) names(name string) (bool, error) {
	for _, pattern := range e.Only {
		if match, err := path.Match(pattern, name); match || err != nil {
			return match, err
		}
	}
	return len(e.Only) == 0, nil
}

// workers lists the numbers of workers as keys have them, where one is 0.
func (e Experiment) workers() (list []int) {
	for _, n := range e.Workers {
		if n <= 1 {
			n = 0
		}
		list = append(list, n)
	}
	if len(list) == 0 {
		list = []int{0}
	}
	return list
}

// workersOf is workers, unless the number is a part of the problem.
func (e Experiment) workersOf(task *problem.Task) []int {
	if task.Workers > 0 {
		return []int{task.Workers}
	}
	return e.workers()
}

// Keys lists the runs in the order to do them: all problems and policies once, then all once more, so that an interrupted campaign has as many
// of each. Problems without their data are left out, and reported to leftOut.
func (e Experiment) Keys(leftOut func(error)) ([]Key, error) {
	known := map[string]bool{} // by label
	for _, label := range e.Policies {
		v, err := variant.Parse(label)
		if err != nil {
			return nil, err
		}
		known[label] = v.Known
	}
	problems, err := e.Problems()
	if err != nil {
		return nil, err
	}
	var each []Key // of one replication
	for _, info := range problems {
		task, err := e.task(info.Name, 0)
		if err != nil {
			leftOut(err)
			continue
		}
		print := fingerprint(task)
		for _, label := range e.Policies {
			if known[label] && !task.ChangesLearnt {
				continue // where the default is the same
			}
			for _, workers := range e.workersOf(task) {
				if k := (Key{info.Name, label, 0, print, workers}); !slices.Contains(each, k) { // a policy may be named twice
					each = append(each, k)
				}
			}
		}
	}
	var keys []Key
	for number := e.First; number < e.First+e.Replications; number++ {
		for _, k := range each {
			k.Number = number
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// Run runs what the folder does not have, as many at a time as there are workers.
func (e Experiment) Run(ctx context.Context, dir string, keys []Key, workers int, watch campaign.Observer[Key]) error {
	tasks := &workshop{make: e.task, kept: map[Key]*problem.Task{}}
	return Folder(dir).Run(ctx, keys, workers, func(ctx context.Context, k Key) (Run, error) {
		v, err := variant.Parse(k.Policy)
		if err != nil {
			return Run{}, err
		}
		task, err := tasks.task(k.Problem, k.Number)
		if err != nil {
			return Run{}, err
		}
		v.Workers = k.Workers
		run, err := Play(ctx, task, v)
		run.Number, run.Print = k.Number, k.Print
		return run, err
	}, watch)
}
