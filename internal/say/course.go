package say

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/study"
)

// Mark is how a trial that has ended is drawn, and named in a legend.
type Mark string

// Marks, in the order of a legend.
const (
	Best      Mark = "best"   // the best of all
	Better    Mark = "better" // better than all before
	Done      Mark = "done"   // has a value that was not the best when the trial ended
	Beyond    Mark = "beyond" // has a value that does not count; see NotCounted
	Failed    Mark = "failed" // trials with this mark and the next three have no value
	Cut       Mark = "cut"
	Early     Mark = "stopped early"
	Abandoned Mark = "abandoned"
	Leading   Mark = "leading"  // where evaluations have noise: a trial of the best setting
	Observed  Mark = "observed" // and a trial of any other setting that has a value
)

// Marks lists all of them.
var Marks = []Mark{Best, Better, Leading, Done, Observed, Beyond, Failed, Cut, Early, Abandoned}

// NotCounted says why the value of a trial does not count; "" if it does.
func NotCounted(t study.Trial) string {
	switch {
	case t.Forgotten:
		if t.Forgot != "" {
			return "forgotten (" + Clean(t.Forgot) + "): does not count"
		}
		return "forgotten: does not count"
	case t.Outside:
		return "outside the parameters: does not count"
	case t.Beyond:
		return "over budget: does not count"
	case t.Look:
		return "look: does not count"
	case len(t.Violates) > 0:
		return violates(t) + ": does not count"
	}
	return ""
}

// String is the mark in words.
func (m Mark) String() string { return cmp.Or(inWords[m], string(m)) }

var inWords = map[Mark]string{Better: "new best", Done: "not better", Beyond: "does not count", Cut: "stopped at a limit",
	Leading: "at the best setting"}

// HasValue says whether a trial with this mark returned a value.
func (m Mark) HasValue() bool {
	return m == Best || m == Better || m == Done || m == Beyond || m == Leading || m == Observed
}

// Improved says whether the trial was the best when it ended.
func (m Mark) Improved() bool { return m == Best || m == Better }

// Step is a trial that has ended.
type Step struct {
	*study.Trial
	Spent float64 // by all trials, when this one ended
	Best  float64 // so far, results from elsewhere among them; NaN before there is one
	Mark  Mark
}

// Course is how a study went: its trials in the order they ended. A trial is better than all before only if no result from elsewhere was as
// good by then.
func Course(goal study.Goal, r *study.Record) []Step {
	var steps []Step
	for i := range r.Trials {
		if r.Trials[i].State.Ended() {
			steps = append(steps, Step{Trial: &r.Trials[i]})
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int {
		return cmp.Or(a.Finished.Compare(b.Finished), cmp.Compare(a.Number, b.Number))
	})
	var known []study.Trial
	for t := range r.EachResult() {
		if t.Known {
			known = append(known, t)
		}
	}
	spent, best, top := 0.0, math.NaN(), -1
	better := func(value float64) bool { return math.IsNaN(best) || goal.Better(value, best) }
	learn := func(until time.Time) { // the results from elsewhere that were there by then
		for ; len(known) > 0 && !known[0].Finished.After(until); known = known[1:] {
			if better(known[0].Value) {
				best, top = known[0].Value, -1
			}
		}
	}
	for i := range steps {
		t := &steps[i]
		learn(t.Finished)
		spent = math.Min(spent+t.Charged, math.MaxFloat64)
		switch {
		case t.State != study.Done:
			t.Mark = Mark(t.State)
		case !t.Counts():
			t.Mark = Beyond
		case better(t.Value):
			t.Mark, best, top = Better, t.Value, i
		default:
			t.Mark = Done
		}
		t.Spent, t.Best = spent, best
	}
	for _, t := range known { // added after the last trial
		if !goal.Better(best, t.Value) { // of equal ones, the known is the best
			top = -1
		}
	}
	if top >= 0 {
		steps[top].Mark = Best
	}
	return steps
}

// BestAt is a best value so far, and what was spent when it came.
type BestAt struct {
	Spent, Value float64
	Known        bool // it is a result from elsewhere
}

// BestLine lists the best values, each better than the one before.
func BestLine(steps []Step) (list []BestAt) {
	spent, best := 0.0, math.NaN()
	for _, t := range steps {
		switch {
		case t.Mark.Improved():
			list = append(list, BestAt{Spent: t.Spent, Value: t.Best})
		case t.Best != best && !math.IsNaN(t.Best): // it came before this trial ended
			list = append(list, BestAt{Spent: spent, Value: t.Best, Known: true})
		}
		spent, best = t.Spent, t.Best
	}
	return list
}

// Observations is Course for evaluations with noise. No trial is better than those before it, since the best observation is
// mostly luck. The trials of the best setting are marked.
func Observations(goal study.Goal, r *study.Record, best func(study.Trial) bool) []Step {
	steps := Course(goal, r)
	for i := range steps {
		t := &steps[i]
		t.Best = math.NaN()
		switch {
		case !t.Mark.HasValue():
		case t.HasCounted() && best(*t.Trial): // whatever was seen there of limited quantities
			t.Mark = Leading
		case t.Mark == Beyond:
		default:
			t.Mark = Observed
		}
	}
	return steps
}

// FirstCounting is what was spent when the first value that counts was there; 0 if none is by a trial. A line for the best begins there.
func FirstCounting(steps []Step) float64 {
	for _, t := range steps {
		if t.Mark.HasValue() && t.Mark != Beyond {
			return t.Spent
		}
	}
	return 0
}

// Values lists the values of the trials that returned one, and of the results from elsewhere that were the best.
func Values(steps []Step) (list []float64) {
	for _, t := range steps {
		if t.Mark.HasValue() {
			list = append(list, t.Value)
		}
	}
	for _, b := range BestLine(steps) {
		if b.Known {
			list = append(list, b.Value)
		}
	}
	return list
}

// Shown returns the range of values to draw: all, unless a few bad ones would press the rest into one line. Those are
// drawn at the edge. Without values both ends are NaN.
func Shown(values []float64, goal study.Goal) (best, worst float64) {
	if len(values) == 0 {
		return math.NaN(), math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	if goal == study.Maximize {
		slices.Reverse(sorted)
	}
	n := len(sorted)
	best, worst = sorted[0], sorted[n-1]
	if most := sorted[(n*9-1)/10]; n >= 8 && most != best && math.Abs(worst/2-best/2) > 6*math.Abs(most/2-best/2) {
		return best, most
	}
	return best, worst
}

// Counts says how many trials are in each state.
func Counts(trials []study.Trial) map[study.State]int {
	counts := map[study.State]int{}
	for _, t := range trials {
		counts[t.State]++
	}
	return counts
}

// Tally tells how many trials are in each state: "3 done, 1 failed".
func Tally(counts map[study.State]int) string {
	var parts []string
	for _, state := range States {
		if n := counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	if len(parts) == 0 {
		return "none yet"
	}
	return strings.Join(parts, ", ")
}

// Overthought says that choosing settings took longer than trying them, from a minute of thinking on. It is empty otherwise. Random settings are only worth a
// thought where the budget is time: another budget buys no more of them.
func Overthought(r *study.Record) string {
	thinking, evaluating := 0.0, 0.0
	for _, t := range r.Trials {
		thinking, evaluating = thinking+t.Thinking, evaluating+t.Wall
	}
	if thinking < minute || thinking <= evaluating || evaluating == 0 {
		return ""
	}
	text := fmt.Sprintf("%s of the time went into thinking, %s for %s of trials", Percent(thinking/(thinking+evaluating)), Duration(thinking), Duration(evaluating))
	if r.Measured {
		text += "; where trials are this quick, policy: {name: random} may do"
	}
	return text
}

// States is the order in which states are listed.
var States = []study.State{study.Done, study.Failed, study.Cut, study.StoppedEarly, study.Abandoned, study.Running, study.Pending}
