package acq

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/normal"
)

// Belief has the models of value and log-cost, the best value and the money that is left. All functions built on it share it,
// and only read it.
type Belief struct {
	// Objective and LnCost are the models of the values and of the logarithms of the costs.
	Objective, LnCost *gp.Model

	// Best is u(D), the best value so far.
	Best float64

	// Remaining is B − s(D), the money left.
	Remaining float64

	// Most is the highest value that there can be. It is above Best. Nil means that there is no such bound.
	Most *float64

	// MinSD floors the standard deviations of objective and log-cost. The models keep theirs above
	// 1e-6 of their scale, so zero is fine. The paper preset sets the floors of the reference.
	MinSD [2]float64

	// Limits are the limits on further quantities; see WithinLimits.
	Limits []Limit

	// Front has the further objectives and what an improvement is with them. Nil means that there is one objective.
	Front *Front

	// Fails says how likely evaluations are to end without a value, and what those cost. Nil means that none does.
	Fails *Fails

	// Setup returns what it costs to get ready for an evaluation of a point, on top of its own cost, which LnCost models, and the standard deviation of that.
	// If grad is not nil, the gradient of the amount is added there. Nil means that it costs nothing.
	Setup Setup

	// Luck is the standard deviation of the noise of values, if an evaluation may be lucky. Improvement then counts only as much as an
	// evaluation can tell about it, MATH.md (24). 0 means that there is no noise.
	Luck float64
}

// Setup is what it costs to get ready for an evaluation of a point; see Belief.
type Setup func(grad, x []float64) (amount, sd float64)

// Limit is a lower limit on a quantity that has a model, or a range of it. An evaluation outside it does not count.
type Limit struct {
	// Model is the model of the quantity.
	Model *gp.Model

	// Least is the limit, in the quantity's own units. For an upper limit both signs are flipped.
	Least float64

	// Most is the upper end of a range. Nil means that there is none.
	Most *float64
}

// Fails says how likely evaluations are to end without a value, and what those cost.
type Fails struct {
	// Value is the model of whether an evaluation has a value: one of signs, see gp.Signs, and the limit 0.
	Value Limit

	// Shift and Slope say what a failure costs: the logarithm of that is Shift + Slope·ln c, where c is the price of an evaluation with a value.
	Shift, Slope float64
}

// Cost returns what a failure costs where an evaluation with a value costs e^lnCost.
func (f *Fails) Cost(lnCost float64) float64 { return math.Exp(f.Shift + f.Slope*lnCost) }

// Outcome is what an evaluation returned, or might return.
type Outcome struct {
	// Value is the value.
	Value float64 `json:"value"`

	// LnCost is the logarithm of the cost.
	LnCost float64 `json:"ln_cost"`
}

// At returns the belief about a level of fidelity; see gp.Model.At. Models without levels stay as they are.
func (b Belief) At(level float64) Belief {
	b.Objective, b.LnCost = b.Objective.At(level), b.LnCost.At(level)
	b.Limits = slices.Clone(b.Limits)
	for i := range b.Limits {
		b.Limits[i].Model = b.Limits[i].Model.At(level)
	}
	b.Front = b.Front.with(func(m *gp.Model) *gp.Model { return m.At(level) })
	return b
}

// Objectives returns the models of all objectives, the model of the values first.
func (b Belief) Objectives() []*gp.Model {
	list := []*gp.Model{b.Objective}
	if b.Front != nil {
		list = append(list, b.Front.Models...)
	}
	return list
}

// PriceOf returns the expected price of an evaluation at a point. The mean and the standard deviation are those of its log-cost if it has a value; a failure
// counts with a price of its own.
func (b Belief) PriceOf(x []float64, mean, sd float64) float64 {
	v, _, _ := LogExpectedCost(mean, sd)
	if b.Fails != nil {
		v = b.lnPrice(x, b.Fails.Value.LogChance()(nil, x), v)
	}
	return math.Exp(v)
}

// lnPrice is the logarithm of the expected price of an evaluation that may fail.
func (b Belief) lnPrice(x []float64, lnWorks, lnCost float64) float64 {
	setup := 0.0
	if b.Setup != nil {
		setup, _ = b.Setup(nil, x)
	}
	v, _, _, _ := b.Fails.LogPriceWith(setup, lnWorks, lnCost)
	return v
}

// Works returns a function, for one goroutine, that gives the chance that an evaluation at a point has a value.
func (b Belief) Works() func(x []float64) float64 {
	if b.Fails == nil {
		return func([]float64) float64 { return 1 }
	}
	ln := b.Fails.Value.LogChance()
	return func(x []float64) float64 { return math.Exp(ln(nil, x)) }
}

// Chances returns a function, for one goroutine, that gives the chance that an evaluation at a point has a value, and that it also is within all limits.
func (b Belief) Chances() func(x []float64) (works, counts float64) {
	has, limits := b.Works(), b.limitChances()
	return func(x []float64) (works, counts float64) {
		works = has(x)
		counts = works
		for _, ln := range limits {
			counts *= math.Exp(ln(nil, x))
		}
		return works, counts
	}
}

// LogChances returns the logarithms of the chances, for one goroutine, that an evaluation has a value and is within each limit; nil: it always does.
func (b Belief) LogChances() []func(grad, x []float64) float64 {
	list := b.limitChances()
	if b.Fails != nil {
		list = slices.Insert(list, 0, b.Fails.Value.LogChance())
	}
	return list
}

func (b Belief) limitChances() (list []lnChance) {
	for _, l := range b.Limits {
		list = append(list, l.LogChance())
	}
	return list
}

// Dearer returns the factor from the cost of an evaluation that has a value to its expected price, since a failure has a price of its own. Works is the chance of a
// value, and lnCost the logarithm of the cost.
func (b Belief) Dearer(x []float64, works, lnCost float64) float64 {
	if b.Fails == nil {
		return 1
	}
	return math.Exp(b.lnPrice(x, math.Log(works), lnCost) - lnCost)
}

// LnCostAt returns mean and standard deviation of the logarithm of the cost at a point, with what it costs to get ready for it.
func (b Belief) LnCostAt(x []float64) (mean, sd float64) {
	mean, sd = b.LnCost.PosteriorSD(x)
	return b.Charge(x, mean, sd)
}

// Charge adds to a log-cost at a point what it costs to get ready for it.
func (b Belief) Charge(x []float64, mean, sd float64) (float64, float64) {
	if b.Setup == nil {
		return mean, sd
	}
	amount, amountSD := b.Setup(nil, x)
	return AddSetup(mean, sd, amount, amountSD)
}

// LogChance returns a function for one goroutine. It gives the logarithm of the chance that an observation is within the limit, MATH.md (19).
// If grad is not nil, it adds the gradient there.
func (l Limit) LogChance() func(grad, x []float64) float64 {
	b, least, noise, most := l.Model.NewBatch(1, nil), l.Model.Standard().To(l.Least), l.Model.Hyper().Noise, 0.0
	if l.Most != nil {
		most = l.Model.Standard().To(*l.Most)
	}
	return func(grad, x []float64) float64 {
		b.Forward(x, grad != nil)
		sd := math.Sqrt(b.Var[0] + noise)
		t := (b.Mean[0] - least) / sd
		v, slope := normal.LogCDF(t)
		wider := slope * t // by how much the logarithm falls for the logarithm of the standard deviation
		if l.Most != nil {
			v, slope, wider = lnBetween(t, (b.Mean[0]-most)/sd, (most-least)/sd)
		}
		if grad != nil {
			b.MeanBar[0], b.VarBar[0] = slope/sd, -wider/(2*sd*sd)
			b.Pull(grad)
		}
		return v
	}
}

// thin is the width of a range, in the lengths over which the density varies, below which the difference of two chances would cancel. The rule of Gauss and
// Legendre with three points is then exact to rounding.
const thin = 0.05

// The nodes and weights of that rule on [−1, 1], the weights of a mean.
var nodes, weights = [3]float64{-0.7745966692414834, 0, 0.7745966692414834}, [3]float64{5.0 / 18, 8.0 / 18, 5.0 / 18}

// lnRoot is ln √(2π), and leastWidth keeps the logarithm of a range without a width finite.
const lnRoot, leastWidth = 0.9189385332046727, 1e-300

// lnBetween returns ln(Φ(low) − Φ(high)), MATH.md (50): the logarithm of the chance of a range of that width whose ends lie low and high standard deviations
// below the mean. Each is given, as one end may be so far away that nothing is left of the other in their difference. slope is its derivative when the mean rises by a standard deviation, and wider by how much it falls for the logarithm of the standard deviation.
func lnBetween(low, high, width float64) (v, slope, wider float64) {
	if low+high > 0 { // in the lower tail nothing cancels
		v, slope, wider = lnBetween(-high, -low, width)
		return v, -slope, wider
	}
	if width*math.Max(1, -high) <= thin {
		middle, sum := low-width/2, 0.0
		for k, x := range nodes {
			d := width / 2 * x
			p := weights[k] * math.Exp(-d*(middle+d/2)) // the density, in units of that in the middle
			sum += p
			slope, wider = slope-p*(middle+d), wider-p*(middle+d)*(middle+d)
		}
		return math.Log(math.Max(width, leastWidth)*sum) - middle*middle/2 - lnRoot, slope / sum, 1 + wider/sum
	}
	lnLow, slopeLow := normal.LogCDF(low)
	lnHigh, slopeHigh := normal.LogCDF(high)
	if math.IsInf(lnHigh, -1) {
		return lnLow, slopeLow, slopeLow * low
	}
	part := -math.Expm1(lnHigh - lnLow) // of the chance to be above the lower end
	slopeLow, slopeHigh = slopeLow/part, slopeHigh*math.Exp(lnHigh-lnLow)/part
	return lnLow + math.Log(part), slopeLow - slopeHigh, slopeLow*low - slopeHigh*high
}

// lnChance is the logarithm of a chance at a point. If grad is not nil, its gradient is added there.
type lnChance = func(grad, x []float64) float64
