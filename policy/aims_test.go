package policy_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/front"
	"github.com/eke-bo/eke/policy"
)

// twoHills are two objectives with their tops at different points; the way between them is the front. Evaluations cost more to the right.
func twoHills(x []float64) (first, second, lnCost float64) {
	far := func(a, b float64) float64 { return -(x[0]-a)*(x[0]-a) - (x[1]-b)*(x[1]-b) }
	return far(0.2, 0.3), far(0.8, 0.6), x[0]
}

// hills returns a state of two objectives with some evaluations.
func hills(n int) policy.State {
	s := policy.State{Dim: 2, Initial: 40, Remaining: 20, Seed: 3, Trial: n, Worst: -0.6, Aims: []policy.Quantity{{Name: "second", Least: -0.6}}}
	for i := range n {
		addHill(&s, []float64{math.Mod(0.37*float64(i)+0.1, 1), math.Mod(0.61*float64(i)+0.2, 1)})
	}
	return s
}

func addHill(s *policy.State, x []float64) {
	a, b, lnCost := twoHills(x)
	s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, a), append(s.LnCost, lnCost)
	s.Aims[0].Y = append(s.Aims[0].Y, b)
}

// quick is a policy with little effort.
func quick(t *testing.T, set policy.Settings) policy.Policy {
	t.Helper()
	set.RawPoints, set.Starts, set.Iterations = 100, 4, 40
	p, err := policy.New("log-ei-puc", set)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func suggest(t *testing.T, p policy.Policy, s policy.State) policy.Suggestion {
	t.Helper()
	got, err := p.Suggest(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Every suggestion of a study with two objectives lies near the front, extends it, and is the same on any number of threads.
func TestSuggestionsExtendTheFront(t *testing.T) {
	s := hills(8)
	s.Trial = 8
	volume := func() float64 {
		var points [][]float64
		for i := range s.X {
			points = append(points, []float64{s.Y[i], s.Aims[0].Y[i]})
		}
		return front.Volume(points, []float64{-0.6, -0.6})
	}
	before := volume()
	for i := range 5 {
		got := suggest(t, quick(t, policy.Settings{Threads: 1}), s)
		if i == 0 {
			if other := suggest(t, quick(t, policy.Settings{Threads: 3}), s); !reflect.DeepEqual(got, other) {
				t.Errorf("on three threads: %v, on one %v", other, got)
			}
			if got.Predicted.Beats <= 0 || len(got.Predicted.Aims) != 1 || len(got.Between) == 0 {
				t.Errorf("chance to extend the front %v, forecasts %v, between %v", got.Predicted.Beats, got.Predicted.Aims, got.Between)
			}
		}
		addHill(&s, got.X)
		s.Previous, s.Trial, s.Remaining = got.Plan, s.Trial+1, s.Remaining-math.Exp(s.LnCost[len(s.X)-1])
	}
	// The whole front has the tops of both hills at its ends.
	if after := volume(); after < before+0.02 {
		t.Errorf("the hypervolume grew from %v to %v only", before, after)
	}
	m, err := policy.Fit(context.Background(), s, policy.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Hypervolume(), volume(); math.Abs(got-want) > 1e-12 || len(m.Front(m.Reference())) < 3 {
		t.Errorf("hypervolume %v, want %v; front %v", got, want, m.Front(m.Reference()))
	}
	rest, err := m.Rest(context.Background(), []float64{2, 8}, 0)
	if err != nil || math.Abs(rest.Best-volume()) > 1e-9 || !(rest.After[1].Gain >= rest.After[0].Gain) || !(rest.After[1].Gain > 0) || rest.After[1].High < rest.After[1].Low {
		t.Errorf("the rest buys %+v, %v, of a hypervolume of %v", rest, err, volume())
	}
	if len(rest.Reach) != 1 || rest.Reach[0].First != 0 || rest.Reach[0].Second != 1 {
		t.Fatalf("the front may reach %+v", rest.Reach)
	}
	above := 0
	for k, at := range rest.Reach[0].At { // nothing that was reached is lost, and something may be gained
		now := -0.6
		for i := range s.X {
			if s.Aims[0].Y[i] >= at {
				now = math.Max(now, s.Y[i])
			}
		}
		low, high := rest.Reach[0].Low[k], rest.Reach[0].High[k]
		if low < now-1e-9 || high < low {
			t.Errorf("with a second objective of %v, the first is %v now, and may be %v to %v", at, now, low, high)
		}
		if high > now+1e-6 {
			above++
		}
	}
	if above == 0 {
		t.Error("the front may not move anywhere")
	}
}

// An objective that has only had whole numbers is expected to have one again: the same number as on the front does not extend it, and so the chances that are announced come true.
func TestWholeNumbersTie(t *testing.T) {
	s := hills(8)
	s.Aims[0].Least = -3
	round := func() { s.Aims[0].Y[len(s.X)-1] = math.Round(3 * s.Aims[0].Y[len(s.X)-1]) }
	for i := range s.Aims[0].Y {
		s.Aims[0].Y[i] = math.Round(3 * s.Aims[0].Y[i])
	}
	announced, came := 0.0, 0
	for range 12 {
		got := suggest(t, quick(t, policy.Settings{}), s)
		announced += got.Predicted.Beats
		boxes := front.Boxes(outcomesOf(s), []float64{s.Worst, s.Aims[0].Least})
		addHill(&s, got.X)
		round()
		if front.Gain(boxes, outcomesOf(s)[len(s.X)-1]) > 0 {
			came++
		}
		s.Previous, s.Trial, s.Remaining = got.Plan, s.Trial+1, s.Remaining-math.Exp(s.LnCost[len(s.X)-1])
	}
	if math.Abs(announced-float64(came)) > 2 {
		t.Errorf("%.1f extensions of the front were announced, and %d came", announced, came)
	}
	fit := func(set policy.Settings) []bool {
		m, err := policy.Fit(context.Background(), s, set)
		if err != nil {
			t.Fatal(err)
		}
		return m.Whole()
	}
	if got := fit(policy.Settings{}); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("whole numbers: %v", got)
	}
	if got := fit(policy.Settings{Noise: policy.Noisy()}); got != nil {
		t.Errorf("whole numbers with noise: %v", got)
	}
}

// With one objective it is the same: the best whole number is not beaten by a tie.
func TestWholeNumbersTieTheBest(t *testing.T) {
	s := hills(8)
	s.Aims = nil
	for i := range s.Y {
		s.Y[i] = math.Round(20 * s.Y[i])
	}
	announced, came := 0.0, 0
	for range 12 {
		got := suggest(t, quick(t, policy.Settings{LongShots: true}), s)
		announced += got.Predicted.Beats
		y, _, lnCost := twoHills(got.X)
		if y = math.Round(20 * y); y > slices.Max(s.Y) {
			came++
		}
		s.X, s.Y, s.LnCost = append(s.X, got.X), append(s.Y, y), append(s.LnCost, lnCost)
		s.Previous, s.Trial = got.Plan, s.Trial+1
	}
	if math.Abs(announced-float64(came)) > 2 {
		t.Errorf("%.1f better values were announced, and %d came", announced, came)
	}
}

func outcomesOf(s policy.State) (list [][]float64) {
	for i := range s.X {
		list = append(list, []float64{s.Y[i], s.Aims[0].Y[i]})
	}
	return list
}

// An evaluation under way is expected to extend the front itself, so the next suggestion is elsewhere.
func TestPendingPointsExtendTheFront(t *testing.T) {
	s, p := hills(10), quick(t, policy.Settings{})
	first := suggest(t, p, s)
	s.Pending, s.Trial = [][]float64{first.X}, 11
	second := suggest(t, p, s)
	if math.Hypot(first.X[0]-second.X[0], first.X[1]-second.X[1]) < 1e-3 {
		t.Errorf("%v while %v is under way", second.X, first.X)
	}
}

// A missing objective leaves the others as data, failures and limits keep suggestions away, and a hopeless rest is refused.
func TestObjectivesMayBeMissing(t *testing.T) {
	s := hills(10)
	s.Y[3], s.Aims[0].Y[5] = math.NaN(), math.NaN()
	s.Failed = []policy.Failure{{X: s.X[3], LnCost: math.NaN()}, {X: s.X[5], LnCost: math.NaN()}}
	m, err := policy.Fit(context.Background(), s, policy.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if on := m.Front(m.Reference()); slices.Contains(on, 3) || slices.Contains(on, 5) {
		t.Errorf("the front has evaluations that lack an objective: %v", on)
	}
	if first, second := m.Objectives()[0].Len(), m.Objectives()[1].Len(); first != 9 || second != 9 {
		t.Errorf("%d and %d data, want 9 of each", first, second)
	}
	limited := hills(10)
	limited.Further = []policy.Quantity{{Name: "left", Least: -0.5}}
	for _, x := range limited.X { // only the left half counts
		limited.Further[0].Y, limited.Misses = append(limited.Further[0].Y, -x[0]), append(limited.Misses, x[0] > 0.5)
	}
	if got := suggest(t, quick(t, policy.Settings{}), limited); got.X[0] > 0.6 || !got.Predicted.Limited {
		t.Errorf("beyond the limit: %v", got.X)
	}
	for _, bad := range []func(*policy.State){
		func(s *policy.State) { s.Worst = math.NaN() },
		func(s *policy.State) { s.Aims = append(s.Aims, s.Aims[0], s.Aims[0]) },
		func(s *policy.State) { s.Aims[0].Y = s.Aims[0].Y[1:] },
		func(s *policy.State) { // one look, and two numbers
			s.Levels, s.Looks = []float64{0, 1}, []policy.Look{{X: s.X[0], Y: 1}}
			s.Aims[0].Looks = []float64{1, 2}
		},
		func(s *policy.State) { // nothing is known of the second objective
			s.Levels, s.Aims[0].Y = []float64{0, 1}, slices.Repeat([]float64{math.NaN()}, len(s.X))
		},
	} {
		s := hills(4)
		bad(&s)
		if _, err := quick(t, policy.Settings{}).Suggest(context.Background(), s); err == nil {
			t.Errorf("accepted: %+v", s)
		}
	}
}

// With noise, the front is that of the models' means.
func TestNoisyFront(t *testing.T) {
	s := hills(12)
	for i := range s.Y {
		s.Y[i] += 0.02 * math.Sin(50*float64(i))
	}
	m, err := policy.Fit(context.Background(), s, policy.Settings{Noise: policy.Noisy()})
	if err != nil {
		t.Fatal(err)
	}
	for i, y := range m.Outcomes() {
		if mean, _ := m.Objectives()[0].PosteriorSD(s.X[i]); math.Abs(y[0]-mean) > 1e-9 {
			t.Errorf("evaluation %d counts as %v, want the mean %v", i, y[0], mean)
		}
	}
	suggest(t, quick(t, policy.Settings{Noise: policy.Noisy()}), s)
}

// Each objective follows that of an earlier study which predicts it. An earlier study that knows the first alone helps with the first.
func TestSeveralObjectivesFollowAnEarlierStudy(t *testing.T) {
	sharp := func(x []float64, a, b float64) float64 { return math.Sin(5*x[0]+a) + math.Cos(6*x[1]*x[0]+b) }
	var aim policy.Quantity
	e := earlierStudy(40, func(x []float64) (y, lnCost float64) {
		aim.Y = append(aim.Y, 2*sharp(x, 1, 3)+1)
		return sharp(x, 0, 0), x[0]
	})
	s := hills(6)
	s.Worst, s.Aims[0].Least = -3, -6
	for i, x := range s.X {
		s.Y[i], s.Aims[0].Y[i] = sharp(x, 0, 0), 2*sharp(x, 1, 3)
	}
	distance := func() (sum float64) { // of the forecasts of the second objective
		m, err := policy.Fit(context.Background(), s, policy.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range e.X[:10] {
			mean, _ := m.Objectives()[1].PosteriorSD(x)
			sum += math.Abs(mean - 2*sharp(x, 1, 3))
		}
		return sum
	}
	alone := distance()
	s.Earlier, e.Aims = e, []policy.Quantity{aim}
	if with := distance(); with > alone/3 {
		t.Errorf("the second objective is off by %v without the earlier study, and by %v with it", alone, with)
	}
	s.Further = []policy.Quantity{{Name: "limited", Least: -9}} // of which the earlier study has no model
	for _, x := range s.X {
		s.Further[0].Y = append(s.Further[0].Y, math.Sin(9*x[0])+x[1])
	}
	if with := distance(); with > alone/3 {
		t.Errorf("with a limit, the second objective is off by %v without the earlier study, and by %v with it", alone, with)
	}
	s.Further = nil
	if got := suggest(t, quick(t, policy.Settings{}), s); got.Earlier == nil || !got.Earlier.Values || len(got.Predicted.Aims) != 1 {
		t.Errorf("the earlier study is used like this: %+v", got.Earlier)
	}
	half := &policy.Earlier{X: e.X, Y: e.Y, LnCost: e.LnCost, Aims: []policy.Quantity{{Y: slices.Repeat([]float64{math.NaN()}, len(e.X))}}}
	s.Earlier, s.Y[2] = half, math.NaN() // and the first objective of an evaluation is missing
	if got := suggest(t, quick(t, policy.Settings{}), s); got.Earlier == nil || !got.Earlier.Values || math.IsNaN(got.Earlier.Explained) {
		t.Errorf("an earlier study with one objective is used like this: %+v", got.Earlier)
	}
	half.Aims = nil
	if _, err := quick(t, policy.Settings{}).Suggest(context.Background(), s); err == nil {
		t.Error("an earlier study without the further objectives is accepted")
	}
}

func BenchmarkSuggestFront(b *testing.B) {
	for _, objectives := range []int{2, 3} {
		b.Run(map[int]string{2: "2 objectives", 3: "3 objectives"}[objectives], func(b *testing.B) {
			s := hills(100)
			if objectives == 3 {
				third := policy.Quantity{Name: "third", Least: -0.7}
				for _, x := range s.X {
					third.Y = append(third.Y, -math.Hypot(x[0]-0.3, x[1]-0.8))
				}
				s.Aims = append(s.Aims, third)
			}
			p, err := policy.New("log-ei-puc", policy.Settings{})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := p.Suggest(context.Background(), s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Choices go with several objectives: where one value is better in all of them, suggestions have that value, and every suggestion has one.
func TestSeveralObjectivesWithChoices(t *testing.T) {
	s := policy.State{Dim: 4, Parameters: 3, Initial: 40, Remaining: 20, Seed: 3, Worst: -1.2, Aims: []policy.Quantity{{Name: "second", Least: -1.2}}, Choices: []policy.Span{{From: 2, To: 4}}}
	s.Snap = func(x []float64) []float64 { // the larger of the two coordinates is 1, and the other 0
		y := slices.Clone(x)
		y[2], y[3] = 1, 0
		if x[3] > x[2] {
			y[2], y[3] = 0, 1
		}
		return y
	}
	add := func(x []float64) {
		x = s.Snap(x)
		a, b, lnCost := twoHills(x[:2])
		loss := 0.5 * x[3] // the second value is worse in both objectives
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, a-loss), append(s.LnCost, lnCost)
		s.Aims[0].Y, s.Trial = append(s.Aims[0].Y, b-loss), s.Trial+1
	}
	for i := range 10 {
		add([]float64{math.Mod(0.37*float64(i)+0.1, 1), math.Mod(0.61*float64(i)+0.2, 1), float64(i % 2), float64((i + 1) % 2)})
	}
	for range 5 {
		got := suggest(t, quick(t, policy.Settings{}), s)
		if !slices.Equal(got.X, s.Snap(got.X)) || got.X[2] != 1 {
			t.Errorf("suggested %v", got.X)
		}
		add(got.X)
		s.Previous = got.Plan
	}
}
