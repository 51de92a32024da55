package acq_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/gradcheck"
)

// far returns the belief with its incumbent the given number of standard deviations above the
// prediction at x.
func far(b acq.Belief, x []float64, deviations float64) acq.Belief {
	mean, variance := b.Objective.Posterior(x)
	b.Best = mean + deviations*math.Sqrt(variance)
	return b
}

// Where the plain value underflows, the logarithm still says where to go.
func TestLogIsUsefulFarBelowTheIncumbent(t *testing.T) {
	for _, deviations := range []float64{40, 400, 1e5} {
		for dim := 1; dim <= 3; dim++ {
			rng := newRand(uint64(dim))
			b, x := someBelief(rng, 15, dim), point(rng, dim)
			for name, make := range family(far(b, x, deviations)) {
				t.Run(fmt.Sprintf("%s,%vσ,d=%d", name, deviations, dim), func(t *testing.T) {
					checkUsefulLog(t, make, x)
				})
			}
		}
	}
}

func TestLogIsUsefulFarAboveTheBudget(t *testing.T) {
	for _, money := range []float64{1e-10, 1e-30, 1e-300, 5e-324} {
		for dim := 1; dim <= 3; dim++ {
			rng := newRand(uint64(dim))
			b, x := someBelief(rng, 15, dim), point(rng, dim)
			b.Remaining = money
			t.Run(fmt.Sprintf("money=%v,d=%d", money, dim), func(t *testing.T) {
				checkUsefulLog(t, func() *acq.Function { return acq.Budgeted(b) }, x)
			})
		}
	}
}

func checkUsefulLog(t *testing.T, make func() *acq.Function, x []float64) {
	t.Helper()
	grad := append([]float64(nil), x...)
	log := make().Log().Eval(grad, x)
	if !isFinite(log) || log > 0 {
		t.Errorf("log %v", log)
	}
	if l := length(grad); !isFinite(l) || l < 1e-3 {
		t.Errorf("the log's gradient is %v", grad)
	}
	gradcheck.Check(t, make().Log().Eval, x, gradcheck.Settings{Step: 1e-4})
	plain := make().Eval(grad, x)
	if want := math.Exp(log); plain != want || plain > 1e-5 {
		t.Errorf("plain %v, exp of the log %v", plain, want)
	}
	if plain == 0 && length(grad) != 0 {
		t.Errorf("a gradient %v where the value is 0", grad)
	}
	if !isFinite(length(grad)) {
		t.Errorf("the plain gradient is %v", grad)
	}
}

func TestPlainUnderflowsAtFortyDeviations(t *testing.T) {
	rng := newRand(3)
	b, x := someBelief(rng, 15, 2), point(rng, 2)
	if v := acq.EI(far(b, x, 40)).Eval(nil, x); v != 0 {
		t.Errorf("EI = %v", v)
	}
	if v := acq.EI(far(b, x, 35)).Eval(nil, x); !(v > 0 && v < 1e-250) {
		t.Errorf("EI = %v", v)
	}
}

func TestWithoutMoneyNothingIsWorthwhile(t *testing.T) {
	rng := newRand(4)
	b, x := someBelief(rng, 10, 2), point(rng, 2)
	for _, money := range []float64{0, -1e-300, -1, math.Inf(-1)} {
		b.Remaining = money
		grad := []float64{7, 7}
		if v := acq.Budgeted(b).Eval(grad, x); v != 0 || length(grad) != 0 {
			t.Errorf("money %v: value %v, gradient %v", money, v, grad)
		}
		grad = []float64{7, 7}
		if v := acq.Budgeted(b).Log().Eval(grad, x); !math.IsInf(v, -1) || length(grad) != 0 {
			t.Errorf("money %v: log %v, gradient %v", money, v, grad)
		}
	}
}

// If x is so far away that even the logarithm overflows, there is no slope, but no NaN either.
func TestBeyondTheLogarithmsReach(t *testing.T) {
	rng := newRand(6)
	b, x := someBelief(rng, 10, 2), point(rng, 2)
	for _, best := range []float64{1e200, math.MaxFloat64, math.Inf(1)} {
		b.Best = best
		for name, make := range family(b) {
			grad := []float64{7, 7}
			if v := make().Log().Eval(grad, x); !math.IsInf(v, -1) || length(grad) != 0 {
				t.Errorf("%s, incumbent %v: log %v, gradient %v", name, best, v, grad)
			}
		}
	}
}

// Below its floor the standard deviation is the floor and has no gradient. Only the gradient of the
// mean is left.
func TestFlooredDeviationsHaveNoGradient(t *testing.T) {
	rng := newRand(5)
	b := someBelief(rng, 15, 2)
	b.MinSD = [2]float64{200, 10}
	all := family(b)
	for _, name := range slices.Sorted(maps.Keys(all)) { // in one order, as all points are drawn from one generator
		make := all[name]
		for range 3 {
			x := point(rng, 2)
			gradcheck.Check(t, make().Eval, x, gradcheck.Settings{})
			gradcheck.Check(t, make().Log().Eval, x, gradcheck.Settings{})
		}
	}
	x := point(rng, 2)
	mean, dMean := meanGrad(b.Objective, x)
	costMean, dCostMean := meanGrad(b.LnCost, x)
	_, toMean, _ := acq.LogEI(mean, 200, b.Best)
	_, toCost, _, _ := acq.LogFits(costMean, 10, math.Log(b.Remaining))
	grad := make([]float64, 2)
	acq.Budgeted(b).Log().Eval(grad, x)
	for j := range grad {
		if want := toMean*dMean[j] + toCost*dCostMean[j]; math.Abs(grad[j]-want) > 1e-12*math.Abs(want) {
			t.Errorf("gradient %v, component %d should be %v", grad, j, want)
		}
	}
	// A floor on one output leaves the other alone.
	b.MinSD = [2]float64{0, 10}
	gradcheck.Check(t, acq.Budgeted(b).Log().Eval, x, gradcheck.Settings{})
	b.MinSD = [2]float64{200, 0}
	gradcheck.Check(t, acq.Budgeted(b).Log().Eval, x, gradcheck.Settings{})
}

// meanGrad returns the posterior mean at a point and its gradient.
func meanGrad(m *gp.Model, x []float64) (mean float64, grad []float64) {
	batch, s := m.NewBatch(1, nil), m.Standard()
	batch.Forward(x, true)
	batch.MeanBar[0], grad = s.Scale, make([]float64, len(x))
	batch.Pull(grad)
	return s.From(batch.Mean[0]), grad
}

// lnRange is the logarithm of the chance that a standard normal is between two numbers, by Simpson's rule on both sides of 0.
func lnRange(from, to float64) float64 {
	switch {
	case to <= 0:
		return lnRange(-to, -from)
	case from < 0:
		return math.Log(math.Exp(lnRange(0, -from)) + math.Exp(lnRange(0, to)))
	}
	const n = 20000
	step, sum := math.Min(to-from, 60/math.Max(from, 1))/n, 0.0
	for i := range n + 1 {
		t := float64(i) * step
		weight := float64(2 + 2*(i%2))
		if i == 0 || i == n {
			weight = 1
		}
		sum += weight * math.Exp(-t*(from+t/2))
	}
	return math.Log(sum*step/3) - from*from/2 - math.Log(2*math.Pi)/2
}

// The chance of a range is right in both tails, for ranges of any width, and so are its derivatives.
func TestChanceOfARange(t *testing.T) {
	rng := newRand(3)
	b, x := someBelief(rng, 15, 2), point(rng, 2)
	m := b.LnCost
	mean, sd := m.PosteriorSD(x)
	sd = math.Hypot(sd, m.Standard().Scale*math.Sqrt(m.Hyper().Noise))
	for _, from := range []float64{-1e4, -300, -40, -9, -3, -1, -0.2, 0, 0.2, 1, 3, 9, 40, 300, 1e4} {
		for _, width := range []float64{1e-9, 1e-3, 0.02, 0.049, 0.051, 0.4, 3, 50, 1e3} {
			most := mean + (from+width)*sd
			limit := acq.Limit{Model: m, Least: mean + from*sd, Most: &most}
			got, want := limit.LogChance()(nil, x), lnRange((limit.Least-mean)/sd, (most-mean)/sd)
			if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) && math.Abs(got-want) > 1e-14*(1+math.Abs(from))/width {
				t.Errorf("from %v by %v: %v, want %v", from, width, got, want)
			}
			gradcheck.Check(t, func(grad, x []float64) float64 {
				clear(grad)
				return limit.LogChance()(grad, x)
			}, x, gradcheck.Settings{})
		}
	}
	most := mean + sd
	if v := (acq.Limit{Model: m, Least: most, Most: &most}).LogChance()(make([]float64, 2), x); !(v < -600) || !isFinite(v) {
		t.Errorf("a range without a width: %v", v)
	}
	least := mean - sd
	above, below := acq.Limit{Model: m, Least: least}, 1e300
	if got, want := (acq.Limit{Model: m, Least: least, Most: &below}).LogChance()(nil, x), above.LogChance()(nil, x); got != want {
		t.Errorf("a range without an upper end: %v, want %v", got, want)
	}
}
