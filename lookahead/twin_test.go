package lookahead_test

import (
	"math"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/lookahead"
)

// slow is the tree's value straight from its definition, MATH.md (8) and (9): each node has its own
// model, conditioned on the fantasies on the way, and its own acquisition function.
type slow struct {
	fantasies []int
	base      lookahead.Samples
	x         []float64
	dim       int
	meanCost  bool
	term      func(acq.Belief) *acq.Function // Q1, or EI if money plays no part

	// kink is the distance to the nearest kink: where an incumbent changes, in standard deviations of
	// the objective, or where money runs out, relative to the price paid.
	kink       float64
	dead, live int
}

func newSlow(b acq.Belief, fantasies []int, base lookahead.Samples, x []float64, o lookahead.Options) *slow {
	return &slow{
		fantasies: fantasies, base: base, x: x, dim: b.Objective.Dim(), meanCost: o.MeanCost,
		term: func(b acq.Belief) *acq.Function { return acq.Budgeted(b).WithinLimits() }, kink: math.Inf(1),
	}
}

// logValue returns ln Q of the subtree at a node. first is the number of the first node of its
// level, width that level's number of nodes, and index the node's own number in the level.
func (s *slow) logValue(b acq.Belief, level, first, width, index int) float64 {
	p := s.x[(first+index)*s.dim : (first+index+1)*s.dim]
	value := s.term(b).Log().Eval(nil, p)
	if math.IsInf(value, -1) {
		s.dead++
		return value // no money: nothing further down either
	}
	s.live++
	if level == len(s.fantasies) {
		return value
	}
	mean, variance := b.Objective.Posterior(p)
	costMean, costVariance := b.LnCost.Posterior(p)
	spread, costSpread := math.Sqrt(variance+noise(b.Objective)), math.Sqrt(costVariance+noise(b.LnCost))
	m := s.fantasies[level]
	for j, e := range s.base[level] {
		y, lnCost := mean+spread*e.Value, costMean+costSpread*e.LnCost
		price := math.Exp(lnCost)
		if s.meanCost && e.LnCost == 0 {
			price = math.Exp(costMean + costSpread*costSpread/2)
		}
		child := b
		child.Objective, child.LnCost = b.Objective.Condition(p, y), b.LnCost.Condition(p, lnCost)
		child.Best, child.Remaining = math.Max(b.Best, y), b.Remaining-price
		s.kink = math.Min(s.kink, math.Abs(y-b.Best)/b.Objective.Standard().Scale)
		s.kink = math.Min(s.kink, math.Abs(child.Remaining)/price)
		below := s.logValue(child, level+1, first+width, width*m, j*width+index)
		value = logAdd(value, below-math.Log(float64(m)))
	}
	return value
}

// noise returns τ² in the square of the targets' units.
func noise(m *gp.Model) float64 { return m.Hyper().Noise * math.Pow(m.Standard().Scale, 2) }

func logAdd(a, b float64) float64 {
	if math.IsInf(b, -1) {
		return a
	}
	high := math.Max(a, b)
	return high + math.Log(math.Exp(a-high)+math.Exp(b-high))
}

// twinCase is one tree to compare.
type twinCase struct {
	name    string
	belief  acq.Belief
	base    lookahead.Samples
	options lookahead.Options
}

// twinCases varies budget, incumbent, floors, samples and options over a study.
func twinCases(s study, seed uint64, fantasies []int) []twinCase {
	with := func(change func(*acq.Belief)) acq.Belief {
		b := s.belief
		change(&b)
		return b
	}
	random := randomSamples(newRand(seed), fantasies)
	mean := lookahead.Options{MeanCost: true}
	return []twinCase{
		{"plain", s.belief, random, lookahead.Options{}},
		{"Sobol", s.belief, lookahead.SobolSamples(fantasies, seed), lookahead.Options{}},
		{"path", s.belief, zeroSamples(fantasies), lookahead.Options{}},
		{"path, mean cost", s.belief, zeroSamples(fantasies), mean},
		{"mean cost, no ε zero", s.belief, random, mean},
		{"much money", with(func(b *acq.Belief) { b.Remaining = 1000 }), random, lookahead.Options{}},
		{"little money", with(func(b *acq.Belief) { b.Remaining = 1.3 }), random, lookahead.Options{}},
		{"very little money", with(func(b *acq.Belief) { b.Remaining = 0.02 }), random, mean},
		{"far incumbent", with(func(b *acq.Belief) {
			b.Best += 40 * math.Sqrt(b.Objective.Hyper().Outputscale) * b.Objective.Standard().Scale
		}), random, lookahead.Options{}},
		{"near incumbent", with(func(b *acq.Belief) { b.Best -= b.Objective.Standard().Scale }), random, lookahead.Options{}},
		{"bound", with(func(b *acq.Belief) {
			most := b.Best + 0.7*b.Objective.Standard().Scale
			b.Most = &most
		}), random, lookahead.Options{}},
		{"failures and a limit", with(func(b *acq.Belief) {
			b.Limits = []acq.Limit{{Model: b.LnCost, Least: b.LnCost.Standard().Shift}}
			b.Fails = &acq.Fails{Value: acq.Limit{Model: b.Objective, Least: b.Objective.Standard().Shift}, Slope: 1}
		}), random, lookahead.Options{}},
		{"floors", with(func(b *acq.Belief) { b.MinSD = [2]float64{8, 0.3} }), random, lookahead.Options{}},
	}
}

func TestTreeEqualsRecursion(t *testing.T) {
	worst, dead := 0.0, 0
	for i, fantasies := range shapes {
		dim := 1 + i%4
		rng := newRand(uint64(i))
		s := someStudy(rng, 5+3*i, dim, 5e-4)
		for _, c := range twinCases(s, uint64(i), fantasies) {
			tree := newTree(t, c.belief, fantasies, c.base, c.options)
			walk := tree.NewWalk()
			for range 3 {
				x := points(rng, tree.Shape().Nodes(), dim)
				twin := newSlow(c.belief, fantasies, c.base, x, c.options)
				want := twin.logValue(c.belief, 0, 0, 1, 0)
				dead += twin.dead
				got := walk.LogValue(nil, x)
				off := math.Abs(got-want) / math.Max(1, math.Abs(want))
				worst = math.Max(worst, off)
				if !(off <= 1e-8) {
					t.Errorf("%v %s: ln Q = %v, want %v", fantasies, c.name, got, want)
				}
				if v := walk.Value(nil, x); !(math.Abs(v-math.Exp(want)) <= 1e-8*math.Exp(want)) {
					t.Errorf("%v %s: Q = %v, want %v", fantasies, c.name, v, math.Exp(want))
				}
			}
		}
	}
	t.Logf("worst deviation of ln Q: %.2g; %d dead nodes met", worst, dead)
	if dead == 0 {
		t.Error("no dead node among all these trees")
	}
}

// Points that coincide with each other or with data, where the factor's pivots are smallest.
func TestTreeEqualsRecursionOnCoincidingPoints(t *testing.T) {
	for i, fantasies := range shapes {
		rng := newRand(uint64(20 + i))
		s := someStudy(rng, 8, 2, 5e-4)
		base := randomSamples(rng, fantasies)
		tree := newTree(t, s.belief, fantasies, base, lookahead.Options{})
		walk := tree.NewWalk()
		for name, x := range map[string][]float64{
			"all at one point": repeat([]float64{0.3, 0.6}, tree.Shape().Nodes()),
			"all at a datum":   repeat(s.x[2], tree.Shape().Nodes()),
		} {
			want := newSlow(s.belief, fantasies, base, x, lookahead.Options{}).logValue(s.belief, 0, 0, 1, 0)
			if got := walk.LogValue(nil, x); !(math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want))) {
				t.Errorf("%v %s: ln Q = %v, want %v", fantasies, name, got, want)
			}
		}
	}
}

func repeat(p []float64, n int) []float64 {
	var x []float64
	for range n {
		x = append(x, p...)
	}
	return x
}

func TestTreeOfOneNodeIsBudgetedEI(t *testing.T) {
	for dim := 1; dim <= 4; dim++ {
		rng := newRand(uint64(30 + dim))
		s := someStudy(rng, 10, dim, 5e-4)
		walk := newTree(t, s.belief, nil, nil, lookahead.Options{}).NewWalk()
		for range 10 {
			x := points(rng, 1, dim)
			for name, f := range map[string][2]func(grad, x []float64) float64{
				"plain": {walk.Value, acq.Budgeted(s.belief).Eval},
				"log":   {walk.LogValue, acq.Budgeted(s.belief).Log().Eval},
			} {
				gotGrad, wantGrad := make([]float64, dim), make([]float64, dim)
				got, want := f[0](gotGrad, x), f[1](wantGrad, x)
				if !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
					t.Errorf("%s: %v, want %v", name, got, want)
				}
				for j := range gotGrad {
					if !(math.Abs(gotGrad[j]-wantGrad[j]) <= 1e-10*length(wantGrad)) {
						t.Errorf("%s: gradient %v, want %v", name, gotGrad, wantGrad)
					}
				}
			}
		}
	}
}

// With unlimited money the costs play no part: plain multi-step EI.
func TestUnboundedBudgetIsMultiStepEI(t *testing.T) {
	worst := 0.0
	for i, fantasies := range shapes {
		rng := newRand(uint64(40 + i))
		s := someStudy(rng, 10, 2, 5e-4)
		s.belief.Remaining = math.Inf(1)
		base := randomSamples(rng, fantasies)
		tree := newTree(t, s.belief, fantasies, base, lookahead.Options{})
		x := points(rng, tree.Shape().Nodes(), 2)
		twin := newSlow(s.belief, fantasies, base, x, lookahead.Options{})
		twin.term = acq.EI
		want := twin.logValue(s.belief, 0, 0, 1, 0)
		grad := make([]float64, len(x))
		got := tree.NewWalk().LogValue(grad, x)
		worst = math.Max(worst, math.Abs(got-want))
		if !(math.Abs(got-want) <= 1e-8) {
			t.Errorf("%v: ln Q = %v, want %v", fantasies, got, want)
		}
		if l := length(grad); math.IsNaN(l) || l == 0 {
			t.Errorf("%v: gradient %v", fantasies, grad)
		}
	}
	t.Logf("worst deviation of ln Q: %.2g", worst)
}

func TestNewRefusesSamplesOfAnotherShape(t *testing.T) {
	s := someStudy(newRand(1), 5, 1, 5e-4)
	shape, err := lookahead.NewShape([]int{2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range [][]int{{}, {2}, {3, 2}, {2, 3, 1}, {2, 2}} {
		if _, err := lookahead.New(s.belief, shape, zeroSamples(m), lookahead.Options{}); err == nil {
			t.Errorf("samples %v for the shape (2,3): no error", m)
		}
	}
	if tree, err := lookahead.New(s.belief, shape, zeroSamples([]int{2, 3}), lookahead.Options{}); err != nil || tree.Dim() != 9 {
		t.Errorf("%v", err)
	}
}
