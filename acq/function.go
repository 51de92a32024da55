package acq

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/gp"
)

// Function is an acquisition function with scratch memory for one goroutine.
type Function struct {
	belief     Belief
	term       func(*Function) float64
	log        bool
	objectives []*side // the value first
	gain       *gain   // nil: there is one objective
	cost       *side   // nil if the function does not need it
	sides      []*side // all of these
	setup      setup   // what it costs to get ready for the current point
	index      bool    // the term is a value, not the logarithm of one

	chances []lnChance // to be within the limits

	paid      odds    // the same for an index, which weighs them against the price
	lnPaid    float64 // the sum of these logarithms, but at least leastPaid
	belowPaid float64 // how far the sum is below leastPaid

	works   odds    // that there is a value; none: every evaluation has one, or it does not matter
	lnLeast float64 // of the least chance of a value; −∞: none
}

// odds are chances that a term depends on.
type odds struct {
	of   []lnChance
	ln   float64 // the sum of their logarithms at the current point
	d    float64 // the sensitivity to it
	grad []float64
}

// set sets the sum at a point, and its gradient.
func (o *odds) set(withGrad bool, x []float64) {
	var own []float64
	if withGrad {
		o.grad = append(o.grad[:0], make([]float64, len(x))...)
		own = o.grad
	}
	o.ln = 0
	for _, chance := range o.of {
		o.ln += chance(own, x)
	}
}

// pull adds weight times the gradient of the sum to grad.
func (o *odds) pull(grad []float64, weight float64) {
	for j := range grad {
		grad[j] += weight * o.grad[j]
	}
}

// side is one output at the current point: its moments and the sensitivities to them.
type side struct {
	model         *gp.Model
	batch         *gp.Batch
	standard      gp.Standard
	minSD         float64
	mean, sd      float64
	dMean, dSD    float64
	sdIsTheFloors bool
}

// EI returns expected improvement, MATH.md (5).
func EI(b Belief) *Function {
	return newFunction(b, false, (*Function).improvement)
}

// PerCost returns expected improvement per unit of cost to the power ν, MATH.md (6). At ν = 1 that is EI-PUC, and at
// ν = remaining/initial budget EI-PUC with cost cooling.
func PerCost(b Belief, nu float64) *Function {
	return newFunction(b, true, func(f *Function) (v float64) {
		c := f.cost
		v, c.dMean, c.dSD = LogPerCost(c.mean, c.sd, nu)
		return f.improvement() + v
	})
}

// Budgeted returns expected improvement within the remaining budget, MATH.md (7). It is zero when nothing remains.
func Budgeted(b Belief) *Function {
	return EI(b).WithinBudget()
}

// WithinBudget makes f count only as much as the chance that a point's cost is within the remaining budget, MATH.md (7),
// and returns f. Nothing counts when nothing remains.
func (f *Function) WithinBudget() *Function {
	f.askCost()
	term, lnMoney := f.term, math.Log(f.belief.Remaining)
	f.term = func(f *Function) float64 {
		if f.belief.Remaining <= 0 {
			return math.Inf(-1)
		}
		c := f.cost
		c.dMean, c.dSD = 0, 0
		v := term(f)
		fits, dMean, dSD, _ := LogFits(c.mean, c.sd, lnMoney)
		c.dMean, c.dSD = dMean+c.dMean, dSD+c.dSD
		return v + fits
	}
	return f
}

// WithinLimits makes f count only as much as the chance that an evaluation has a value and is within all limits, and returns f. The limits are
// taken to be independent. An index solves P·E[max(Y − g, 0)] = price, with P that chance, since an evaluation outside the limits costs as
// much as any other. To all other functions the logarithm of the chance is added. Prices are what is to be expected if an evaluation may fail,
// MATH.md (46).
func (f *Function) WithinLimits() *Function {
	f.chances, f.paid.of, f.lnPaid = nil, nil, 0
	if f.belief.Fails != nil {
		f.works.of = []lnChance{f.belief.Fails.Value.LogChance()}
	}
	if list := f.belief.limitChances(); f.index {
		f.paid.of = list
	} else {
		f.chances = list
	}
	return f
}

// unsafe is how fast a function falls where the chance of a value is below the least, with the logarithm of the chance.
const unsafe = 20

// Safely makes f fall steeply, so that searches keep away, where the chance of a value is below the least, and returns f.
func (f *Function) Safely(least float64) *Function {
	f.lnLeast = math.Log(least)
	return f
}

// PerMedianCost returns expected improvement per unit of median cost to the power ν, MATH.md (15). At ν = 1 its logarithm is
// ln EI − E[ln c], which Xie et al. 2024 found hard to beat where costs are unknown.
func PerMedianCost(b Belief, nu float64) *Function {
	return newFunction(b, true, func(f *Function) float64 {
		price, dLnWorks, dMean := f.price(f.cost.mean)
		f.works.d -= nu * dLnWorks
		f.setup.dPrice *= -nu
		f.cost.dMean, f.cost.dSD = -nu*dMean, 0
		return f.improvement() - nu*price
	})
}

// Gittins returns the Gittins index of Pandora's box, MATH.md (16), where a unit of cost is worth lambda standard deviations
// of the values. The result is the index minus the best value, again in standard deviations. If it is not above zero, an
// evaluation is not worth its price. It may be negative, so its Log is not a logarithm: above −1 it equals the result, and
// below −1 it falls like a logarithm. That does not move the maximum, and it stays finite for costs of any size.
func Gittins(b Belief, lambda float64) *Function {
	lnLambda := math.Log(math.Max(lambda, math.SmallestNonzeroFloat64))
	f := newFunction(b, true, func(f *Function) float64 { return f.gittins(lnLambda) })
	f.index = true
	return f
}

// Feasibility returns one over the median cost to the power ν. WithinLimits multiplies it by the chance to be within all limits: the product is what is maximised
// while nothing is known to be within them.
func Feasibility(b Belief, nu float64) *Function {
	return newFunction(b, true, func(f *Function) float64 {
		o := f.objectives[0]
		o.dMean, o.dSD, f.cost.dMean, f.cost.dSD = 0, 0, -nu, 0
		return -nu * f.cost.mean
	})
}

func newFunction(b Belief, asksCost bool, term func(*Function) float64) *Function {
	f := &Function{belief: b, term: term, lnLeast: math.Inf(-1)}
	for _, m := range b.Objectives() {
		f.objectives = append(f.objectives, newSide(m, b.MinSD[0]))
	}
	if f.sides = slices.Clip(f.objectives); asksCost {
		f.askCost()
	}
	if b.Front != nil {
		f.gain = newGain(b.Front, len(f.objectives))
	}
	return f
}

func newSide(m *gp.Model, minSD float64) *side {
	return &side{model: m, batch: m.NewBatch(1, nil), standard: m.Standard(), minSD: minSD}
}

// askCost makes the function ask for the cost as well.
func (f *Function) askCost() {
	if f.cost == nil {
		f.cost = newSide(f.belief.LnCost, f.belief.MinSD[1])
		f.sides = append(f.sides, f.cost)
	}
}

// Log makes f return logarithms, and returns f.
func (f *Function) Log() *Function {
	f.log = true
	return f
}

// IsIndex reports whether f is an index, which may be negative and is not an expected gain.
func (f *Function) IsIndex() bool { return f.index }

// Eval returns the function at x and, when grad is not nil, its gradient.
func (f *Function) Eval(grad, x []float64) float64 {
	for _, s := range f.sides {
		s.forward(x, grad != nil)
	}
	clear(grad)
	f.setSetup(grad != nil, x)
	v, factor := f.result(grad, x)
	if grad == nil {
		return v
	}
	for j := range grad {
		grad[j] *= factor
	}
	if factor == 0 || math.IsInf(v, -1) {
		clear(grad)
		return v
	}
	if f.cost != nil {
		f.discharge(grad, factor)
	}
	for _, s := range f.sides {
		s.pull(grad, factor)
	}
	return v
}

// result returns the function at x for the current moments, and its derivative with respect to the term. If grad is not nil, it adds
// the gradients of the log chances there.
func (f *Function) result(grad, x []float64) (v, factor float64) {
	if f.cost != nil {
		f.charge()
	}
	ln := 0.0
	for _, chance := range f.chances {
		ln += chance(grad, x)
	}
	if f.paid.of != nil {
		f.paid.set(grad != nil, x)
		f.lnPaid, f.belowPaid = math.Max(f.paid.ln, leastPaid), math.Min(f.paid.ln-leastPaid, 0)
	}
	if f.works.of != nil {
		f.works.set(grad != nil, x)
		f.works.d = 1 // it is added to the term, unless that is an index
	}
	v, factor = f.term(f)+ln, 1
	if f.works.of != nil {
		if !f.index {
			v += f.works.ln
		}
		if below := f.lnLeast - f.works.ln; below > 0 {
			v, f.works.d = v-unsafe*below, f.works.d+unsafe
		}
		f.works.pull(grad, f.works.d)
	}
	switch {
	case f.index && f.log && v < -1:
		v, factor = -1-math.Log(-v), -1/v
	case !f.index && !f.log:
		factor = math.Exp(v)
		v = factor
	}
	if f.paid.of != nil {
		v = f.weighPaid(grad, v, factor)
	}
	return v, factor
}

// leastPaid is the logarithm of a chance below which the price that is paid for it would overflow. There the logarithm of an index falls as that of the chance does.
const leastPaid = -500

// weighPaid returns a value with what a chance below leastPaid takes away, and adds the gradient of the logarithm of the chance to grad.
func (f *Function) weighPaid(grad []float64, v, factor float64) float64 {
	weight := f.paid.d
	if f.belowPaid < 0 {
		if weight = 0; f.log {
			v, weight = v+f.belowPaid, 1/factor
		}
	}
	f.paid.pull(grad, weight)
	return v
}

// price returns the logarithm of the price of an evaluation that costs e^lnCost if it has a value. The derivatives are with respect to the
// logarithm of the chance of a value, and to lnCost.
func (f *Function) price(lnCost float64) (v, dLnWorks, dLnCost float64) {
	if f.works.of == nil {
		return lnCost, 0, 1
	}
	v, dLnWorks, dLnCost, f.setup.dPrice = f.belief.Fails.LogPriceWith(f.setup.amount, f.works.ln, lnCost)
	return v, dLnWorks, dLnCost
}

// Values returns the function at many points. With many data that is much faster than one at a time.
func (f *Function) Values(points [][]float64) []float64 {
	values := make([]float64, len(points))
	means, variances := make([][]float64, len(f.sides)), make([][]float64, len(f.sides))
	for k, s := range f.sides {
		means[k], variances[k] = s.model.Posteriors(points)
	}
	for i, x := range points {
		for k, s := range f.sides {
			s.set(means[k][i], variances[k][i])
		}
		f.setSetup(false, x)
		values[i], _ = f.result(nil, x)
	}
	return values
}

func (f *Function) improvement() (v float64) {
	if f.gain != nil {
		return f.gain.of(f)
	}
	o := f.objectives[0]
	v, o.dMean, o.dSD, _ = LogEIUpTo(o.mean, o.sd, f.belief.Best, f.belief.Most)
	if f.belief.Luck > 0 {
		told, dSD := LogTold(o.sd, f.belief.Luck)
		v, o.dSD = v+told, o.dSD+dSD
	}
	return v
}

// gittins returns the index minus the best value, in standard deviations of the values. All derivatives are of this
// difference.
func (f *Function) gittins(lnLambda float64) float64 {
	o, c := f.objectives[0], f.cost
	scale := o.standard.Scale
	lnPrice, dCostMean, dCostSD := LogExpectedCost(c.mean, c.sd)
	paid, gained := 1.0, f.lnPaid // the derivative of what is paid, and the logarithm of the chance to gain for it
	if f.works.of != nil {
		var dLnWorks float64
		lnPrice, dLnWorks, paid = f.price(lnPrice)
		gained, f.works.d = gained+f.works.ln, dLnWorks-1
	}
	margin, dMean, dSD, dLnPrice := f.belief.index((o.mean-f.belief.Best)/scale, o.sd/scale, lnLambda+lnPrice-gained, scale)
	f.paid.d = -dLnPrice
	f.works.d *= dLnPrice
	o.dMean, o.dSD = dMean/scale, dSD/scale
	c.dMean, c.dSD = dLnPrice*paid*dCostMean, dLnPrice*paid*dCostSD
	f.setup.dPrice *= dLnPrice
	return margin
}

func (s *side) forward(x []float64, withGrad bool) {
	s.batch.Forward(x, withGrad)
	s.set(s.batch.Mean[0], s.batch.Var[0])
}

// set takes mean and variance in standardised units.
func (s *side) set(mean, variance float64) {
	s.mean = s.standard.From(mean)
	s.sd = s.standard.Scale * math.Sqrt(variance)
	if s.sdIsTheFloors = s.sd < s.minSD; s.sdIsTheFloors {
		s.sd = s.minSD
	}
}

func (s *side) pull(grad []float64, factor float64) {
	s.batch.MeanBar[0] = factor * s.dMean * s.standard.Scale
	s.batch.VarBar[0] = 0
	if !s.sdIsTheFloors {
		// sd = scale·√var
		s.batch.VarBar[0] = factor * s.dSD * s.standard.Scale / (2 * math.Sqrt(s.batch.Var[0]))
	}
	s.batch.Pull(grad)
}
