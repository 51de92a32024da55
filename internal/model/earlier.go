package model

import (
	"context"
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/parallel"
)

// What an earlier, similar study found is prior knowledge about a new one, MATH.md §11. The models of the new study follow the models of the
// earlier study and learn the difference. If the two studies are alike, the difference is smoother and smaller than the function itself
// (Kennedy and O'Hagan 2000; Golovin et al. 2017). They compete with models that ignore the earlier study, and the models that make the
// study's own results likelier win. So an earlier study that does not predict the new study is ignored, separately for values and for costs.

const (
	slopeSD      = 0.5 // standard deviation of the multiple of the earlier study that the new study follows; its mean is 1
	shiftSD      = 0.1 // standard deviation of the distance between the two optima, in each coordinate
	expectedRest = 0.1 // expected size of the differences, in standard deviations of the earlier study
)

// The scales of the values of two studies are taken to differ by mostScale at most. usualScale is the weight of the prior, in results, that they are
// the same.
const mostScale, usualScale = 5, 2

// leastJudged is the least number of results that an earlier study is judged by. proof is how much likelier it must make them, as a logarithm: an
// unrelated study does so in one case of seven at most. Laws of costs have to be proved by as much.
const leastJudged, proof = 3, 2

// judgesEarlier says whether there are enough results to judge an earlier study by. Looks count: what the earlier study found at the top is expected on
// every level, up to a shift that all values of a level share. One result has to be at the top, where there is no such shift.
func (s *State) judgesEarlier() bool {
	return len(s.X) > 0 && len(s.X)+s.ChosenLooks()-len(s.Looking) >= leastJudged
}

// useEarlier lets the models follow the earlier study instead, where that makes the results likelier than the plain candidates do. Where following it is not
// proved, its results may count as this study's own.
func (f *Fitter) useEarlier(ctx context.Context, s *State, list []quantity, plain []*candidate, m *Fitted) {
	list = slices.Clone(list)
	plainly := make([]float64, len(list))
	for o, c := range plain {
		plainly[o] = c.density
	}
	v := &list[value]
	if v.giveUp(s.Levels, m.GivenUp); m.GivenUp > 0 {
		plainly[value] = m.Objective().LogDensity() + m.Warp.LogSlope(v.targets)
	}
	plainly[logCost] = creditable(plainly[logCost], maximise.Pick(list[logCost].targets, list[logCost].compared), usualSpread)
	m.Gain = -math.MaxFloat64
	if s.judgesEarlier() {
		f.follow(ctx, s, slices.Clone(list), plainly, m)
	}
	f.join(ctx, s, list, plainly, m)
}

// follow lets the models follow the models of the earlier study where that is proved.
func (f *Fitter) follow(ctx context.Context, s *State, list []quantity, plainly []float64, m *Fitted) {
	earlier := s.Earlier.models(ctx, s.Dim, f.Threads)
	of, warp, slope := s.ofEarlier(earlier), earlier.warpFor(s.X, s.Y), make([]float64, len(list))
	v := &list[value]
	slope[value] = warp.LogSlope(maximise.Pick(v.targets, v.compared))
	v.targets = warped(warp, v.targets)
	jobs := earlierCandidates(list, of)
	parallel.Each(context.WithoutCancel(ctx), len(jobs), f.Threads, func(i int) {
		if j := jobs[i]; ctx.Err() == nil {
			q, of := j.of, of[j.of.output]
			set := earlierSettings(f.settings(ctx, s, &quantity{noise: q.noise}, j.kernel), of, j.moved)
			j.compared, j.density = q.fitTrend(q.targets, q.compared, s.Dim, of, set)
		}
	})
	best, gain := make([]*gp.Model, len(list)), slices.Repeat([]float64{math.Inf(-1)}, len(list))
	for _, j := range jobs {
		o := j.of.output
		if g := j.density + slope[o] - plainly[o]; j.compared != nil && g > gain[o] {
			best[o], gain[o] = j.compared, g
		}
	}
	m.Gain = Capped(gain[value])
	for o := range list {
		if !proves(gain, o) {
			continue
		}
		if m.of[o] = f.extend(ctx, s, &list[o], list[o].targets, best[o]); o == value {
			m.Warp, m.Values = warp, warped(warp, s.Y)
		}
	}
}

// usualSpread is the standard deviation that the targets of a quantity are expected to have: the earlier study's, and for log-costs the usual spread.
func (s *State) usualSpread(output int) float64 {
	if output == logCost {
		return usualSpread
	}
	_, _, targets := s.earlierOf(output, mostEarlier)
	if len(targets) < leastEarlier {
		return 0
	}
	return gp.Standardise(targets).Scale
}

// earlierCandidates lists the models that may follow the earlier ones. With few results only those without a shift have a chance.
func earlierCandidates(list []quantity, of []*gp.Model) (jobs []*candidate) {
	for o := range list {
		if of[o] == nil || of[o].Len() < leastEarlier {
			continue
		}
		for _, kernel := range list[o].kernels {
			jobs = append(jobs, &candidate{of: &list[o], kernel: kernel}, &candidate{of: &list[o], kernel: kernel, moved: true})
		}
	}
	return jobs
}

// proves says whether a quantity is to follow the earlier study, by how much likelier that makes the study's results, as logarithms. The
// gain of the best other quantity counts as well: a study that predicts the costs probably knows something about the values.
func proves(gain []float64, o int) bool {
	others := slices.Max(slices.Concat([]float64{0}, gain[:o], gain[o+1:]))
	return gain[o] > math.Max(proof-others, 0)
}

// warpFor returns the warp of the earlier values for the values of the new study: after the change of level and scale that brings these closest to
// what was expected of them. Results that tell of no other scale leave it as it is.
func (f *Fitted) warpFor(x [][]float64, y []float64) gp.Warp {
	w, n := f.Warp, float64(len(y))
	if !w.On {
		return w
	}
	expected, _ := Posterior(f.Objective(), x)
	var meanE, meanY float64
	for i, v := range expected {
		expected[i] = w.From(v)
		meanE, meanY = meanE+expected[i]/n, meanY+y[i]/n
	}
	known := usualScale * w.Standard.Scale * w.Standard.Scale
	up, down := known, known
	for i, v := range expected {
		up, down = up+(v-meanE)*(y[i]-meanY), down+(v-meanE)*(v-meanE)
	}
	scale := math.Min(math.Max(up/down, 1/mostScale), mostScale)
	if s := (gp.Standard{Shift: meanY + scale*(w.Standard.Shift-meanE), Scale: scale * w.Standard.Scale}); Finite(s.Shift) && Finite(s.Scale) && s.Scale > 0 {
		w.Standard = s
	}
	return w
}

// EarlierUse says how the models use the earlier study; nil if there is none.
func (m *Models) EarlierUse() *EarlierUse {
	if !m.Earlier.usable() {
		return nil
	}
	e := &EarlierUse{Values: m.follows(value), Costs: m.follows(logCost), Joined: m.joins(value), Results: len(m.X) + m.ChosenLooks() - len(m.Looking)}
	e.Untried = !m.judgesEarlier() && !e.Values && !e.Costs
	e.Unclear = !e.Values && m.Gain > -proof
	if e.Joined {
		return e
	}
	if e.Values && len(m.X) < leastJudged {
		e.Explained = math.NaN()
	} else if e.Values {
		trend := m.Objective().Trend()
		rest := trend.At(m.X)
		for i, v := range rest {
			rest[i] = m.Values[i] - v
		}
		values := slices.DeleteFunc(slices.Clone(m.Values), math.IsNaN) // of several objectives this one may be missing
		e.Explained = math.Max(1-math.Pow(gp.Standardise(slices.DeleteFunc(rest, math.IsNaN)).Scale/gp.Standardise(values).Scale, 2), 0)
	}
	return e
}

// models returns the models of the earlier study, which depend on nothing but its results. If the context ends before they are fitted, they are not
// kept.
func (e *Earlier) models(ctx context.Context, dim, threads int) *Fitted {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fitted != nil {
		return e.fitted
	}
	set := Settings{Threads: threads}
	if e.Noisy {
		set.Noise = Noisy()
	}
	f, err := NewFitter(set)
	if err != nil {
		panic(err) // these settings are constants
	}
	f.lawless = true // whoever follows a model leaves out what that one follows
	kept := sample(e.Y, maximise.Indices(e.X), mostEarlier)
	s := &State{Dim: dim, X: maximise.Pick(e.X, kept), Y: maximise.Pick(e.Y, kept), LnCost: maximise.Pick(e.LnCost, kept)}
	for _, q := range e.Aims {
		s.Aims = append(s.Aims, Quantity{Y: maximise.Pick(q.Y, kept)})
	}
	m := f.Fit(ctx, s).Fitted
	if ctx.Err() == nil {
		e.fitted = &m
	}
	return &m
}

// ofEarlier returns the models of an earlier study by the quantities of this one. Those with limits have none: an earlier study may have had others.
func (s *State) ofEarlier(f *Fitted) []*gp.Model {
	return slices.Insert(slices.Clone(f.of), further, make([]*gp.Model, len(s.Further))...)
}

// EarlierBest returns the best point of the earlier study that may be tried, meets the limits and costs no more than the given amount, and its cost: what it cost
// there, and what it costs to get ready for it here. With noise it is the best point by that study's models.
func (m *Models) EarlierBest(ctx context.Context, most float64) (x []float64, paid Prediction, ok bool) {
	e := m.Earlier
	if !e.usable() {
		return nil, paid, false
	}
	values, highest := e.Y, math.Inf(-1)
	if e.Noisy {
		values, _ = Posterior(e.models(ctx, m.Dim, m.Threads).Objective(), e.X)
	}
	for i, v := range values {
		if v <= highest || e.LnCost[i] > math.Log(most) || len(e.Misses) > i && e.Misses[i] {
			continue
		}
		place := m.Setting(e.X[i])
		lnCost, sd := acq.Belief{Setup: m.setup()}.Charge(place, e.LnCost[i], usualSpread)
		if m.Allows(place) && !(lnCost > math.Log(most)) {
			x, highest, ok = place, v, true
			if paid = (Prediction{}); !math.IsNaN(lnCost) {
				paid = Prediction{LnCost: lnCost, LnCostSD: sd, Fits: 1, Priced: true}
			}
		}
	}
	return x, paid, ok
}
