package model_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/internal/gradcheck"
	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
	"github.com/eke-bo/eke/internal/normal"
	"github.com/eke-bo/eke/policy"
)

// memory is what a setting takes. Only settings that take 8 at most count.
func memory(x []float64) float64 { return 2 + 10*x[0] + math.Sin(3*x[1]) }

// limited is a study whose values rise with the memory that they take. All that makes memory a quantity is its entry.
func limited(n int, seed uint64) model.State {
	rng := rand.New(rand.NewPCG(seed, 3))
	s := model.State{Dim: 2, Initial: 1000, Remaining: 900, Seed: seed, Further: []model.Quantity{{Least: -8}}}
	for range n {
		report(&s, []float64{rng.Float64(), rng.Float64()})
	}
	return s
}

// report adds a result. Inside, a limit is a lower one, so that of memory has its sign flipped.
func report(s *model.State, x []float64) {
	s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, x[0]+0.1*math.Sin(8*x[1])), append(s.LnCost, 0.3*x[1])
	s.Further[0].Y = append(s.Further[0].Y, -memory(x))
	s.Trial++
}

// A further quantity has a model, evaluations under way are assumed to have what it expects, and a plan keeps its hyperparameters.
func TestFurtherQuantity(t *testing.T) {
	s, x := limited(20, 1), []float64{0.35, 0.8}
	s.Further[0].Y[3] = math.NaN() // it was not reported
	d := modeltest.Believe(t, &s, model.Settings{})
	limits := d.Belief.Limits
	if len(limits) != 1 || limits[0].Least != -8 || limits[0].Model.Len() != 19 {
		t.Fatalf("%d limits, %+v", len(limits), limits)
	}
	before, sd := limits[0].Model.PosteriorSD(x)
	if math.Abs(before+memory(x)) > 0.5 {
		t.Errorf("the model expects a memory of %v, not %v", -before, memory(x))
	}
	plan := d.NewPlan(x)
	if len(plan.Hyper) != 3 || len(plan.Standard) != 3 || len(plan.Track.Last[0].Mean) != 3 || plan.Track.Last[0].Mean[2] != before {
		t.Errorf("the plan is %+v", plan)
	}
	s.Pending = [][]float64{x}
	pending := modeltest.Believe(t, &s, model.Settings{}).Belief.Limits[0].Model
	if mean, after := pending.PosteriorSD(x); pending.Len() != 20 || math.Abs(mean-before) > 1e-6 || !(after < sd) {
		t.Errorf("with the point under way: %d data, %v ± %v after %v ± %v", pending.Len(), mean, after, before, sd)
	}
}

// The next suggestion goes on from the last plan, and a forecast of the quantity is judged like any other.
func TestFurtherQuantityIsRemembered(t *testing.T) {
	s, x := limited(20, 1), []float64{0.35, 0.8}
	raw, err := json.Marshal(modeltest.Believe(t, &s, model.Settings{}).NewPlan(x))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &s.Previous); err != nil {
		t.Fatal(err)
	}
	report(&s, x)
	plan := modeltest.Believe(t, &s, model.Settings{}).NewPlan([]float64{0.1, 0.1})
	if plan.Searched != 20 || plan.Hyper[2].Outputscale != s.Previous.Hyper[2].Outputscale {
		t.Errorf("searched again, with %d data: %+v after %+v", plan.Searched, plan.Hyper[2], s.Previous.Hyper[2])
	}
	if errors := plan.Track.Errors; len(errors) != 3 || len(errors[2]) != 1 {
		t.Errorf("errors %+v", errors)
	}
	s.Previous.Hyper, s.Previous.Standard = s.Previous.Hyper[:2], s.Previous.Standard[:2] // the limit is new
	if plan := modeltest.Believe(t, &s, model.Settings{}).NewPlan(x); plan.Searched != 21 || len(plan.Hyper) != 3 {
		t.Errorf("an old plan: searched with %d data, %d quantities", plan.Searched, len(plan.Hyper))
	}
}

// The chance to keep a limit multiplies an acquisition function, as does the chance of a value, and any number of them has a gradient.
func TestFurtherQuantityLimits(t *testing.T) {
	s := limited(20, 2)
	d := modeltest.Believe(t, &s, model.Settings{})
	s.Failed = []model.Failure{{X: []float64{0.1, 0.1}, LnCost: math.NaN()}}
	both := modeltest.Believe(t, &s, model.Settings{})
	if len(both.Belief.Limits) != 1 || both.Belief.Fails == nil {
		t.Fatalf("%d limits, of memory; a model of failures: %v", len(both.Belief.Limits), both.Belief.Fails != nil)
	}
	for _, x := range [][]float64{{0.3, 0.4}, {0.55, 0.2}, {0.62, 0.9}, {0.9, 0.5}} {
		m := d.Belief.Limits[0].Model
		mean, sd := m.PosteriorSD(x)
		want, _ := normal.LogCDF((mean + 8) / math.Hypot(sd, m.Standard().Scale*math.Sqrt(m.Hyper().Noise))) // P(memory ≤ 8)
		if got := acq.EI(d.Belief).WithinLimits().Log().Eval(nil, x) - acq.EI(d.Belief).Log().Eval(nil, x); math.Abs(got-want) > 1e-9 {
			t.Errorf("the chance at %v is %v, not %v", x, math.Exp(got), math.Exp(want))
		}
		for _, b := range []acq.Belief{d.Belief, both.Belief} {
			gradcheck.Check(t, acq.PerMedianCost(b, 1).WithinLimits().Log().Eval, x, gradcheck.Settings{})
			gradcheck.Check(t, acq.Budgeted(b).WithinLimits().Eval, x, gradcheck.Settings{})
			gradcheck.Check(t, acq.Gittins(b, 0.01).WithinLimits().Eval, x, gradcheck.Settings{})
		}
	}
}

// Policies keep away from settings that are likely to take too much, with few data and with many, although the best values are there.
func TestFurtherQuantityIsKept(t *testing.T) {
	for _, n := range []int{20, 220} {
		p, err := policy.New("log-ei-puc", model.Settings{RawPoints: 100, Starts: 4})
		if err != nil {
			t.Fatal(err)
		}
		s := limited(0, 7)
		rng := rand.New(rand.NewPCG(7, 7))
		for range n {
			report(&s, []float64{0.5 * rng.Float64(), rng.Float64()})
		}
		out, err := p.Suggest(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		unlimited := s
		unlimited.Further = nil
		other, err := p.Suggest(t.Context(), unlimited)
		if err != nil {
			t.Fatal(err)
		}
		if memory(out.X) > 8.5 || memory(other.X) < 9 {
			t.Errorf("with %d data: %v takes %v, and without the limit %v takes %v", n, out.X, memory(out.X), other.X, memory(other.X))
		}
	}
}

// What makes no sense is refused.
func TestFurtherQuantityOfNonsense(t *testing.T) {
	for what, change := range map[string]func(*model.State){
		"a number is missing":  func(s *model.State) { s.Further[0].Y = s.Further[0].Y[1:] },
		"a number is infinite": func(s *model.State) { s.Further[0].Y[1] = math.Inf(1) },
		"the limit is none":    func(s *model.State) { s.Further[0].Least = math.NaN() },
	} {
		s := limited(3, 1)
		if change(&s); s.Check() == nil {
			t.Errorf("%s: it was accepted", what)
		}
	}
}

// An index weighs the chance to keep a limit against the price, which is paid in any case, and has a gradient.
func TestFurtherQuantityInAnIndex(t *testing.T) {
	s := limited(20, 2)
	d := modeltest.Believe(t, &s, model.Settings{})
	for _, x := range [][]float64{{0.3, 0.4}, {0.55, 0.2}, {0.62, 0.9}, {0.9, 0.5}} {
		gradcheck.Check(t, acq.Gittins(d.Belief, 0.01).WithinLimits().Log().Eval, x, gradcheck.Settings{})
		gradcheck.Check(t, acq.Feasibility(d.Belief, 1).WithinLimits().Log().Eval, x, gradcheck.Settings{})
		ln := d.Belief.Limits[0].LogChance()(nil, x)
		if ln < -100 { // the price is beyond all numbers
			continue
		}
		want := acq.Gittins(d.Belief, 0.01/math.Exp(ln)).Eval(nil, x) // P·E[max(Y − g, 0)] = λc
		if got := acq.Gittins(d.Belief, 0.01).WithinLimits().Eval(nil, x); math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
			t.Errorf("the index at %v is %v, not %v", x, got, want)
		}
	}
}

// The best value is that of the evaluations that meet the limits. The chance to beat it includes the chance to meet them.
func TestBestWithinLimits(t *testing.T) {
	s := limited(20, 3)
	best := math.Inf(-1)
	for i, x := range s.X {
		s.Misses = append(s.Misses, memory(x) > 8)
		if memory(x) <= 8 {
			best = math.Max(best, s.Y[i])
		}
	}
	d := modeltest.Believe(t, &s, model.Settings{})
	if memory(d.Incumbent) > 8 || d.Warp.From(d.Belief.Best) > best+1e-9 || d.NoneCounts {
		t.Errorf("the best is %v at %v, which takes %v", d.Warp.From(d.Belief.Best), d.Incumbent, memory(d.Incumbent))
	}
	if beats := d.Beats()([]float64{0.95, 0.5}); beats > 0.05 {
		t.Errorf("what takes %v has a chance of %v to beat the best", memory([]float64{0.95, 0.5}), beats)
	}
	if p := d.Expect([]float64{0.3, 0.5}, 1); !p.Limited || p.Within < 0.9 {
		t.Errorf("what takes %v meets the limit with a chance of %v", memory([]float64{0.3, 0.5}), p.Within)
	}
}

// A look is as likely to meet the limits as an evaluation of its point at the top: what it reports itself counts for nothing.
func TestLooksMeetLimitsAtTheTop(t *testing.T) {
	s := modeltest.Leveled(6, 10, 1)
	s.Further = []model.Quantity{{Least: -8}}
	for _, x := range s.X {
		s.Further[0].Y, s.Misses = append(s.Further[0].Y, -memory(x)), append(s.Misses, memory(x) > 8)
	}
	for _, l := range s.Looks { // it takes less at lower levels
		s.Further[0].Looks = append(s.Further[0].Looks, 4*(1-l.Level)-memory(l.X))
	}
	d, x := modeltest.Believe(t, &s, model.Settings{}), []float64{0.6, 0.5}
	want := d.Expect(x, 1).Within
	if got := d.Expect(x, 0).Within; got != want {
		t.Errorf("a look meets the limits with %v, its point with %v", got, want)
	}
	both := d.PredictAt([][]float64{x, x}, []float64{0, 1})
	if both[0].Within != both[1].Within || both[0].Value == both[1].Value {
		t.Errorf("predicted %+v", both)
	}
}

// While nothing meets the limits, policies look for something that does, and do not give up because it is no better.
func TestNothingMeetsTheLimits(t *testing.T) {
	for _, name := range []string{"gittins-d", "log-ei-puc", "ei", "2-bmsei"} {
		p, err := policy.New(name, model.Settings{RawPoints: 100, Starts: 4})
		if err != nil {
			t.Fatal(err)
		}
		s := limited(0, 7)
		rng := rand.New(rand.NewPCG(7, 7))
		for range 12 {
			report(&s, []float64{0.75 + 0.25*rng.Float64(), rng.Float64()})
			s.Misses = append(s.Misses, true)
		}
		out, err := p.Suggest(t.Context(), s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if memory(out.X) > 8 {
			t.Errorf("%s: %v takes %v", name, out.X, memory(out.X))
		}
	}
}

// What a plan knew of one quantity is not used for another.
func TestPlanOfOtherQuantities(t *testing.T) {
	s := limited(20, 1)
	s.Further[0].Name = "memory"
	plan := modeltest.Believe(t, &s, model.Settings{}).NewPlan(s.X[0])
	if len(plan.Quantities) != 1 || plan.Quantities[0] != "memory" {
		t.Fatalf("the plan is of %q", plan.Quantities)
	}
	s.Previous = plan
	report(&s, []float64{0.2, 0.7})
	if again := modeltest.Believe(t, &s, model.Settings{}).NewPlan(s.X[0]); again.Searched != 20 {
		t.Errorf("searched again, with %d data", again.Searched)
	}
	s.Further[0].Name = "ln memory"
	if other := modeltest.Believe(t, &s, model.Settings{}).NewPlan(s.X[0]); other.Searched != 21 {
		t.Errorf("the models of another quantity were kept: searched with %d data", other.Searched)
	}
}

// A limit with both ends is one quantity: what is within it is above its lower end and not above its upper end.
func TestRangeOfAQuantity(t *testing.T) {
	within := func(least float64, most *float64) func(x []float64) float64 {
		s := limited(20, 2)
		s.Further[0].Least, s.Further[0].Most = least, most
		d := modeltest.Believe(t, &s, model.Settings{})
		if d.NoneCounts {
			return nil
		}
		for _, x := range [][]float64{{0.3, 0.4}, {0.62, 0.9}} {
			gradcheck.Check(t, acq.PerMedianCost(d.Belief, 1).WithinLimits().Log().Eval, x, gradcheck.Settings{})
			gradcheck.Check(t, acq.Gittins(d.Belief, 0.01).WithinLimits().Eval, x, gradcheck.Settings{})
		}
		return d.Within()
	}
	least, most := -8.0, -5.5
	both, above, beyond := within(least, &most), within(least, nil), within(most, nil)
	for _, x := range [][]float64{{0.1, 0.1}, {0.3, 0.4}, {0.45, 0.5}, {0.55, 0.2}, {0.9, 0.5}} {
		if got, want := both(x), above(x)-beyond(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v is in the range with a chance of %v, want %v", x, got, want)
		}
	}
	s, hair := limited(20, 2), 0.0
	s.Further[0].Least, s.Further[0].Most = s.Further[0].Y[1]-1e-9, &hair
	hair = s.Further[0].Y[1] + 1e-9
	d := modeltest.Believe(t, &s, model.Settings{Noise: model.Noisy()})
	for i, x := range s.X {
		if d.Counts(i) != (i == 1) || i != 1 && d.Meets(x) || d.Within()(x) > 1e-6 {
			t.Errorf("result %d counts: %v, is expected to: %v; a hair around result 1 is met with a chance of %v", i, d.Counts(i), d.Meets(x), d.Within()(x))
		}
	}
	if s.Further[0].Least, *s.Further[0].Most = 1, 0; s.Check() == nil {
		t.Error("a range from 1 to 0 is taken")
	}
}
