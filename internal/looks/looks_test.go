package looks

import (
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
	"github.com/eke-bo/eke/internal/normal"
)

// The slow twin conditions the models on each outcome of the quadrature, and asks them again about every top.
func TestLookWorthEqualsConditioning(t *testing.T) {
	for _, resume := range []bool{false, true} {
		checkLookWorth(t, resume)
	}
}

// checkLookWorth compares looks with their twins. If evaluations are resumed, the one at the point of the look costs as much less as the look.
func checkLookWorth(t *testing.T, resume bool) {
	s := modeltest.Leveled(6, 10, 3)
	s.Resume = resume
	s.Looking = []model.Look{{X: []float64{0.4, 0.4}, Level: 0.5}}
	d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	w := NewWorth(d, model.Suggestion{X: []float64{0.31, 0.58}})
	if len(w.Tops) != mostTops || !slices.Equal(w.Tops[0], []float64{0.31, 0.58}) {
		t.Fatalf("%d tops, the first is %v", len(w.Tops), w.Tops[0])
	}
	points := w.Tops[:3]
	std := d.Belief.Objective.Standard()
	for _, level := range []float64{0, 0.5} {
		l := w.newLooking(level, points)
		for i := range points {
			got := w.after([][]float64{l.direction(i)}, l.pay(spending{}, i), w.one)
			at := d.Belief.Objective.At(level)
			mean, variance := at.Posterior(points[i])
			lnPrice, _ := d.Belief.LnCost.At(level).Posterior(points[i])
			if paid := paid(&s, points[i]); paid > 0 {
				lnPrice = math.Log(rest(math.Exp(lnPrice), paid))
			}
			sd, want := math.Sqrt(variance+at.Hyper().Noise*std.Scale*std.Scale), 0.0
			for q, z := range w.one.z {
				after := at.Condition(points[i], mean+sd*z[0]).At(1)
				best := 0.0
				for j, x := range w.Tops {
					mean, variance := after.Posterior(x)
					value, lnCost := math.Exp(first(acq.LogEI(std.To(mean), math.Sqrt(variance)/std.Scale, w.best))), w.lnCost[j]
					if resume && j == i {
						lnCost = math.Log(math.Exp(lnCost) - math.Exp(lnPrice))
					}
					fits := normal.CDF((math.Log(w.Belief.Remaining-math.Exp(lnPrice)) - lnCost) / w.lnCostSD[j])
					best = math.Max(best, value*fits-w.lambda*math.Exp(lnCost))
				}
				want += w.one.weights[q] * best
			}
			want -= w.lambda * math.Exp(lnPrice)
			if math.Abs(got-want) > 1e-6*want {
				t.Errorf("a look at %v on level %v is worth %v, by conditioning %v (resume: %v)", points[i], level, got, want, resume)
			}
		}
	}
	sum, square := 0.0, 0.0
	for q, z := range w.one.z {
		sum, square = sum+w.one.weights[q], square+w.one.weights[q]*z[0]*z[0]
	}
	if math.Abs(sum-1) > 1e-12 || math.Abs(square-1) > 1e-12 {
		t.Errorf("the quadrature of 1 and z² is %v and %v", sum, square)
	}
}

func first(v, _, _ float64) float64 { return v }

// Looks that are taken together move the tops as looks that are taken one after the other.
func TestLooksTogetherEqualConditioning(t *testing.T) {
	s := modeltest.Leveled(6, 10, 3)
	d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	w := NewWorth(d, model.Suggestion{X: []float64{0.31, 0.58}})
	points, std := w.Tops[:3], d.Belief.Objective.Standard()
	l := w.newLooking(0.5, points)
	z := []float64{0.7, -1.2, 0.4}
	model, moved, left := d.Belief.Objective.At(0.5), slices.Clone(w.mean), make([]float64, len(w.Tops))
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
	for j, x := range w.Tops {
		mean, variance := model.At(1).Posterior(x)
		if math.Abs(moved[j]-std.To(mean)) > 1e-6 || math.Abs(left[j]-variance/(std.Scale*std.Scale)) > 1e-6 {
			t.Fatalf("top %d: %v ± %v, by conditioning %v ± %v", j, moved[j], left[j], std.To(mean), variance/(std.Scale*std.Scale))
		}
	}
	for _, level := range []float64{0, 0.5} {
		one, many := w.bestBundle(level, w.Tops[:16], 1), w.bestBundle(level, w.Tops[:16], 8)
		if one.looks != 1 || many.worth < one.worth || !slices.Equal(one.first, many.first) {
			t.Errorf("level %v: one look %+v, several %+v", level, one, many)
		}
	}
	mean := 0.0
	for _, z := range w.joint.z {
		for _, v := range z {
			mean += v
		}
	}
	if math.Abs(mean) > 1e-12 || len(w.joint.z) != jointOutcomes || len(w.joint.z[0]) != 8 {
		t.Errorf("%d joint outcomes with a mean of %v", len(w.joint.z), mean)
	}
}

// DearTops is a state with little money for the top.
func DearTops() model.State {
	s := modeltest.Leveled(3, 6, 1)
	s.Remaining = 0.38
	for i := range s.LnCost {
		s.LnCost[i] = 1.5 * float64(1-i)
	}
	for i := range s.Looks {
		s.Looks[i].LnCost += 0.75 * float64(i%3-1)
	}
	return s
}

// No look is taken that leaves no money for an evaluation at the top, although one of them might turn out to be cheap.
func TestNoLookWithoutMoneyForTheTop(t *testing.T) {
	s := DearTops()
	d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	w := NewWorth(d, model.Suggestion{X: []float64{0.3, 0.6}})
	for j := range w.Tops {
		if fits := w.fits(j, 0.06); fits >= 0.9 {
			t.Fatalf("top %d is paid for with a chance of %v", j, fits)
		}
	}
	for _, level := range s.Levels[:2] {
		if b := w.bestBundle(level, w.NewLooks(level), 8); b.worth > 0 {
			t.Errorf("on level %v: %+v", level, b)
		}
	}
}

// After looks, an evaluation at the top counts only if the money is likely to pay for it.
func TestLooksLeaveMoneyForWhatTheyMayFind(t *testing.T) {
	s := DearTops()
	s.Remaining = 3
	w := NewWorth(modeltest.Believe(t, &s, model.Settings{Threads: 1}), model.Suggestion{X: []float64{0.3, 0.6}})
	unsure := 0
	for _, price := range []float64{0.1, 0.5, 1, 2, 2.5} {
		list, _ := w.then(spending{price: price})
		for j, top := range list {
			fits := w.fits(j, price)
			if fits > 0.1 && fits < 0.9 {
				unsure++
			}
			if (top.fits > 0) != (fits >= 0.9) {
				t.Errorf("after looks for %v, top %d is paid for with a chance of %v, and counts with %v", price, j, fits, top.fits)
			}
		}
	}
	if unsure == 0 {
		t.Error("the money pays for all or none, so that this test shows nothing")
	}
}

// SomeLooks is a state with few looks, or with so many that it is the turn of the top.
func SomeLooks(many bool) model.State {
	s := modeltest.Leveled(3, 6, 5)
	for i := 0; i < 90 && many; i++ { // for 10, where three evaluations cost 3
		x := []float64{float64(i) / 90, float64(i*7%90) / 90}
		s.Looks = append(s.Looks, model.Look{X: x, Y: modeltest.AtLevel(x, 0), LnCost: -math.Log(9)})
	}
	return s
}

// Looks may cost twice as much as evaluations at the top, and no more: then it is their turn.
func TestLooksCostNoMoreThanTops(t *testing.T) {
	for _, many := range []bool{false, true} {
		s := SomeLooks(many)
		d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
		if ahead := looksAhead(d.State, 1); ahead != many {
			t.Errorf("%d looks are ahead of %d evaluations: %v", len(s.Looks), len(s.X), ahead)
		}
	}
	s := SomeLooks(true)
	for i := range s.Looks {
		s.Looks[i].Step = true // nobody paid for them
	}
	if d := modeltest.Believe(t, &s, model.Settings{Threads: 1}); looksAhead(d.State, 1) {
		t.Error("steps of evaluations count as looks")
	}
}

// Where evaluations may fail, a top is worth its improvement times the chance of a value, less the price that is to be expected; and what lies where all fails is not looked at.
func TestLooksKnowOfFailures(t *testing.T) {
	s := modeltest.Leveled(6, 10, 3)
	for i := range 6 { // beyond a wall next to the top of the function
		s.Failed = append(s.Failed, model.Failure{X: []float64{0.34 + 0.1*float64(i), 0.15 * float64(i)}, LnCost: math.NaN()})
	}
	for i := 0; i < len(s.X); i++ {
		s.X[i][0] *= 0.3
	}
	for i := range s.Looks {
		s.Looks[i].X[0] *= 0.3
	}
	s.FailedCost = slices.Repeat([]float64{math.Log(0.5)}, len(s.Failed))
	d := modeltest.Believe(t, &s, model.Settings{Threads: 1})
	w, works := NewWorth(d, model.Suggestion{X: []float64{0.2, 0.6}}), d.Belief.Works()
	plain := *w
	plain.chance, plain.dearer = slices.Repeat([]float64{1}, len(w.Tops)), slices.Repeat([]float64{1}, len(w.Tops))
	likely, unlikely := 0, 0
	for j, x := range w.Tops {
		p := works(x)
		cost := math.Exp(w.lnCost[j])
		price := p*cost + (1-p)*math.Exp(d.Fails.Shift+d.Fails.Slope*w.lnCost[j])
		mean, sd := w.at(j)
		want := math.Exp(w.lnGain(mean, sd))*w.fits(j, 0)*p - w.lambda*price
		if got := w.worthOf(j, mean, sd, 0); math.Abs(got-want) > 1e-9*math.Abs(want)+1e-12 {
			t.Fatalf("top %v is worth %v, want %v", x, got, want)
		}
		if got, want := w.rate(j), plain.rate(j)*p*cost/price; math.Abs(got-want) > 1e-9*want {
			t.Fatalf("the rate of %v is %v, want %v", x, got, want)
		}
		if p > 0.9 {
			likely++
		} else if p < 0.2 {
			unlikely++
		}
	}
	if likely < unlikely {
		t.Errorf("%d tops are likely to have values, and %d are not", likely, unlikely)
	}
	l := w.newLooking(0.5, w.Tops[:4])
	for i := range 4 {
		all := l.pay(spending{}, i)
		sure := all
		sure.lnWorks = 0
		p := math.Exp(all.lnWorks)
		want := p*w.after([][]float64{l.direction(i)}, sure, w.one) + (1-p)*(w.now-w.lambda*all.price)
		if got := w.after([][]float64{l.direction(i)}, all, w.one); math.Abs(got-want) > 1e-12 || math.Abs(p-works(w.Tops[i])) > 1e-12 {
			t.Errorf("a look that works with a chance of %v is worth %v, want %v", p, got, want)
		}
	}
}
