package advisor

import (
	"math"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// resumable returns the trial that one of a setting goes on from: of those with the same setting but a lower fidelity, the one that got
// farthest. A checkpoint that somebody uses, or that is beyond the fidelity, is left alone.
func (a *Advisor) resumable(r *study.Record, setting space.Setting) (from study.Trial, ok bool) {
	if a.ladder == nil || !a.study.Fidelity.Resume {
		return from, false
	}
	point, err := a.space.Encode(setting)
	if err != nil {
		return from, false
	}
	key := a.space.Key(a.space.Decode(a.join(a.place(point), 1)))
	reached, used := map[int]float64{}, map[int]bool{} // by folder
	last := map[int]study.Trial{}
	for _, t := range r.Trials {
		folder := t.FolderOf()
		if used[folder] = used[folder] || t.State.Open() || !t.IsEvidence(); used[folder] {
			continue
		}
		if got := a.study.Reached(t); got >= reached[folder] && got > 0 && a.space.Key(a.space.Decode(a.join(a.place(t.Point), 1))) == key {
			reached[folder], last[folder] = got, t
		}
	}
	best := 0.0
	for _, t := range r.Trials { // in their order: maps have none
		folder := t.FolderOf()
		if got := reached[folder]; last[folder].Number == t.Number && !used[folder] && got > best && got < a.study.FidelityOf(setting) {
			best, from, ok = got, t, true
		}
	}
	return from, ok
}

// resume notes in a trial that is about to be handed out what it goes on from.
func (a *Advisor) resume(r *study.Record, asked *study.Asked) {
	if from, ok := a.resumable(r, asked.Setting); ok {
		asked.Resumes, asked.Checkpoint = from.Number, from.FolderOf()
	}
}

// byDifference takes what was paid already off a prediction, if the setting can be resumed.
func (a *Advisor) byDifference(r *study.Record, s policy.Suggestion) policy.Suggestion {
	from, ok := a.resumable(r, a.space.Decode(a.join(s.X, s.Level)))
	if !ok || !s.Predicted.Known || a.study.Cost.Accounted() { // its job is cut where its reservation ends
		return s
	}
	p := &s.Predicted
	whole := math.Exp(p.LnCost)
	rest := math.Max(whole-from.Charged-r.PaidBefore(from), policy.LeastRest*whole)
	p.Cost *= rest / whole
	p.LnCost, p.LnCostSD = math.Log(rest), math.Min(p.LnCostSD*whole/rest, 1)
	return s
}
