package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/eke-bo/eke"
	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/bench/campaign"
	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// Nothing is what a study starts from that has no earlier one.
const Nothing = "nothing"

// copies are the earlier problems by their names, each as it is made of the new one.
var copies = map[string]func(*problem.Task) (*problem.Task, error){
	"identical":  func(t *problem.Task) (*problem.Task, error) { return t, nil },
	"same":       likeness{0, 0, 1}.copy,
	"near":       likeness{0.01, 0.03, 1}.copy,
	"equal-cost": likeness{0.05, 0.1, 1}.copy,
	"shifted":    likeness{0.05, 0.1, 1.5}.copy,
	"unrelated":  unrelated,
}

// Copies lists what an earlier study may be of, from the most alike to the least.
func Copies() []string {
	return []string{"identical", "same", "near", "equal-cost", "shifted", "unrelated"}
}

// Key names a study: a problem, what it starts from, and a replication.
type Key struct {
	Problem string `json:"problem"`
	From    string `json:"from"`
	Number  int    `json:"number"`
}

func (k Key) String() string { return fmt.Sprintf("%s %s %d", k.Problem, k.From, k.Number) }

// Kind is shared by studies that take about as long.
func (k Key) Kind() string { return k.Problem + " " + k.From }

// Weight guesses how long a study takes.
func (k Key) Weight() float64 {
	if k.From == Nothing {
		return 1
	}
	return 3
}

// Run is a study that was played to the end of its money.
type Run struct {
	Key
	Trials int       `json:"trials"`
	Curve  []float64 `json:"curve"` // log10 regret after each hundredth of the budget
	Used   int       `json:"used"`  // trials that were chosen by models which follow the earlier study
}

// Folder is where runs are kept.
func Folder(dir string) *campaign.Folder[Key, Run] {
	return &campaign.Folder[Key, Run]{
		Dir: dir, KeyOf: func(r Run) Key { return r.Key },
		Compare: func(a, b Run) int {
			return cmp.Or(cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.From, b.From), cmp.Compare(a.Number, b.Number))
		},
	}
}

// Play plays the earlier study, if there is one, and then the new one.
func Play(ctx context.Context, k Key, data string) (Run, error) {
	task, err := problem.NewTask(k.Problem, uint64(k.Number), data)
	if err != nil {
		return Run{}, err
	}
	st := store.Memory()
	from := ""
	if k.From != Nothing {
		other, err := copies[k.From](task)
		if err != nil {
			return Run{}, err
		}
		from = "earlier"
		if _, err := play(ctx, other, st, from, "", task.Seed()+1); err != nil {
			return Run{}, err
		}
	}
	run, err := play(ctx, task, st, "new", from, task.Seed())
	run.Key = k
	return run, err
}

// play plays one study to the end of its money, on one core.
func play(ctx context.Context, task *problem.Task, st store.Store, name, from string, seed uint64) (run Run, err error) {
	o, err := eke.New(eke.Config{
		Parameters: task.Params, Fidelity: task.Fidelity, Goal: task.Goal, Budget: task.Budget, Noise: task.Noise > 0, Seed: seed,
		Stop: study.Stop{Never: true}, Store: st, Name: name, StartFrom: from, Policy: study.Policy{Preset: study.PresetThorough}, // trials take no time here alone
		Options: []advisor.Option{func(t *advisor.Tuning) { t.Threads = 1 }},
	})
	if err != nil {
		return run, err
	}
	spent, best := 0.0, 0.0 // the regret of a median setting is 1
	for {
		t, err := o.Ask(ctx)
		if ctx.Err() != nil {
			return run, ctx.Err()
		}
		if errors.Is(err, eke.ErrBudgetSpent) || errors.Is(err, eke.ErrNotWorth) || errors.Is(err, eke.ErrExhausted) {
			break
		}
		if err != nil {
			return run, err
		}
		value, cost := task.Try(t.Setting, run.Trials)
		if err := o.Tell(ctx, t.Number, value, cost); err != nil {
			return run, err
		}
		if run.Trials++; t.Why.UsesEarlier {
			run.Used++
		}
		spent += cost
		for len(run.Curve) < points && float64(len(run.Curve)+1)*task.Budget/points < spent {
			run.Curve = append(run.Curve, best)
		}
		if found, err := o.Best(ctx); err == nil {
			v, _ := task.Evaluate(found.Setting)
			best = math.Log10(task.Regret(v))
		}
	}
	for len(run.Curve) < points {
		run.Curve = append(run.Curve, best)
	}
	return run, nil
}

// points is how many points a curve has.
const points = 100
