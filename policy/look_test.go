package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/normal"
)

// leveledState is a state with looks at a function whose cheap versions are shifted, and cost a ninth or a third.
func leveledState(tops, looks int, seed uint64) State {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := State{Dim: 2, Levels: []float64{0, 0.5, 1}, Initial: 30, Remaining: 20, Seed: seed, Trial: tops + looks}
	draw := func() []float64 { return []float64{rng.Float64(), rng.Float64()} }
	for range tops {
		x := draw()
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, atLevel(x, 1)), append(s.LnCost, 0)
	}
	for i := range looks {
		x, level := draw(), s.Levels[i%2]
		s.Looks = append(s.Looks, Look{X: x, Level: level, Y: atLevel(x, level), LnCost: -math.Log(9) * (1 - level)})
	}
	return s
}

func atLevel(x []float64, level float64) float64 {
	return -4*(math.Pow(x[0]-0.3, 2)+math.Pow(x[1]-0.6, 2)) - (1-level)*(1+0.3*x[0])
}

func leveledDecision(t *testing.T, s *State) (*policy, *decision) {
	t.Helper()
	made, err := New("log-ei-puc", Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := made.(*policy)
	d := &decision{State: s, history: p.newHistory(s)}
	d.fitted = p.fitModels(t.Context(), s, d.history)
	best := p.best(d.fitted, d.history, s.X)
	d.incumbent = s.X[best.index]
	if err := p.believe(d, best.value); err != nil {
		t.Fatal(err)
	}
	return p, d
}

// The slow twin conditions the models on each outcome of the quadrature, and asks them again about every top.
func TestLookWorthEqualsConditioning(t *testing.T) {
	for _, resume := range []bool{false, true} {
		checkLookWorth(t, resume)
	}
}

// checkLookWorth compares looks with their twins. If evaluations are resumed, the one at the point of the look costs as much less as the look.
func checkLookWorth(t *testing.T, resume bool) {
	s := leveledState(6, 10, 3)
	s.Resume = resume
	s.Looking = []Look{{X: []float64{0.4, 0.4}, Level: 0.5}}
	p, d := leveledDecision(t, &s)
	w := p.newLookWorth(d, Suggestion{X: []float64{0.31, 0.58}})
	if len(w.tops) != mostTops || !slices.Equal(w.tops[0], []float64{0.31, 0.58}) {
		t.Fatalf("%d tops, the first is %v", len(w.tops), w.tops[0])
	}
	points := w.tops[:3]
	std := d.belief.Objective.Standard()
	for _, level := range []float64{0, 0.5} {
		l := w.newLooking(level, points)
		for i := range points {
			got := w.afterLook(l.direction(i), spending{}.with(l.top[i], math.Exp(l.lnCost[i])))
			at := d.belief.Objective.At(level)
			mean, variance := at.Posterior(points[i])
			lnPrice, _ := d.belief.LnCost.At(level).Posterior(points[i])
			if paid := s.paid(points[i]); paid > 0 {
				lnPrice = math.Log(rest(math.Exp(lnPrice), paid))
			}
			sd, want := math.Sqrt(variance+at.Hyper().Noise*std.Scale*std.Scale), 0.0
			for q, z := range w.nodes {
				after := at.Condition(points[i], mean+sd*z).At(1)
				best := 0.0
				for j, x := range w.tops {
					mean, variance := after.Posterior(x)
					value, lnCost := math.Exp(first(acq.LogEI(std.To(mean), math.Sqrt(variance)/std.Scale, w.best))), w.lnCost[j]
					if resume && j == i {
						lnCost = math.Log(math.Exp(lnCost) - math.Exp(lnPrice))
					}
					fits := normal.CDF((math.Log(w.belief.Remaining-math.Exp(lnPrice)) - lnCost) / w.lnCostSD[j])
					best = math.Max(best, value*fits-w.lambda*math.Exp(lnCost))
				}
				want += w.wts[q] * best
			}
			want -= w.lambda * math.Exp(lnPrice)
			if math.Abs(got-want) > 1e-6*want {
				t.Errorf("a look at %v on level %v is worth %v, by conditioning %v (resume: %v)", points[i], level, got, want, resume)
			}
		}
	}
	sum, square := 0.0, 0.0
	for q, z := range w.nodes {
		sum, square = sum+w.wts[q], square+w.wts[q]*z*z
	}
	if math.Abs(sum-1) > 1e-12 || math.Abs(square-1) > 1e-12 {
		t.Errorf("the quadrature of 1 and z² is %v and %v", sum, square)
	}
}

func first(v, _, _ float64) float64 { return v }

// Looks that are taken together move the tops as looks that are taken one after the other.
func TestLooksTogetherEqualConditioning(t *testing.T) {
	s := leveledState(6, 10, 3)
	p, d := leveledDecision(t, &s)
	w := p.newLookWorth(d, Suggestion{X: []float64{0.31, 0.58}})
	points, std := w.tops[:3], d.belief.Objective.Standard()
	l := w.newLooking(0.5, points)
	z := []float64{0.7, -1.2, 0.4}
	model, moved, left := d.belief.Objective.At(0.5), slices.Clone(w.mean), make([]float64, len(w.tops))
	for j, sd := range w.sd {
		left[j] = sd * sd
	}
	for k, i := range []int{2, 0, 1} {
		for j, m := range l.take(i) {
			moved[j] += m * z[k]
			left[j] -= m * m
		}
		mean, variance := model.Posterior(points[i])
		model = model.Condition(points[i], mean+math.Sqrt(variance+model.Hyper().Noise*std.Scale*std.Scale)*z[k])
	}
	for j, x := range w.tops {
		mean, variance := model.At(1).Posterior(x)
		if math.Abs(moved[j]-std.To(mean)) > 1e-6 || math.Abs(left[j]-variance/(std.Scale*std.Scale)) > 1e-6 {
			t.Fatalf("top %d: %v ± %v, by conditioning %v ± %v", j, moved[j], left[j], std.To(mean), variance/(std.Scale*std.Scale))
		}
	}
	for _, level := range []float64{0, 0.5} {
		one, many := w.bestBundle(level, w.tops[:16], 1), w.bestBundle(level, w.tops[:16], 8)
		if one.looks != 1 || many.worth < one.worth || !slices.Equal(one.first, many.first) {
			t.Errorf("level %v: one look %+v, several %+v", level, one, many)
		}
	}
	mean := 0.0
	for _, z := range w.joint {
		for _, v := range z {
			mean += v
		}
	}
	if math.Abs(mean) > 1e-12 || len(w.joint) != jointOutcomes || len(w.joint[0]) != 8 {
		t.Errorf("%d joint outcomes with a mean of %v", len(w.joint), mean)
	}
}

// The best tree is at least as good as those that its search began with, and its root is a point that was not looked at.
func TestLookTrees(t *testing.T) {
	s := leveledState(6, 10, 3)
	p, d := leveledDecision(t, &s)
	chosen := Suggestion{X: []float64{0.31, 0.58}}
	w := p.newLookWorth(d, chosen)
	tree := p.newLookTree(d, []float64{0.5, 1, 1}, chosen)
	starts := w.startTrees(0.5, w.newLooks(d, 0.5), tree.base[0])
	if len(starts) != planStarts || len(starts[0]) != tree.Dim() {
		t.Fatalf("%d starts of %d coordinates, a tree has %d", len(starts), len(starts[0]), tree.Dim())
	}
	any := func([]float64) bool { return true }
	best, walk := tree.maximise(t.Context(), starts, any), tree.NewWalk()
	for _, x := range starts {
		if v := walk.LogRate(nil, x, 1); !(best.Value > v) {
			t.Errorf("the best tree has %v, a start %v", best.Value, v)
		}
	}
	if none := tree.maximise(t.Context(), starts, func([]float64) bool { return false }); none.X != nil {
		t.Errorf("no root is allowed, and it is %v", none.X[:2])
	}
	sum, square := 0.0, 0.0
	for _, o := range tree.base[0] {
		sum, square = sum+o.Value, square+o.Value*o.Value/lookOutcomes
	}
	if math.Abs(sum) > 1e-12 || math.Abs(square-1) > 1e-12 || tree.base[1][0].Value != 0 {
		t.Errorf("outcomes %v", tree.base)
	}
}

// Cheap looks that tell are taken, looks as dear as the top are not, nor are looks that leave no money for the top.
func TestWhenToLook(t *testing.T) {
	for _, name := range []string{"log-ei-puc", "look-tree"} {
		t.Run(name, func(t *testing.T) { checkWhenToLook(t, name) })
	}
}

func checkWhenToLook(t *testing.T, name string) {
	suggest := func(change func(*State)) Suggestion {
		t.Helper()
		s := leveledState(3, 6, 5)
		change(&s)
		made, err := New(name, Settings{Threads: 1, Design: -1})
		if err != nil {
			t.Fatal(err)
		}
		out, err := made.Suggest(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	cheap := suggest(func(*State) {})
	if cheap.Level == 1 || cheap.Look == nil || !(cheap.Look.Gain > 1) || cheap.Predicted.Cost > 0.8 {
		t.Errorf("with cheap looks: level %v, %+v, expected to cost %v", cheap.Level, cheap.Look, cheap.Predicted.Cost)
	}
	dear := suggest(func(s *State) {
		for i := range s.Looks {
			s.Looks[i].LnCost = math.Log(3)
		}
	})
	if dear.Level != 1 || dear.Look != nil {
		t.Errorf("with looks that cost more than the top: level %v, %+v", dear.Level, dear.Look)
	}
	last := suggest(func(s *State) { s.Remaining = 1.02 })
	if last.Level != 1 {
		t.Errorf("with money for one evaluation at the top: level %v, %+v", last.Level, last.Look)
	}
	again := suggest(func(*State) {})
	if !slices.Equal(again.X, cheap.X) || again.Level != cheap.Level {
		t.Errorf("the same state gives %v, %v and %v, %v", cheap.X, cheap.Level, again.X, again.Level)
	}
}

// No look is taken that leaves no money for an evaluation at the top, although one of them might turn out to be cheap.
func TestNoLookWithoutMoneyForTheTop(t *testing.T) {
	s := leveledState(3, 6, 1)
	s.Remaining = 0.38
	for i := range s.LnCost {
		s.LnCost[i] = 1.5 * float64(1-i)
	}
	for i := range s.Looks {
		s.Looks[i].LnCost += 0.75 * float64(i%3-1)
	}
	p, d := leveledDecision(t, &s)
	w := p.newLookWorth(d, Suggestion{X: []float64{0.3, 0.6}})
	for j := range w.tops {
		if fits := w.fits(j, 0.06); fits >= evenChance {
			t.Fatalf("top %d is paid for with a chance of %v", j, fits)
		}
	}
	for _, level := range s.Levels[:2] {
		if b := w.bestBundle(level, w.newLooks(d, level), 8); b.worth > 0 {
			t.Errorf("on level %v: %+v", level, b)
		}
	}
	made, err := New("log-ei-puc", Settings{Threads: 1, Design: -1})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := made.Suggest(t.Context(), s); err != nil || out.Level != 1 {
		t.Errorf("level %v, %+v, %v", out.Level, out.Look, err)
	}
}

// Looks may cost twice as much as evaluations at the top, and no more: then it is their turn.
func TestLooksCostNoMoreThanTops(t *testing.T) {
	made, err := New("log-ei-puc", Settings{Threads: 1, Design: -1})
	if err != nil {
		t.Fatal(err)
	}
	s := leveledState(3, 6, 5)
	for _, many := range []bool{false, true} {
		if many {
			for i := range 90 { // for 10, where three evaluations cost 3
				x := []float64{float64(i) / 90, float64(i*7%90) / 90}
				s.Looks = append(s.Looks, Look{X: x, Y: atLevel(x, 0), LnCost: -math.Log(9)})
			}
		}
		_, d := leveledDecision(t, &s)
		if ahead := d.looksAhead(1); ahead != many {
			t.Errorf("%d looks are ahead of %d evaluations: %v", len(s.Looks), len(s.X), ahead)
		}
		out, err := made.Suggest(t.Context(), s)
		if err != nil || (out.Level == 1) != many {
			t.Errorf("after %d looks: level %v, %v", len(s.Looks), out.Level, err)
		}
	}
	for i := range s.Looks {
		s.Looks[i].Step = true // nobody paid for them
	}
	if _, d := leveledDecision(t, &s); d.looksAhead(1) {
		t.Error("steps of evaluations count as looks")
	}
}

// The design are looks, and then the best of their points for its price is evaluated at the top.
func TestDesignWithLevels(t *testing.T) {
	made, err := New("log-ei-puc", Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := leveledState(0, 0, 1)
	s.Remaining = s.Initial
	dear := func(x []float64) bool { return x[0] > 0.5 }
	levels, seen := []float64(nil), [][]float64(nil)
	for range 7 {
		out, err := made.Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		levels = append(levels, out.Level)
		if out.Policy != "design" {
			t.Errorf("trial %d is by %s", s.Trial, out.Policy)
		}
		if s.Trial++; out.Level == 1 {
			if !slices.ContainsFunc(seen, func(x []float64) bool { return slices.Equal(x, out.X) }) || dear(out.X) || !out.Predicted.Known {
				t.Errorf("the first evaluation at the top is at %v, of %v, expected %+v", out.X, seen, out.Predicted)
			}
			continue
		}
		lnCost := math.Log(0.1 + 0.1*out.Level)
		if dear(out.X) {
			lnCost += 3
		}
		seen = append(seen, out.X)
		s.Looks = append(s.Looks, Look{X: out.X, Level: out.Level, Y: atLevel(out.X, out.Level), LnCost: lnCost})
	}
	if !slices.Equal(levels, []float64{0, 0.5, 0, 0.5, 0, 0.5, 1}) {
		t.Errorf("the design has levels %v", levels)
	}
}

// While nothing is known at the top, points that fail there are not tried again, and those under way are not tried twice.
func TestFirstTops(t *testing.T) {
	made, err := New("log-ei-puc", Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := leveledState(0, 6, 1)
	for range 3 {
		out, err := made.Suggest(context.Background(), s)
		if err != nil || out.Level != 1 {
			t.Fatalf("level %v, %v", out.Level, err)
		}
		if taken := slices.Concat(s.failures(), s.Pending); slices.ContainsFunc(taken, func(x []float64) bool { return slices.Equal(x, out.X) }) {
			t.Errorf("%v is tried twice: %v", out.X, taken)
		}
		if s.Trial++; len(s.Failed) == 0 {
			s.Failed = append(s.Failed, Failure{X: out.X, LnCost: 0})
		} else {
			s.Pending = append(s.Pending, out.X)
		}
	}
	s.Looks[0].LnCost, s.Looks[1].LnCost = math.NaN(), math.NaN() // some costs are not known
	if out, err := made.Suggest(context.Background(), s); err != nil || out.Level != 1 {
		t.Errorf("level %v, %v", out.Level, err)
	}
}

func TestStatesWithLevelsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*State){
		"no levels":         func(s *State) { s.Levels = nil },
		"one level":         func(s *State) { s.Levels = []float64{1} },
		"no top":            func(s *State) { s.Levels = []float64{0, 0.5} },
		"not in order":      func(s *State) { s.Levels = []float64{0.5, 0, 1} },
		"a look at the top": func(s *State) { s.Looks[0].Level = 1 },
		"no value":          func(s *State) { s.Looks[0].Y = math.NaN() },
		"another dimension": func(s *State) { s.Looks[0].X = []float64{1} },
	} {
		s := leveledState(2, 2, 1)
		if err := s.check(); err != nil {
			t.Fatal(err)
		}
		if change(&s); s.check() == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}

// Too many looks are thinned, those at the top are not.
func TestObservationsAreThinned(t *testing.T) {
	s := leveledState(7, 500, 1)
	o := s.observations(mostLeveled)
	if len(o.x) != mostLeveled || o.levels[6] != 1 || o.levels[7] == 1 {
		t.Errorf("%d observations, levels %v", len(o.x), o.levels[:9])
	}
}
