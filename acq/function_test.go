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

func TestGradients(t *testing.T) {
	for _, c := range []struct{ n, dim int }{{1, 1}, {6, 2}, {20, 3}, {40, 5}} {
		rng := newRand(uint64(c.n))
		b := someBelief(rng, c.n, c.dim)
		all := family(b)
		maps.Copy(all, indices(b))
		for _, name := range slices.Sorted(maps.Keys(all)) {
			make := all[name]
			t.Run(fmt.Sprintf("%s,n=%d,d=%d", name, c.n, c.dim), func(t *testing.T) {
				for range 3 {
					x := point(rng, c.dim)
					gradcheck.Check(t, make().Log().Eval, x, gradcheck.Settings{})
					if math.Abs(make().Eval(nil, x)) > 1e-200 { // below, finite differences are made of rounding
						gradcheck.Check(t, make().Eval, x, gradcheck.Settings{})
					}
				}
			})
		}
	}
}

func TestLogIsTheLogarithmOfThePlain(t *testing.T) {
	rng := newRand(5)
	b := someBelief(rng, 15, 3)
	all := family(b)
	for _, name := range slices.Sorted(maps.Keys(all)) { // in one order, as all points are drawn from one generator
		make := all[name]
		for range 20 {
			x := point(rng, 3)
			plain, log := make().Eval(nil, x), make().Log().Eval(nil, x)
			if plain > 0 && math.Abs(math.Log(plain)-log) > 1e-12*math.Max(1, math.Abs(log)) {
				t.Errorf("%s: %v and its log %v", name, plain, log)
			}
		}
	}
}

func TestPerCostToThePowerZeroIsEI(t *testing.T) {
	rng := newRand(6)
	b := someBelief(rng, 10, 2)
	sameFunction(t, acq.EI(b), acq.PerCost(b, 0))
	sameFunction(t, acq.EI(b).Log(), acq.PerCost(b, 0).Log())
}

func TestUnboundedBudgetIsEI(t *testing.T) {
	rng := newRand(7)
	b := someBelief(rng, 10, 2)
	for _, money := range []float64{math.Inf(1), math.MaxFloat64, 1e100} {
		b.Remaining = money
		sameFunction(t, acq.EI(b), acq.Budgeted(b))
		sameFunction(t, acq.EI(b).Log(), acq.Budgeted(b).Log())
	}
}

// sameFunction compares values and gradients at random points of the square.
func sameFunction(t *testing.T, want, got *acq.Function) {
	t.Helper()
	rng := newRand(8)
	for range 20 {
		x := point(rng, 2)
		gradWant, gradGot := make([]float64, 2), make([]float64, 2)
		a, b := want.Eval(gradWant, x), got.Eval(gradGot, x)
		if !(math.Abs(a-b) <= 1e-12*math.Abs(a)) {
			t.Errorf("%v, want %v", b, a)
		}
		for j := range gradWant {
			if !(math.Abs(gradWant[j]-gradGot[j]) <= 1e-12*length(gradWant)) {
				t.Errorf("gradient %v, want %v", gradGot, gradWant)
			}
		}
	}
}

// With targets a·y + c, and everything else in those units, EI is multiplied by a.
func TestEIScalesWithTheTargets(t *testing.T) {
	rng := newRand(9)
	x := make([][]float64, 12)
	y := make([]float64, len(x))
	for i := range x {
		x[i] = point(rng, 2)
		y[i] = math.Sin(6*x[i][0]) + x[i][1]
	}
	h := someHyper(rng, 2)
	for _, c := range []struct{ a, b float64 }{{1, 5}, {1e-6, 0}, {1e6, -3e6}, {1e200, 1e200}, {1e-200, 0}} {
		scaled := make([]float64, len(y))
		for i, v := range y {
			scaled[i] = c.a*v + c.b
		}
		f := acq.EI(acq.Belief{Objective: gp.New(x, y, gp.Standardise(y), h), Best: 1.2})
		g := acq.EI(acq.Belief{Objective: gp.New(x, scaled, gp.Standardise(scaled), h), Best: 1.2*c.a + c.b})
		for range 10 {
			p := point(rng, 2)
			gradF, gradG := make([]float64, 2), make([]float64, 2)
			want, got := f.Eval(gradF, p), g.Eval(gradG, p)
			if math.Abs(got/c.a-want) > 1e-9 {
				t.Errorf("a=%v b=%v: %v, want %v times %v", c.a, c.b, got, c.a, want)
			}
			for j := range gradF {
				if math.Abs(gradG[j]/c.a-gradF[j]) > 1e-8 {
					t.Errorf("a=%v b=%v: gradient %v, want %v times %v", c.a, c.b, gradG, c.a, gradF)
				}
			}
		}
	}
}

func TestEvalDoesNotAllocate(t *testing.T) {
	rng := newRand(1)
	b := someBelief(rng, 20, 3)
	x, grad := point(rng, 3), make([]float64, 3)
	all := family(b)
	maps.Copy(all, indices(b))
	for name, make := range all {
		f := make()
		if n := testing.AllocsPerRun(50, func() { f.Eval(nil, x); f.Eval(grad, x) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	for _, n := range []int{20, 50, 100} {
		rng := newRand(1)
		belief := someBelief(rng, n, 3)
		x, grad := point(rng, 3), make([]float64, 3)
		for name, f := range map[string]*acq.Function{
			"EI": acq.EI(belief).Log(), "PerCost": acq.PerCost(belief, 1).Log(), "Budgeted": acq.Budgeted(belief).Log(),
		} {
			b.Run(fmt.Sprintf("%s/n=%d/value", name, n), func(b *testing.B) {
				for b.Loop() {
					f.Eval(nil, x)
				}
			})
			b.Run(fmt.Sprintf("%s/n=%d/gradient", name, n), func(b *testing.B) {
				for b.Loop() {
					f.Eval(grad, x)
				}
			})
		}
	}
}
