package rest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/model"
)

// slowWalk is walk in the plainest words: whole models, conditioned on every outcome, are asked about every point. It takes the same
// random numbers in the same order.
func slowWalk(r *Rehearsal, values *gp.Model, number int) []float64 {
	rng := rand.New(rand.NewPCG(r.start, uint64(number)+1))
	costs := r.LogCost()
	std := values.Standard()
	points, tried := slices.Clone(r.points), make([]bool, len(r.points))
	best, bestAt, spent, next := r.best, r.bestAt, 0.0, 0
	all := r.money[len(r.money)-1]
	gains := make([]float64, len(r.money))
	for step := range mostImagined {
		chosen, highest := -1, math.Inf(-1)
		for i, x := range points {
			lnCost, _ := costs.PosteriorSD(x)
			mean, sd := values.PosteriorSD(x)
			index, _, _ := acq.LogEI(std.To(mean), sd/std.Scale, best)
			if index -= lnCost; i >= r.forced && !tried[i] && math.Exp(lnCost) <= all-spent && index > highest {
				chosen, highest = i, index
			}
		}
		if step < r.forced {
			chosen = step
		}
		if chosen < 0 || spent >= all {
			break
		}
		x := points[chosen]
		mean, sd := values.PosteriorSD(x)
		lnCost, lnSD := costs.PosteriorSD(x)
		y := mean + sd*rng.NormFloat64()
		z := lnCost + math.Hypot(lnSD, costs.Standard().Scale*math.Sqrt(costs.Hyper().Noise))*rng.NormFloat64()
		values, costs = values.Condition(x, y), costs.Condition(x, z)
		tried[chosen] = true
		before := best
		if t := std.To(y); t > best {
			best, bestAt = t, x
		}
		for spent += math.Exp(z); next < len(gains) && spent > r.money[next]; next++ {
			gains[next] = before - r.best
		}
		for k := range 6 {
			i := len(points) - nearby + (6*step+k)%nearby
			points[i], tried[i] = r.near(bestAt, rng), false
		}
	}
	for ; next < len(gains); next++ {
		gains[next] = best - r.best
	}
	return gains
}

func TestWalkAgainstItsTwin(t *testing.T) {
	for _, n := range []int{3, 8} {
		s := bowl(n, 2, 6)
		s.Pending = [][]float64{{0.9, 0.1}}
		r := NewRehearsal(fit(t, s, model.Settings{Design: 6}), []float64{2, 4, 6}, 0)
		if r.batch != 1 || (r.forced > 1) != (n < 5) {
			t.Fatalf("%v evaluations in one, %d of them forced", r.batch, r.forced)
		}
		models := r.possible()
		for number := range 10 {
			got, want := r.Walk(number, noRoot), slowWalk(r, models[number%len(models)], number)
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-5 {
					t.Fatalf("n = %d, simulation %d: gains %v, its twin's %v", n, number, got, want)
				}
			}
		}
	}
}

// The drawn hyperparameters are spread around the fitted ones, more widely the fewer data there are.
func TestPossibleModels(t *testing.T) {
	wide := func(n int) (sum float64) {
		s := bowl(n, 2, 6)
		f := fit(t, s, model.Settings{})
		models := (&Rehearsal{Models: f, start: 1}).possible()
		if len(models) != worlds || models[0] != f.Objective() {
			t.Fatalf("%d models", len(models))
		}
		for _, m := range models {
			for j, l := range m.Hyper().Lengthscales {
				sum += math.Abs(math.Log(l/f.Objective().Hyper().Lengthscales[j])) / worlds
			}
		}
		return sum
	}
	few, many := wide(4), wide(80)
	if !(few > many && many > 0) {
		t.Errorf("lengthscales move by %v with 4 data and by %v with 80", few, many)
	}
}

// With money for a single try, a rollout is one step: its gain is the expected improvement, where that fits the budget for certain.
func TestRolloutOfOneStepIsExpectedImprovement(t *testing.T) {
	s := model.State{Dim: 1, Initial: 20, Remaining: 6, Seed: 4, Trial: 5}
	for _, x := range []float64{0.05, 0.2, 0.45, 0.7, 0.95} {
		s.X, s.Y, s.LnCost = append(s.X, []float64{x}), append(s.Y, -(x-0.3)*(x-0.3)), append(s.LnCost, 0)
	}
	x := []float64{0.28}
	r := NewRehearsal(fit(t, s, model.Settings{Threads: 2}), []float64{1e6}, 1, x)
	const draws = 4000
	sum := 0.0
	for i := range draws {
		sum += r.Walk(i, 0)[0] / draws
	}
	want := 0.0
	for _, m := range r.possible() { // the simulations take turns
		mean, sd := m.PosteriorSD(x)
		std := m.Standard()
		want += model.Improvement(std.To(mean), sd/std.Scale, []float64{r.best}, nil) / float64(len(r.values))
	}
	if math.Abs(sum-want) > 0.06*want {
		t.Errorf("the simulated gain is %v, and expected improvement %v", sum, want)
	}
}
