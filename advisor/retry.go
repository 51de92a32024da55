package advisor

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/eke-bo/eke/study"
)

// A trial is abandoned when its runner dies, which says nothing of its setting. So the setting is tried again, and
// the study goes on as if nothing had happened, but for the money. A setting that is abandoned again and again may have
// killed its runner: that one counts as failed.

// mostTries is how often a setting is tried whose runners keep dying.
const mostTries = 3

// lost returns the trials without a value that a later one with the same setting replaces, or is to replace: those that somebody
// wants to be tried again, and those that were abandoned.
func (a *Advisor) lost(r *study.Record) map[int]bool {
	lost, deaths := map[int]bool{}, map[string]int{}
	for _, item := range r.Queue {
		if item.Retries > 0 && !item.Dropped && !item.Outside && r.Trials[item.Retries-1].State != study.Done {
			lost[item.Retries] = true
		}
	}
	for _, trial := range r.Trials {
		if trial.State != study.Abandoned || trial.Stopping || !trial.IsEvidence() {
			continue
		}
		key := a.space.Key(trial.Setting)
		if !trial.Stopped {
			deaths[key]++
		}
		if trial.Stopped || deaths[key] < mostTries {
			lost[trial.Number] = true
		}
	}
	return lost
}

// again returns the setting of an abandoned trial that has not been tried since, if the budget covers it.
func (a *Advisor) again(r *study.Record) (study.Asked, bool) {
	lost := a.lost(r)
	if len(lost) == 0 {
		return study.Asked{}, false
	}
	latest, deaths := map[string]int{}, map[string]int{}
	for _, trial := range r.Trials {
		key := a.space.Key(trial.Setting)
		latest[key] = trial.Number
		if trial.State == study.Abandoned && !trial.Stopped {
			deaths[key]++
		}
	}
	for _, trial := range r.Trials {
		if !lost[trial.Number] || trial.State != study.Abandoned || latest[a.space.Key(trial.Setting)] != trial.Number {
			continue
		}
		why, _ := WhyOf(trial.Why)
		want, known := a.share(r), why.Expected != nil && why.Expected.CostHigh > 0
		if known {
			want = why.Expected.CostHigh
		}
		want = a.study.Hold(trial.Setting, a.withinLimit(r, math.Max(want, a.leastHold(r)), known))
		if want <= 0 || want > r.Ledger.Left() {
			continue
		}
		why.Picked = fmt.Sprintf("trial %d was stopped, so its setting is tried again", trial.Number)
		if !trial.Stopped {
			why.Picked = fmt.Sprintf("trial %d was abandoned, so its setting is tried again: try %d of at most %d", trial.Number, deaths[a.space.Key(trial.Setting)]+1, mostTries)
		}
		raw, err := json.Marshal(why)
		if err != nil {
			continue
		}
		return study.Asked{Setting: trial.Setting, Point: trial.Point, Reserved: want, Why: raw, Plan: trial.Plan, Credible: trial.Credible}, true
	}
	return study.Asked{}, false
}
