package advisor

import (
	"slices"

	"github.com/eke-bo/eke/study"
)

// If trials are quick, choosing a trial should take no longer than the trial itself. With n trials at once it should take an n-th of that time: trials are
// chosen one after the other, while slots stand idle. There are limits to that: in the highest haste a suggestion takes a tenth of the usual time, and
// a suggestion that takes at most fair seconds is not cut. Cutting more was measured, and cost regret (bench/NOTES.md, quick trials). The decision
// uses the times of trials in the log, and constants for the time of a suggestion. So equal logs give equal suggestions on any machine, however
// busy it is.

// leastTimed is the number of trials that must have times before anything is concluded from them. Thinking that takes at most fair seconds is never cut.
const leastTimed, fair = 10, 0.05

// thoughts says how many seconds a suggestion takes on one core, on average, with up to this many results in at most usualDim dimensions. With looks it takes lookThought
// longer, and with more dimensions longer in proportion (bench/NOTES.md, quick trials).
var thoughts = []struct {
	results int
	seconds float64
}{{100, 0.03}, {500, 0.06}, {1000, 0.3}, {2000, 1.7}}

const usualDim, lookThought = 6, 0.2

// Both lists are by haste. hurried says how many times faster a suggestion is; it leaves out the highest haste. hurriedEnds says after how
// many trials the advisor asks anew whether the rest of the money is worth spending.
var (
	hurried     = []float64{1, 4}
	hurriedEnds = []int{1, 5, 10}
)

// haste returns the haste for policy.Settings, and the median time of trials in seconds. Both are 0 if there is no time to save.
func (a *Advisor) haste(r *study.Record) (haste int, quick float64) {
	if a.study.Policy.Preset != study.PresetDefault && a.study.Policy.Preset != "" {
		return 0, 0
	}
	var times []float64
	results := len(r.Known)
	for _, t := range r.Trials {
		if t.State.Ended() {
			results++
		}
		if t.State.Ended() && t.Wall > 0 {
			times = append(times, t.Wall)
		}
	}
	if len(times) < leastTimed {
		return 0, 0
	}
	takes := thoughts[len(thoughts)-1].seconds
	for _, t := range slices.Backward(thoughts) {
		if results <= t.results {
			takes = t.seconds
		}
	}
	if a.ladder != nil {
		takes += lookThought
	}
	takes *= max(1, float64(a.dim())/usualDim)
	quick = median(times)
	for haste < len(hurried) && takes/hurried[haste] > max(quick/float64(max(a.study.Parallel, 1)), fair) {
		haste++
	}
	if haste == 0 {
		quick = 0
	}
	return haste, quick
}
