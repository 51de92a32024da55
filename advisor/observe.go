package advisor

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sync"

	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// State returns the record as a policy sees it: points of the unit cube, values that are maximised, logarithms of costs.
func (a *Advisor) State(r *study.Record) (policy.State, error) { return a.state(r, 0) }

// state is State as if the trial of that number were not under way: only what it has shown so far counts.
func (a *Advisor) state(r *study.Record, except int) (policy.State, error) {
	s := policy.State{
		Initial: r.Ledger.Total, Remaining: r.Ledger.Total - r.Ledger.Spent,
		Seed: a.study.Seed,
	}
	var earlier []study.Metrics
	s.Earlier, earlier = a.earlierFor(r)
	a.addSpace(&s)
	s.Change = a.change(r)
	for _, p := range a.study.Parameters {
		if from, to, _ := a.space.Coordinates(p.Name); to-from > 1 {
			s.Choices = append(s.Choices, policy.Span{From: from, To: to})
		} else if to > from && (p.Kind == space.KindBool || p.Kind == space.KindChoice) {
			s.Switches = append(s.Switches, from)
		}
	}
	limits, aims := a.newLimits(), &aims{study: a.study}
	whole := a.anyWhole(r)
	known := counting(r.Known)
	lost := a.lost(r)
	priced := a.knowsPrices(r)
	if !priced && len(known) > 0 { // their values count at once, at the price that is held for a trial that nothing is known of
		known[0].Cost, priced = a.uncosted(r, a.share(r)), true
	}
	for _, k := range known {
		x, level := a.split(k.Point)
		if k.Look {
			s.Looks = append(s.Looks, policy.Look{X: x, Level: level, Y: a.sign() * k.Value, LnCost: lnCost(k.Cost), Elsewhere: true})
			limits.addLook(&s, k.Metrics)
			aims.addLook(&s, study.Trial{State: study.Done, Value: k.Value, Metrics: k.Metrics})
			continue
		}
		if !whole {
			s.Tried = append(s.Tried, x)
			continue
		}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, a.sign()*k.Value), append(s.LnCost, lnCost(k.Cost))
		limits.add(k.Metrics)
		aims.add(study.Trial{State: study.Done, Value: k.Value, Metrics: k.Metrics})
	}
	var last study.Trial // with a plan
	for _, trial := range r.Trials {
		if lost[trial.Number] {
			continue // as if it had never been: the retry has its place
		}
		s.Trial++
		if !trial.IsEvidence() {
			continue
		}
		x := a.place(trial.Point)
		if len(trial.Steps) > 0 && a.ladder != nil && priced {
			a.addSteps(&s, r, trial)
		}
		switch {
		case trial.Number == except:
		case trial.State == study.StoppedEarly:
			at, level := a.split(trial.Point)
			s.Stopped = append(s.Stopped, policy.Look{X: at, Level: level})
		case trial.Look:
			if a.addLook(&s, r, trial, priced) {
				s.FailedInRow = 0
				limits.addLook(&s, trial.Metrics)
				aims.addLook(&s, trial)
			} else if first, ok := aims.someOf(trial); ok && priced && a.isFailure(trial) { // what is there is data, and the setting fails
				_, level := a.split(trial.Point)
				s.Looks = append(s.Looks, policy.Look{X: x, Level: level, Y: first, LnCost: math.NaN(), Step: true})
				limits.addLook(&s, trial.Metrics)
				aims.addLook(&s, trial)
			}
		case trial.State.Open():
			s.Pending = append(s.Pending, x)
		case trial.State == study.Done && priced && whole:
			y, complete := aims.add(trial)
			s.FailedInRow = 0
			s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, y), append(s.LnCost, a.lnPrice(r, trial))
			limits.add(trial.Metrics)
			if !complete { // an objective is missing: what is there is data, and the setting fails
				s.Failed, s.FailedCost = append(s.Failed, policy.Failure{X: x, LnCost: math.NaN()}), append(s.FailedCost, math.NaN())
			}
		case a.isFailure(trial):
			if whole && priced && aims.hasSome(trial) {
				y, _ := aims.add(trial)
				s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, y), append(s.LnCost, math.NaN())
				limits.add(trial.Metrics)
			}
			s.Failed = append(s.Failed, policy.Failure{X: x, LnCost: a.lnPrice(r, trial)})
			s.FailedCost = append(s.FailedCost, lnCost(a.OwnCost(r, trial)))
			s.FailedInRow++
		default:
			s.Tried = append(s.Tried, x)
		}
		if len(trial.Plan) > 0 {
			last = trial
		}
	}
	limits.into(&s, earlier, len(a.study.Limits) > 0 && a.hasNoise(r))
	if a.study.Several() {
		worst, _ := a.study.Worst(r)
		aims.into(&s, worst)
	}
	a.addBounds(&s)
	if len(last.Plan) > 0 && !isCorrected(r, last) {
		s.Previous = &policy.Plan{}
		if err := json.Unmarshal(last.Plan, s.Previous); err != nil {
			return s, fmt.Errorf("the plan of trial %d cannot be read: %w", last.Number, err)
		}
	}
	return s, nil
}

// counting returns the known results that count.
func counting(known []study.Known) (list []study.Known) {
	for _, k := range known {
		if !k.Forgotten && !k.Outside {
			list = append(list, k)
		}
	}
	return list
}

// priceOnly is the number of observations for a policy that does not choose by models. Its models only forecast the cost of the next
// trial, and fitting them to hundreds of observations takes seconds.
const priceOnly = 64

// latest keeps the newest observations, at least as many as the initial design has points, and moves the others to Tried. At least one
// observation that is kept has a price.
func (a *Advisor) latest(s policy.State) policy.State {
	cut := len(s.X) - max(priceOnly, a.designSize())
	for i := len(s.LnCost) - 1; i >= 0; i-- {
		if !math.IsNaN(s.LnCost[i]) {
			cut = min(cut, i)
			break
		}
	}
	if cut > 0 {
		s.Further, s.Aims = slices.Clone(s.Further), slices.Clone(s.Aims)
		for i := range s.Further {
			s.Further[i].Y = s.Further[i].Y[cut:]
		}
		for i := range s.Aims {
			s.Aims[i].Y = s.Aims[i].Y[cut:]
		}
		if s.Misses != nil {
			s.Misses = s.Misses[cut:]
		}
		if s.Lacks != nil {
			s.Lacks = s.Lacks[cut:]
		}
		s.Tried = append(s.Tried, s.X[:cut]...)
		s.X, s.Y, s.LnCost = s.X[cut:], s.Y[cut:], s.LnCost[cut:]
	}
	return s
}

// isFailure says whether a trial without a value counts against its setting. Callers leave lost trials out. A trial that was cut at the end of the budget says nothing
// about its setting.
func (a *Advisor) isFailure(trial study.Trial) bool {
	switch trial.State {
	case study.Failed, study.Abandoned:
		return true
	case study.Cut:
		return a.study.ReachedLimit(trial)
	}
	return false
}

// hasPrice says whether a trial's charge is the price of its setting. For a trial that was cut at its limit it is: the setting would be cut
// there again. A trial that failed or was abandoned may have ended anywhere; what failures cost has a model of its own.
func (a *Advisor) hasPrice(trial study.Trial) bool {
	return trial.Charged > 0 && trial.IsEvidence() && (trial.State == study.Done || trial.State == study.Cut && a.study.ReachedLimit(trial))
}

// knowsPrices says whether the price of any setting is known.
func (a *Advisor) knowsPrices(r *study.Record) bool { return a.prices(r) > 0 }

// prices is how many settings' prices are known.
func (a *Advisor) prices(r *study.Record) (n int) {
	for _, t := range r.Trials {
		if a.hasPrice(t) {
			n++
		}
	}
	for _, k := range counting(r.Known) {
		if k.Cost > 0 {
			n++
		}
	}
	return n
}

// lnPrice is the logarithm of what a trial cost, with what it resumed and without changes; NaN where that is not the price of its setting.
func (a *Advisor) lnPrice(r *study.Record, trial study.Trial) float64 {
	if !a.hasPrice(trial) {
		return math.NaN()
	}
	return lnCost(a.OwnCost(r, trial))
}

// lnCost is the logarithm of a cost, NaN where it is not known.
func lnCost(cost float64) float64 {
	if !(cost > 0) {
		return math.NaN()
	}
	return math.Log(cost)
}

// isCorrected says whether figures were corrected since a trial was handed out. Plans and hyperparameters from before a
// correction rest on wrong figures.
func isCorrected(r *study.Record, since study.Trial) bool {
	return slices.ContainsFunc(r.Trials, func(t study.Trial) bool { return t.CorrectedAfter(since) })
}

// repeats remembers whether the results of a record have noise. Every suggestion asks several times, and finding out means going through all results.
type repeats struct {
	mu    sync.Mutex
	seed  maphash.Seed
	of    uint64 // the sum of the results that it was found out by
	known bool
	noise bool
	text  []byte // scratch
}

// hasNoise says whether evaluations have noise: the study says so, or a setting that was evaluated twice had two values of an objective.
func (a *Advisor) hasNoise(r *study.Record) bool {
	if a.study.Noisy {
		return true
	}
	k := a.repeats
	k.mu.Lock()
	defer k.mu.Unlock()
	if of := k.sum(a.study, r); !k.known || k.of != of {
		k.of, k.known, k.noise = of, true, a.disagree(slices.Collect(r.EachMeasured()))
	}
	return k.noise
}

// sum is the same for records with the same results.
func (k *repeats) sum(s *study.Study, r *study.Record) uint64 {
	if k.seed == (maphash.Seed{}) {
		k.seed = maphash.MakeSeed()
	}
	k.text = k.text[:0]
	add := func(counts bool, point []float64, value float64, others study.Metrics) {
		if !counts {
			return
		}
		k.number(uint64(len(point)))
		k.number(math.Float64bits(value))
		for _, o := range s.Objectives[min(1, len(s.Objectives)):] {
			x, known := others[o.Name]
			if !known {
				x = math.NaN()
			}
			k.number(math.Float64bits(x))
		}
		for _, x := range point {
			k.number(math.Float64bits(x))
		}
	}
	for i := range r.Known {
		known := &r.Known[i]
		add(!known.Forgotten && !known.Outside && !known.Look, known.Point, known.Value, known.Metrics)
	}
	for i := range r.Trials {
		trial := &r.Trials[i]
		add(trial.HasCounted(), trial.Point, trial.Value, trial.Metrics)
	}
	return maphash.Bytes(k.seed, k.text)
}

func (k *repeats) number(v uint64) { k.text = binary.LittleEndian.AppendUint64(k.text, v) }

// disagree says whether a setting has two values of an objective.
func (a *Advisor) disagree(results []study.Trial) bool {
	seen := map[string][]float64{}
	for _, t := range results {
		key := a.space.Key(t.Setting)
		now, _ := a.study.Outcome(t)
		for j, y := range seen[key] {
			if y != now[j] && isNumber(y) && isNumber(now[j]) {
				return true
			}
			if !isNumber(now[j]) {
				now[j] = y // this result lacks it
			}
		}
		seen[key] = now
	}
	return false
}

// addBounds gives a state what the objectives can be. A bound that a result has passed is wrong, and is left out.
func (a *Advisor) addBounds(s *policy.State) {
	list, some := []policy.Bound{}, false
	for i, o := range a.study.Aims() {
		values, sign := s.Y, signOf(o.Goal)
		if i > 0 && i <= len(s.Aims) {
			values = s.Aims[i-1].Y
		}
		for _, y := range values {
			switch field, _ := o.Passes(sign * y); field {
			case "min":
				o.Min = nil
			case "max":
				o.Max = nil
			}
		}
		b := policy.Bound{Least: o.Min, Most: o.Max}
		if sign < 0 {
			b = policy.Bound{Least: negative(o.Max), Most: negative(o.Min)}
		}
		list, some = append(list, b), some || b != policy.Bound{}
	}
	if some {
		s.Bounds = list
	}
}

func negative(x *float64) *float64 {
	if x == nil {
		return nil
	}
	v := -*x
	return &v
}
