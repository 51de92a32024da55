package model

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/internal/student"
)

// A forecast is of what will be observed, so it includes the noise of the models. It also allows for models that are too sure: they take
// their hyperparameters for certain, although few data say little about them, and they are asked about the points
// where they hope for too much. So forecasts follow Student's t distribution with three degrees of freedom, and they are wider while
// data are few. Its scale was chosen on the suite's tuning problems, MATH.md (18). What a policy maximises goes by the models as they are:
// with the heavier tails it would explore more than is good. Reservations, and whether a trial is too unlikely to beat the best value, go by
// forecasts.

// forecasting is how a quantity is forecast.
type forecasting struct {
	scale   float64 // of forecasts, in standard deviations of a model with many data
	missing float64 // how many observations each hyperparameter counts as missing; see widening
	before  float64 // the weight of the prior of the width far from results, in errors: there, forecasts are mostly right
}

// forecastingOf returns how a quantity is forecast: log-costs in their own way, and all others as values are.
func forecastingOf(output int) forecasting {
	if output == logCost {
		return forecasting{0.42, 6, 7}
	}
	return forecasting{0.5, 4, 5}
}

// asNormal turns the scale of Student's t distribution into the standard deviation of the normal distribution with the same
// central 80 %.
var asNormal = student.Quantile(0.9) / tenth

// Expect says what the models, with the evaluations under way, say about a point at a level.
func (d *Beliefs) Expect(x []float64, level float64) Prediction {
	b := d.Belief.At(level)
	mean, sd := b.Objective.PosteriorSD(x)
	ln, lnSD := b.LnCost.PosteriorSD(x)
	widths := d.widths()
	out := d.forecast(b, x, mean, sd, ln, lnSD, widths, d.costDoubt())
	if len(d.Further) > 0 {
		out.Within, out.Limited = d.within(d.Belief, x, widths), d.Lacks == nil
	}
	if b.Fails != nil {
		out.Works, out.MayFail, out.FailureCost = b.Works()(x), true, b.Fails.Cost(ln)
	}
	if b.Front != nil {
		out.Aims = d.ranges(b.Front.Models, x, widths)
	}
	return out
}

// Beats returns a function, for one goroutine, that gives the chance that a point has a value that counts and beats the best observed value. Before there
// is a best value, it is the chance that the value counts. With noise it is the chance that the point's mean is above the mean of the best point, since an
// observation above the best may be luck. For the best point itself it is 0.
func (d *Beliefs) Beats() func(x []float64) float64 {
	widths, works := d.widths(), d.Belief.Works()
	if d.HasAims() {
		extends := d.extends(widths)
		return func(x []float64) float64 { return works(x) * extends(x) * d.within(d.Belief, x, widths) }
	}
	top, ok := d.Top()
	if !ok {
		return func(x []float64) float64 { return works(x) * d.within(d.Belief, x, widths) }
	}
	if d.IsNoisy() {
		return func(x []float64) float64 {
			return works(x) * d.surpasses(x, d.Incumbent, widths[value]) * d.within(d.Belief, x, widths)
		}
	}
	best := d.Values[top]
	if better := d.Warp.To(d.Y[top] + 0.5); !d.Paper && areWhole(d.Y) && Finite(better) { // what is no better by one is no better
		best = better
	}
	if d.reachesBound(top) {
		return func([]float64) float64 { return 0 }
	}
	ties := float64(d.Ties())
	return func(x []float64) float64 {
		return works(x) * d.chanceAbove(d.Belief.Objective, value, x, best, widths[value]) * d.within(d.Belief, x, widths) / ties
	}
}

// surpasses returns the chance that the mean of a point is above the mean of another, by the joint posterior of both. No mean is above a bound.
func (d *Beliefs) surpasses(x, other []float64, w width) float64 {
	m, cov := d.Belief.Objective, make([]float64, 4)
	b := m.NewBatch(2, nil)
	b.Forward(slices.Concat(x, other), false)
	b.CovarianceWith(b, cov)
	if slices.Equal(x, other) || d.Warp.From(m.Standard().From(b.Mean[1])) >= d.Ceiling()[0] {
		return 0
	}
	ahead := b.Mean[0] - b.Mean[1]
	sd := math.Sqrt(math.Max(b.Var[0]+b.Var[1]-2*cov[1], 0))
	if more := m.TrendSD(x); more > 0 && !d.Paper { // at the other point there are results
		sd = math.Hypot(sd, more/m.Standard().Scale)
	}
	return d.cdf()(ahead / math.Max(d.meanScale(m, value, sd, w), 1e-300))
}

// meanScale is the scale of the forecast of a mean, without the noise of a value, where the model has that standard deviation.
func (m *Models) meanScale(of *gp.Model, output int, sd float64, w width) float64 {
	if m.Paper {
		return sd
	}
	return sd * widening(of, output) / asNormal * w.far
}

// Gain is the expected gain of a point over the best value if values have noise: the expectation of the excess over the best, by the point's forecast.
func (d *Beliefs) Gain(p Prediction) float64 {
	_, best, ok := d.Best(d.Counts)
	if !ok {
		return 0
	}
	var gain float64
	if mean, scale := d.scaleAt(d.Belief.Objective, value, p.X, d.widths()[value]); d.Paper || !(scale > 0) {
		gain = Improvement(Capped(d.Warp.From(mean)), scale, []float64{best.Value}, d.Bound(0).Most) // there is no warp, or no width
	} else {
		gain = student.Above(Capped(d.Warp.To(best.Value)-mean)/scale, func(z float64) float64 {
			return Capped(math.Max(d.Bound(0).Clip(Capped(d.Warp.From(mean+scale*z)))-best.Value, 0))
		})
	}
	if p.MayFail {
		gain *= p.Works
	}
	if len(d.Further) > 0 {
		gain *= p.Within
	}
	return Capped(gain)
}

// Improvement returns the expected improvement of a value with that mean and standard deviation over the best of some values. No value is above most; nil: there
// is no such bound.
func Improvement(mean, sd float64, values []float64, most *float64) float64 {
	best := values[Highest(values)]
	sd = Capped(sd)
	scale := math.Max(math.Max(math.Abs(best), math.Abs(mean)), sd) // nothing overflows in units of it
	if scale == 0 {
		return 0
	}
	if most != nil {
		scaled := *most / scale
		most = &scaled
	}
	v, _, _, _ := acq.LogEIUpTo(mean/scale, math.Max(sd/scale, 1e-300), best/scale, most)
	return Capped(scale * math.Exp(v))
}

// leastScaled is the number of values from which their scale is known: one value has no scale, and two may be equal by chance. An earlier study that
// predicts this study gives the scale, too.
const leastScaled = 3

func (m *Models) isEarly() bool { return m.Objective().Len() < leastScaled && !m.FollowsEarlier() }

// forecast returns the prediction for a point where the models have these means and standard deviations.
func (m *Models) forecast(b acq.Belief, x []float64, mean, sd, ln, lnSD float64, widths []width, doubt costDoubt) Prediction {
	if m.Paper {
		ln, lnSD = b.Charge(x, ln, lnSD)
		out := NewPrediction(m.Warp, m.Bound(0), x, mean, sd, ln, lnSD, b.Remaining)
		out.Early = m.isEarly()
		return out
	}
	sd, near := plainScale(b.Objective, value, x, sd)
	lnSD, lnNear := plainScale(b.LnCost, logCost, x, lnSD)
	sd, lnSD = sd*asNormal*widths[value].of(near), lnSD*asNormal*widths[logCost].of(lnNear)
	if more := doubt.at(x); more > 0 {
		lnSD = math.Sqrt(lnSD*lnSD + more)
	}
	ln, lnSD = b.Charge(x, ln, lnSD)
	out := NewPrediction(m.Warp, m.Bound(0), x, mean, sd, ln, lnSD, b.Remaining)
	out.Early = m.isEarly()
	if variance := math.Min(lnSD*lnSD, 1); variance < lnSD*lnSD { // the mean of a wider log-normal says nothing
		out.Cost = Capped(math.Exp(ln + variance/2))
		out.CostSD = Capped(out.Cost * math.Sqrt(math.Expm1(variance)))
	}
	if b.Remaining > 0 {
		out.Fits = student.CDF((math.Log(b.Remaining) - ln) / lnSD * asNormal)
	}
	return out
}

// Within returns a function that gives the chance that an evaluation of a point meets all limits; nil where there are none.
func (m *Models) Within() func(x []float64) float64 {
	if len(m.Further) == 0 {
		return nil
	}
	b, widths := m.belief(m.of), m.widths()
	return func(x []float64) float64 { return m.within(b, x, widths) }
}

// within returns the chance that an evaluation counts: that it meets all limits. It is 1 where there are none.
func (m *Models) within(b acq.Belief, x []float64, widths []width) float64 {
	p := 1.0
	for k, l := range b.Limits {
		p *= m.chanceWithin(l, further+k, x, widths[further+k])
	}
	return p
}

// chanceWithin returns the chance, by the forecast of a quantity at a point, that it is within its limit.
func (m *Models) chanceWithin(l acq.Limit, output int, x []float64, w width) float64 {
	if l.Most == nil {
		return m.chanceAbove(l.Model, output, x, l.Least, w)
	}
	mean, scale := m.scaleAt(l.Model, output, x, w)
	scale = math.Max(scale, 1e-300)
	low, high := (mean-l.Least)/scale, (mean-*l.Most)/scale
	if low+high > 0 { // in the lower tail nothing cancels
		low, high = -high, -low
	}
	return math.Max(m.cdf()(low)-m.cdf()(high), 0)
}

// chanceAbove returns the chance, by the forecast of a quantity at a point, that it is above a number. Values are those after the warp, where
// forecasts are symmetric.
func (m *Models) chanceAbove(of *gp.Model, output int, x []float64, least float64, w width) float64 {
	mean, scale := m.scaleAt(of, output, x, w)
	return m.cdf()(Capped(mean-least) / math.Max(scale, 1e-300))
}

// cdf is the distribution of forecasts, in their scales.
func (m *Models) cdf() func(z float64) float64 {
	if m.Paper {
		return normal.CDF
	}
	return student.CDF
}

// scaleAt returns the middle and the scale of the forecast of a quantity; of a value, after the warp.
func (m *Models) scaleAt(of *gp.Model, output int, x []float64, w width) (mean, scale float64) {
	mean, sd := of.PosteriorSD(x)
	if m.Paper {
		return mean, sd
	}
	scale, near := plainScale(of, output, x, sd)
	return mean, Capped(scale * w.of(near))
}

// doubted returns a model's standard deviation at a point, given without the standard deviation of an earlier study that the model follows.
func doubted(m *gp.Model, x []float64, sd float64) float64 {
	if more := m.TrendSD(x); more > 0 {
		return math.Hypot(sd, more)
	}
	return sd
}

// plainScale returns the scale of a model's forecast where it has that standard deviation, before it learns from errors, and the part of
// its square that the model's noise accounts for. A datum leaves a variance of about the noise at its own point, so it counts twice there.
func plainScale(m *gp.Model, output int, x []float64, sd float64) (scale, near float64) {
	noise := noiseSD(m)
	sd = Capped(doubted(m, x, sd))
	if noise > 0 {
		r := sd / noise
		near = (1 + math.Min(r*r, 1)) / (1 + r*r)
	}
	return math.Hypot(sd, noise) * widening(m, output) / asNormal, near
}

// widening returns the factor of a model's standard deviations in forecasts.
func widening(m *gp.Model, output int) float64 {
	hyperparameters := float64(m.Dim() + 2)
	data := math.Max(float64(m.Len()), 2*hyperparameters) // with fewer, the models themselves say that they know nothing
	how := forecastingOf(output)
	return how.scale * asNormal * math.Sqrt(1+how.missing*hyperparameters/data)
}

// noiseSD returns the standard deviation of a model's noise.
func noiseSD(m *gp.Model) float64 { return Capped(m.Standard().Scale * math.Sqrt(m.Hyper().Noise)) }

// tenth is how many standard deviations a normal stays below nine times in ten.
var tenth = normal.Quantile(0.9)

// NewPrediction keeps the value to its bounds, and caps what would be infinite, so that a prediction can be written as JSON.
func NewPrediction(w gp.Warp, b Bound, x []float64, mean, sd, ln, lnSD, remaining float64) Prediction {
	from := func(v float64) float64 { return b.Clip(Capped(w.From(v))) }
	return Prediction{
		X: append([]float64(nil), x...), Value: from(mean), ValueSD: Capped(spread(w, b, mean, sd)), LnCost: ln, LnCostSD: lnSD, Known: true,
		ValueLow: from(mean - tenth*sd), ValueHigh: from(mean + tenth*sd),
		Cost:   Capped(math.Exp(ln + lnSD*lnSD/2)),
		CostSD: Capped(math.Exp(ln+lnSD*lnSD/2) * math.Sqrt(math.Expm1(lnSD*lnSD))),
		Fits:   Fits(remaining, ln, math.Max(lnSD, 1e-12)),
	}
}

// Fits is the chance that the money pays for an evaluation whose cost has that mean and standard deviation of its logarithm.
func Fits(money, lnCost, lnCostSD float64) float64 {
	if !(money > 0) {
		return 0
	}
	return normal.CDF((math.Log(money) - lnCost) / lnCostSD)
}

// FitsIn is the chance that an amount of money pays for the evaluation.
func (p Prediction) FitsIn(money float64) float64 {
	return Fits(money, p.LnCost, math.Max(p.LnCostSD, 1e-12))
}

// PricePower is the exponent of the price if the money still buys the given number of tries. Money left at the end has no value. So the price
// of the last try does not matter, and the prices of the last few tries matter less and less. 0 tries mean many: then the whole price counts.
func PricePower(lastTries float64) float64 {
	if lastTries > 0 {
		return math.Max(1-1/lastTries, 0)
	}
	return 1
}

// spread is a standard deviation after the warp is undone, of what is within the bounds.
func spread(w gp.Warp, b Bound, mean, sd float64) float64 {
	if w == (gp.Warp{}) && b == (Bound{}) {
		return sd
	}
	return (b.Clip(Capped(w.From(mean+sd))) - b.Clip(Capped(w.From(mean-sd)))) / 2
}

// Forecasts learn from their own errors, MATH.md (43). Some functions are rougher than any of the models believes, and others are smoother:
// next to known results, their values differ from the forecasts by only a fiftieth of the least noise that the models assume. So each plan
// keeps a track of the last forecasts and how wrong they were, and further ones are as wide as that suggests.

// Track is how good a study's forecasts were.
type Track struct {
	// Last are the forecasts whose results are not known yet, oldest first.
	Last []Forecast `json:"last,omitempty"`

	// Errors are the latest errors, by quantity, oldest first. The errors of values come first, and then the errors of the logarithms of costs.
	Errors [][]Miss `json:"errors,omitempty"`
}

// Forecast is what was expected of a point. Its lists are by quantity: the value, after the warp, the logarithm of the cost, and others.
type Forecast struct {
	// X is the point.
	X []float64 `json:"x"`

	// Observed is the number of observations that it was made from.
	Observed int `json:"observed"`

	// Warp transforms the value.
	Warp gp.Warp `json:"warp,omitzero"`

	// Mean is what was expected.
	Mean []float64 `json:"mean"`

	// Scale is the scale of the usual forecast, which learns from no errors.
	Scale []float64 `json:"scale"`

	// Near is the part of the variance that the models assume everywhere, even at known results.
	Near []float64 `json:"near"`
}

// Miss is an error of a forecast.
type Miss struct {
	// Size is the error, in scales of the usual forecast.
	Size float32 `json:"size"`

	// Near is the forecast's.
	Near float32 `json:"near"`
}

// The most errors that are remembered, the most forecasts that are waited for, and the largest error that counts.
const mostErrors, mostAwaited, largestError = 16, 64, 100

// track returns the track of the last plan, with the results that came since.
func (s *State) track() (t Track) {
	if s.Previous == nil {
		return t
	}
	t.Errors = slices.Clone(s.Previous.Track.Errors)
	same := s.Previous.knows(s)
	if !same { // by place, errors of other quantities would be taken for those of these
		t.Errors = t.Errors[:min(len(t.Errors), further)]
	}
	for _, f := range s.Previous.Track.Last {
		if !same {
			f.Mean, f.Scale, f.Near = f.Mean[:min(len(f.Mean), further)], f.Scale[:min(len(f.Scale), further)], f.Near[:min(len(f.Near), further)]
		}
		i := s.resultOf(f)
		if i < 0 {
			t.Last = append(t.Last, f)
			continue
		}
		t.judge(value, f, f.Warp.To(s.Y[i]))
		t.judge(logCost, f, s.LnCost[i])
		for k, q := range s.reported() {
			t.judge(further+k, f, q.Y[i])
		}
	}
	return t
}

// resultOf returns the index of the first result of a forecast's point since it was made, or −1.
func (s *State) resultOf(f Forecast) int {
	for i := min(max(f.Observed, 0), len(s.X)); i < len(s.X); i++ {
		if slices.Equal(s.X[i], f.X) {
			return i
		}
	}
	return -1
}

// judge adds the error of a forecast. What came may be unknown, and a plan from a file may hold anything.
func (t *Track) judge(output int, f Forecast, came float64) {
	if output >= min(len(f.Mean), len(f.Scale), len(f.Near)) {
		return
	}
	size := math.Min(math.Abs(came-f.Mean[output])/f.Scale[output], largestError)
	if m := (Miss{float32(size), float32(f.Near[output])}); m.isUsable() && f.Scale[output] > 0 {
		for len(t.Errors) <= max(output, logCost) {
			t.Errors = append(t.Errors, nil)
		}
		t.Errors[output] = latest(append(slices.Clone(t.Errors[output]), m), mostErrors)
	}
}

func (m Miss) isUsable() bool { return m.Size >= 0 && m.Near >= 0 && m.Near <= 1 }

func latest[T any](list []T, most int) []T { return list[max(len(list)-most, 0):] }

// newTrack returns the track with the forecast of x. If the point waits for a result already, the new forecast takes the place of the old one.
func (d *Beliefs) newTrack(x []float64) Track {
	t := d.track()
	f := Forecast{X: slices.Clone(x), Observed: len(d.X), Warp: d.Warp}
	models := slices.Clone(d.assumed.of)
	models[value], models[logCost] = d.Belief.Objective, d.Belief.LnCost // with the looks under way
	for o, m := range models {
		mean, sd := m.PosteriorSD(x)
		if o == logCost {
			mean, sd = d.Belief.LnCost.PosteriorSD(x)
		}
		scale, near := plainScale(m, o, x, sd)
		f.Mean, f.Scale, f.Near = append(f.Mean, mean), append(f.Scale, scale), append(f.Near, near)
	}
	t.Last = slices.DeleteFunc(t.Last, func(old Forecast) bool { return slices.Equal(old.X, x) })
	if allFinite(slices.Concat(f.Mean, f.Scale)...) {
		t.Last = latest(append(t.Last, f), mostAwaited)
	}
	return t
}

// width is how wide forecasts are: the factors of their scale far from known results, and of the part of the variance that remains next
// to them.
type width struct{ far, near float64 }

// of returns the factor for a forecast with that part.
func (w width) of(near float64) float64 {
	return math.Sqrt(w.far*w.far*(1-near) + w.near*w.near*near)
}

// The bounds of the two factors, and how many of them are tried.
const (
	leastFar, mostFar   = 0.9, 8
	leastNear, mostNear = 0.02, 4
	widthsTried         = 9
)

// nearBefore is the weight of the prior next to results, in errors: there, forecasts may be wrong by any amount.
const nearBefore = 0.5

// widths returns the widths of forecasts, by quantity.
func (s *State) widths() []width {
	list, t := make([]width, further+len(s.reported())), s.track()
	for o := range list {
		var errors []Miss
		if o < len(t.Errors) {
			errors = t.Errors[o]
		}
		list[o] = expectedWidth(errors, forecastingOf(o).before)
	}
	return list
}

// expectedWidth returns the width whose logarithms are expected, given the errors.
func expectedWidth(errors []Miss, before float64) width {
	var ways []width
	var logs []float64                                                                           // of how likely they are
	errors = slices.DeleteFunc(slices.Clone(errors), func(m Miss) bool { return !m.isUsable() }) // a plan comes from a file
	for i := range widthsTried {
		for j := range widthsTried {
			w := width{between(leastFar, mostFar, i), between(leastNear, mostNear, j)}
			far, near := math.Log(w.far/leastFar), math.Log(w.near/mostNear)
			v := -before/2*far*far - nearBefore/2*near*near
			for _, e := range errors {
				scale := w.of(float64(e.Near))
				z := float64(e.Size) / scale
				v -= 2*math.Log1p(z*z/3) + math.Log(scale)
			}
			ways, logs = append(ways, w), append(logs, v)
		}
	}
	sum, far, near, highest := 0.0, 0.0, 0.0, slices.Max(logs)
	for i, w := range ways {
		weight := math.Exp(logs[i] - highest)
		sum, far, near = sum+weight, far+weight*math.Log(w.far), near+weight*math.Log(w.near)
	}
	return width{math.Exp(far / sum), math.Exp(near / sum)}
}

// between returns one of the factors between two, which are a constant factor apart.
func between(low, high float64, i int) float64 {
	return low * math.Pow(high/low, float64(i)/(widthsTried-1))
}
