package policy

import (
	"context"
	"math"
	"testing"
)

// rolloutState has results of a parabola in one dimension, with the same price everywhere.
func rolloutState(price float64) *State {
	s := &State{Dim: 1, Initial: 20, Remaining: 6, Seed: 4, Trial: 5}
	for _, x := range []float64{0.05, 0.2, 0.45, 0.7, 0.95} {
		s.X, s.Y, s.LnCost = append(s.X, []float64{x}), append(s.Y, -(x-0.3)*(x-0.3)), append(s.LnCost, price)
	}
	return s
}

func rolloutDecision(t *testing.T, p *policy, s *State) *decision {
	t.Helper()
	d := &decision{State: s, history: p.newHistory(s)}
	d.fitted = p.fitModels(context.Background(), s, d.history)
	best := p.best(d.fitted, d.history, s.X)
	d.incumbent = s.X[best.index]
	if err := p.believe(d, best.value); err != nil {
		t.Fatal(err)
	}
	return d
}

func newRollout(t *testing.T) *policy {
	t.Helper()
	p, err := New("rollout", Settings{RawPoints: 60, Starts: 6, Iterations: 40, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	return p.(*policy)
}

// A first step where there is nothing to gain is worth less than one near the top, and a simulation that begins with one has it as its
// first point.
func TestRolloutPrefersTheBetterFirstStep(t *testing.T) {
	p := newRollout(t)
	d := rolloutDecision(t, p, rolloutState(0))
	d.State.Remaining, d.belief.Remaining = 1.5, 1.5 // the next try is the last
	gains := p.simulatedGains(context.Background(), d, [][]float64{{0.99}, {0.3}})
	if !(gains[1] > gains[0]) || gains[0] < 0 {
		t.Errorf("gains %v, want the second to be higher", gains)
	}
}

// With money for a single try, a rollout is one step: its gain is the expected improvement, where that fits the budget for certain.
func TestRolloutOfOneStepIsExpectedImprovement(t *testing.T) {
	p := newRollout(t)
	d := rolloutDecision(t, p, rolloutState(0))
	x := []float64{0.28}
	r := newRehearsal(p, d.fitted, d.State, []float64{1e6}, 1, x)
	const draws = 4000
	sum := 0.0
	for i := range draws {
		sum += r.walk(i, 0)[0] / draws
	}
	want := 0.0
	for _, m := range p.possible(d.State, d.fitted, r.start) { // the simulations take turns
		mean, sd := m.PosteriorSD(x)
		std := m.Standard()
		want += Improvement(std.To(mean), sd/std.Scale, []float64{r.best}) / float64(len(r.values))
	}
	if math.Abs(sum-want) > 0.06*want {
		t.Errorf("the simulated gain is %v, and expected improvement %v", sum, want)
	}
}

func TestRolloutSuggests(t *testing.T) {
	s := rolloutState(0)
	out, err := newRollout(t).Suggest(context.Background(), *s)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(out.X[0]-0.3) > 0.1 || out.Policy != "rollout" || out.Plan == nil {
		t.Errorf("%+v", out)
	}
}
