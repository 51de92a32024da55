package advisor

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// To the space, the fidelity is one more coordinate, the last. To the policies it is no coordinate but a level: what they choose is a
// point at the highest fidelity, or a look at one. The functions below translate.

// ladder is the fidelity as a coordinate: where the lowest and the highest are, and the levels that trials are chosen among.
type ladder struct {
	low, top float64
	values   []float64 // the fidelities that trials are chosen among
	levels   []float64 // and their levels
	log      bool      // between them, equal ratios are equally far apart
}

// newLadder returns nil for a study without a fidelity.
func newLadder(s *study.Study, sp *space.Space) (*ladder, error) {
	if s.Fidelity == nil {
		return nil, nil
	}
	last := sp.Dim() - 1
	setting := sp.Decode(make([]float64, sp.Dim()))
	place := func(fidelity float64) (float64, error) {
		setting[s.Fidelity.Name] = space.Float(fidelity)
		point, err := sp.Encode(setting)
		if err != nil {
			return 0, fmt.Errorf("fidelity %v: %w", fidelity, err)
		}
		return point[last], nil
	}
	values := s.Fidelity.Levels()
	lowest := s.Fidelity.Min
	if len(s.Fidelity.Steps) > 0 {
		lowest = s.Fidelity.Steps[0]
	}
	l := &ladder{values: values, log: s.Fidelity.Log}
	var err error
	if l.low, err = place(lowest); err != nil {
		return nil, err
	}
	if l.top, err = place(s.Fidelity.Top()); err != nil {
		return nil, err
	}
	for _, v := range values {
		at, err := place(v)
		if err != nil {
			return nil, err
		}
		l.levels = append(l.levels, l.level(at))
	}
	return l, nil
}

// level is the level of a coordinate: 0 is the lowest fidelity and 1 the highest.
func (l *ladder) level(coordinate float64) float64 {
	if coordinate >= l.top {
		return 1
	}
	return max((coordinate-l.low)/(l.top-l.low), 0)
}

// of is the level of any fidelity, which may lie between the levels that trials are chosen from.
func (l *ladder) of(fidelity float64) float64 {
	i := min(max(sort.SearchFloat64s(l.values, fidelity), 1), len(l.values)-1)
	low, high := l.values[i-1], l.values[i]
	if l.log {
		low, high, fidelity = math.Log(low), math.Log(high), math.Log(fidelity)
	}
	return min(max(l.levels[i-1]+(l.levels[i]-l.levels[i-1])*(fidelity-low)/(high-low), 0), 1)
}

// share is the fidelity of a level as a fraction of the highest.
func (l *ladder) share(level float64) float64 {
	i := min(max(sort.SearchFloat64s(l.levels, level), 1), len(l.levels)-1)
	low, high, at := l.values[i-1], l.values[i], (level-l.levels[i-1])/(l.levels[i]-l.levels[i-1])
	fidelity := low + at*(high-low)
	if l.log {
		fidelity = low * math.Pow(high/low, at)
	}
	return fidelity / l.values[len(l.values)-1]
}

// split returns the point and the level that policies know for a point of the space.
func (a *Advisor) split(point []float64) (x []float64, level float64) {
	if a.ladder == nil {
		return point, 1
	}
	last := len(point) - 1
	return point[:last:last], a.ladder.level(point[last])
}

// place is the point that policies know for a point of the space.
func (a *Advisor) place(point []float64) []float64 {
	x, _ := a.split(point)
	return x
}

// dim is the number of coordinates that policies know.
func (a *Advisor) dim() int {
	if a.ladder == nil {
		return a.space.Dim()
	}
	return a.space.Dim() - 1
}

// join is the point of the space for a point and a level that a policy chose.
func (a *Advisor) join(x []float64, level float64) []float64 {
	if a.ladder == nil {
		return x
	}
	l := a.ladder
	return a.space.Snap(nil, append(slices.Clone(x), l.low+level*(l.top-l.low)))
}

// parameters is how many parameters have more than one value. The fidelity is none of them.
func (a *Advisor) parameters() int {
	n := a.space.Varying()
	if a.ladder != nil {
		n--
	}
	return n
}

// addSpace adds to a state what the space says about points. With a fidelity, they are points at the highest.
func (a *Advisor) addSpace(s *policy.State) {
	s.Dim, s.Parameters = a.space.Dim(), a.parameters()
	s.Snap = func(x []float64) []float64 { return a.space.Snap(nil, x) }
	s.Neighbours = a.space.Neighbours
	if a.space.Constrained() {
		s.Feasible = a.space.Feasible
	}
	if a.ladder == nil {
		return
	}
	s.Dim, s.Levels, s.Resume = a.dim(), a.ladder.levels, a.study.Fidelity.Resume
	s.Share = a.ladder.share
	s.Snap = func(x []float64) []float64 { x, _ = a.split(a.join(x, 1)); return x }
	s.Neighbours = func(x []float64) (list [][]float64) {
		for _, point := range a.space.Neighbours(a.join(x, 1)) {
			if y, level := a.split(point); level == 1 {
				list = append(list, y)
			}
		}
		return list
	}
	if s.Feasible != nil {
		s.Feasible = func(x []float64) bool { return a.space.Feasible(a.join(x, 1)) }
	}
}

// addLook adds a trial below the highest fidelity to a state, and says whether it is a look with a value.
func (a *Advisor) addLook(s *policy.State, r *study.Record, trial study.Trial, priced bool) bool {
	x, level := a.split(trial.Point)
	look := policy.Look{X: x, Level: level, Y: a.sign() * trial.Value, LnCost: a.lnPrice(r, trial), Elsewhere: trial.IsImported()}
	switch {
	case trial.State.Open():
		look.Y = 0
		s.Looking = append(s.Looking, look)
	case trial.State == study.Done && priced:
		s.Looks = append(s.Looks, look)
		return true
	case a.isFailure(trial): // what fails cheaply would fail at the highest fidelity
		s.Failed, s.FailedCost = append(s.Failed, policy.Failure{X: x, LnCost: lnCost(0)}), append(s.FailedCost, lnCost(0))
	}
	return false
}

// Predict returns what models say about points of the space.
func (a *Advisor) Predict(m *policy.Models, points [][]float64) []policy.Prediction {
	if a.ladder == nil {
		return m.Predict(points)
	}
	x, levels := make([][]float64, len(points)), make([]float64, len(points))
	for i, point := range points {
		x[i], levels[i] = a.split(point)
	}
	return m.PredictAt(x, levels)
}

// Snap moves a point that policies know to the point of its setting, at the highest fidelity, and returns it.
func (a *Advisor) Snap(x []float64) []float64 {
	if a.ladder == nil {
		return a.space.Snap(x, x)
	}
	return a.place(a.join(x, 1))
}

// resumable returns the trial whose checkpoint a new trial of this setting continues: of the trials with a lower fidelity, the one that
// got farthest. A checkpoint that is in use, or that is beyond the fidelity, is left alone. Trials that were run elsewhere have left none.
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
		if used[folder] = used[folder] || t.State.Open() || !t.IsEvidence() || t.IsImported(); used[folder] {
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
	fee, _ := a.Fee(r, a.space.Decode(a.join(s.X, s.Level))) // it is paid whatever was paid before
	whole := math.Exp(p.LnCost)
	rest := math.Max(whole-fee-a.OwnCost(r, from), policy.LeastRest*(whole-fee)) + fee
	p.Cost *= rest / whole
	p.LnCost, p.LnCostSD = math.Log(rest), math.Min(p.LnCostSD*whole/rest, 1)
	p.Fits = p.FitsIn(r.Ledger.Left())
	return s
}
