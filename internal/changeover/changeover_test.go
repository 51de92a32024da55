package changeover

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rows are evaluations whose own costs are a log-linear function of the point with some noise, and which pay 10 for one change and 4 for another.
func rows(n int, says bool, seed uint64) (list []Row) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		x := []float64{rng.Float64(), rng.Float64()}
		r := Row{X: x, Cost: math.Exp(1.5*x[0] + 0.1*rng.NormFloat64()), Setup: math.NaN()}
		setup := 0.0
		if i == 0 || rng.Float64() < 0.6 {
			r.Changed, setup = append(r.Changed, 0), setup+10
		}
		if i == 0 || rng.Float64() < 0.5 {
			r.Changed, setup = append(r.Changed, 1), setup+4
		}
		if r.Cost += setup; says {
			r.Setup = setup
			if setup > 0 {
				r.Setup += 0.2 * rng.NormFloat64()
			}
		}
		list = append(list, r)
	}
	return list
}

func TestLearn(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int
		says   bool
		within float64 // standard deviations
		sd     float64 // at most
	}{{"reports", 12, true, 3, 0.8}, {"no reports", 20, false, 3, 0.8}, {"few without reports", 5, false, 3, 12}} {
		for seed := range uint64(4) {
			got := Learn(rows(c.n, c.says, seed), 2)
			for k, want := range []float64{10, 4} {
				if p := got[k]; !(math.Abs(p.Mean-want) < c.within*p.SD+0.3) || !(p.SD < c.sd) {
					t.Errorf("%s, seed %d: price %d is %.2f ± %.2f, want %v", c.name, seed, k, p.Mean, p.SD, want)
				}
			}
		}
	}
}

// Without reports, and with a change in every evaluation, next to nothing can be told: the answer has to say so.
func TestUnsure(t *testing.T) {
	list := rows(6, false, 1)
	for i := range list {
		list[i].Changed = []int{0}
		list[i].Cost = 10 + math.Exp(float64(i%2))
	}
	p := Learn(list, 1)[0]
	if !(p.Mean > 0 && p.Mean < 12 && p.SD > 0.3) {
		t.Errorf("%.2f ± %.2f, which is too sure", p.Mean, p.SD)
	}
}

func TestNothingSeen(t *testing.T) {
	if p := Learn(nil, 1); p[0] != (Price{}) {
		t.Errorf("without rows: %v", p)
	}
	if p := Learn([]Row{{X: []float64{0.5}, Cost: 3, Setup: math.NaN()}}, 1)[0]; p.Mean != 3 || p.SD != 3 {
		t.Errorf("nobody has paid it: %v, want a usual cost, and no less unsure", p)
	}
	for _, cost := range []float64{0, -1, math.NaN()} {
		if p := Learn([]Row{{X: []float64{0.5}, Cost: cost, Changed: []int{0}}}, 1)[0]; p != (Price{}) {
			t.Errorf("a cost of %v: %v", cost, p)
		}
	}
	for _, setup := range []float64{0, 5, math.NaN()} { // more than the cost, or all of it
		p := Learn([]Row{{X: []float64{0.5}, Cost: 1, Setup: setup, Changed: []int{0}}}, 1)[0]
		if math.IsNaN(p.Mean) || math.IsNaN(p.SD) || p.Mean < 0 || math.IsInf(p.SD, 0) {
			t.Errorf("a setup of %v: %v", setup, p)
		}
	}
}
