package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hill is a small study: a smooth hill whose upper half costs ten times as much.
func hill(x []float64) (y, lnCost float64) {
	for j, v := range x {
		y -= (v - 0.6) * (v - 0.6) * float64(j+2)
		lnCost += math.Log(10) * v / float64(len(x))
	}
	return y, lnCost
}

func study(n, dim int, seed uint64) policy.State {
	rng := rand.New(rand.NewPCG(seed, 7))
	s := policy.State{Dim: dim, Initial: 40, Remaining: 20, Seed: seed, Trial: n}
	for range n {
		x := make([]float64, dim)
		for j := range x {
			x[j] = rng.Float64()
		}
		tell(&s, x)
	}
	return s
}

func tell(s *policy.State, x []float64) {
	y, lnCost := hill(x)
	s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, y), append(s.LnCost, lnCost)
}

func must(t testing.TB, name string, s policy.Settings) policy.Policy {
	t.Helper()
	p, err := policy.New(name, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// small is an effort that keeps tests quick.
func small(s policy.Settings) policy.Settings {
	s.RawPoints, s.Starts, s.Iterations = 60, 6, 40
	return s
}

func settingsOf(name string) policy.Settings {
	s := small(policy.Settings{})
	if name == "bmsei" {
		s.Fantasies = []int{3, 2}
	}
	return s
}

// presets says which of them is the paper's.
var presets = map[string]bool{"default": false, "paper": true}

// every runs a test on all policies in both presets.
func every(t *testing.T, f func(t *testing.T, name string, s policy.Settings)) {
	for label, paper := range presets {
		for _, name := range policy.Names() {
			t.Run(label+"/"+name, func(t *testing.T) {
				s := settingsOf(name)
				s.Paper = paper
				f(t, name, s)
			})
		}
	}
}

func TestNoChoiceDependsOnThreads(t *testing.T) {
	every(t, func(t *testing.T, name string, s policy.Settings) {
		state := study(9, 2, 3)
		s.Threads = 1
		first, err := must(t, name, s).Suggest(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		grid(&state, 9, 200) // whole numbers, something pending, and a plan
		state.Pending, state.Previous = [][]float64{state.Snap([]float64{0.9, 0.9})}, first.Plan
		one, err := must(t, name, s).Suggest(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 2, 5} {
			s.Threads = threads
			other, err := must(t, name, s).Suggest(context.Background(), state)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(one, other) {
				t.Fatalf("%d threads:\n%+v\none thread:\n%+v", threads, other, one)
			}
		}
	})
}

// Nor does it with many data, where the rollouts of a fantasy budget share local models.
func TestNoPlanOfManyDependsOnThreads(t *testing.T) {
	state := told(peaky, 270, 2, 10, nil)
	var one policy.Suggestion
	for _, threads := range []int{1, 2} {
		s := small(policy.Settings{Threads: threads})
		got, err := must(t, "4-bmsei-p", s).Suggest(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		if threads == 1 {
			one = got
		} else if !reflect.DeepEqual(one, got) {
			t.Errorf("%d threads:\n%+v\none thread:\n%+v", threads, got, one)
		}
	}
}

func TestReasons(t *testing.T) {
	every(t, func(t *testing.T, name string, s policy.Settings) {
		got, err := must(t, name, s).Suggest(context.Background(), study(12, 2, 4))
		if err != nil {
			t.Fatal(err)
		}
		if got.Policy != name || got.CutShort {
			t.Errorf("policy %q, cut short %v", got.Policy, got.CutShort)
		}
		p := got.Predicted
		y, lnCost := hill(got.X)
		if !p.Known || math.Abs(p.Value-y) > 5*p.ValueSD+0.05 || math.Abs(p.LnCost-lnCost) > 5*p.LnCostSD+0.05 {
			t.Errorf("predicted %+v, really %v and %v", p, y, lnCost)
		}
		if !(p.Fits >= 0 && p.Fits <= 1) || !(p.Cost >= math.Exp(p.LnCost)) || !(p.CostSD >= 0) {
			t.Errorf("prediction %+v does not make sense", p)
		}
		if multi := strings.Contains(name, "bmsei"); multi != (len(got.Next) > 0) || (name != "random") != (got.Plan != nil) {
			t.Errorf("plan %v and %d next steps", got.Plan, len(got.Next))
		}
		if searches := !slices.Contains([]string{"random", "asha", "hyperband"}, name); searches && (got.Evaluations == 0 || got.Searches == 0 || got.Acquisition == 0) {
			t.Errorf("no effort: %+v", got)
		}
	})
}

// A pending point makes every policy look elsewhere, and its expected cost is set aside.
func TestPendingPointsAreHonoured(t *testing.T) {
	every(t, func(t *testing.T, name string, s policy.Settings) {
		p, state := must(t, name, s), study(12, 2, 5)
		first, err := p.Suggest(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		state.Pending = [][]float64{first.X}
		state.Trial++
		second, err := p.Suggest(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		distance := 0.0
		for j := range first.X {
			distance = math.Max(distance, math.Abs(first.X[j]-second.X[j]))
		}
		if distance < 1e-3 {
			t.Errorf("asked for %v twice: %v", first.X, second.X)
		}
		state.Remaining = 0.9 * math.Exp(first.Predicted.LnCost)
		if _, err := p.Suggest(context.Background(), state); !errors.Is(err, policy.ErrBudgetPending) {
			t.Errorf("the pending evaluation needs all that is left, got %v", err)
		}
	})
}

func TestBudgetSpent(t *testing.T) {
	every(t, func(t *testing.T, name string, s policy.Settings) {
		for _, remaining := range []float64{0, -3} {
			state := study(8, 2, 5)
			state.Remaining = remaining
			if _, err := must(t, name, s).Suggest(context.Background(), state); !errors.Is(err, policy.ErrBudgetSpent) {
				t.Errorf("remaining %v: %v", remaining, err)
			}
		}
	})
}

func TestInitialDesignIsASpreadSequence(t *testing.T) {
	p := must(t, "ei", policy.Settings{Paper: true}) // the default prefers cheap points
	state := policy.State{Dim: 2, Initial: 10, Remaining: 10, Seed: 9}
	seen := map[string]bool{}
	quarter := map[[2]bool]int{}
	for i := range 8 {
		got, err := p.Suggest(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		if wantDesign := i < 6; (got.Policy == "design") != wantDesign {
			t.Fatalf("suggestion %d came from %q", i, got.Policy)
		}
		seen[fmt.Sprint(got.X)] = true
		if i < 4 {
			quarter[[2]bool{got.X[0] < 0.5, got.X[1] < 0.5}]++
		}
		tell(&state, got.X)
		state.Trial++
	}
	if len(seen) != 8 || len(quarter) != 4 {
		t.Errorf("%d different points, %d of 4 quarters met by the first 4", len(seen), len(quarter))
	}
}

// countdown is a context that ends after it has been checked a number of times: a deadline that
// does not depend on the speed of the machine.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// Wherever in the work the context ends, there is a suggestion, and it says that it was cut short.
func TestCancelledContextReturnsBestSoFar(t *testing.T) {
	every(t, func(t *testing.T, name string, s policy.Settings) {
		for _, looks := range []int64{0, 1, 5, 20, 60, 150, 400, 1000} {
			ctx := &countdown{Context: context.Background()}
			ctx.left.Store(looks)
			got, err := must(t, name, s).Suggest(ctx, study(15, 3, 6))
			if err != nil {
				t.Fatal(err)
			}
			inBox(t, got.X, 3)
			if ended := ctx.left.Load() < 0; ended != got.CutShort {
				t.Errorf("after %d looks: ended %v, said to be cut short %v", looks, ended, got.CutShort)
			}
		}
	})
}

func inBox(t *testing.T, x []float64, dim int) {
	t.Helper()
	if len(x) != dim {
		t.Fatalf("%d coordinates, not %d", len(x), dim)
	}
	for _, v := range x {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("outside the box: %v", x)
		}
	}
}

func TestNamesAndSettings(t *testing.T) {
	for name, want := range map[string]string{"": "choose one of", "4-bmsei-q": "choose one of", "1-bmsei-p": "choose one of", "bmsei": "fantasy counts"} {
		if _, err := policy.New(name, policy.Settings{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, fantasies := range [][]int{{0}, {-1, 2}, {1 << 40}, {1000, 1000}} {
		if _, err := policy.New("bmsei", policy.Settings{Fantasies: fantasies}); err == nil {
			t.Errorf("fantasies %v taken", fantasies)
		}
	}
}

func TestBadStatesAreNamed(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for want, spoil := range map[string]func(*policy.State){
		"dimension is 0":              func(s *policy.State) { s.Dim = 0 },
		"as many of each":             func(s *policy.State) { s.Y = s.Y[1:] },
		"point 2 has 1 coordinates":   func(s *policy.State) { s.X[2] = s.X[2][:1] },
		"coordinate 1 is 1.5":         func(s *policy.State) { s.X[3][1] = 1.5 },
		"coordinate 0 is NaN":         func(s *policy.State) { s.X[3][0] = nan },
		"value 1 is +Inf":             func(s *policy.State) { s.Y[1] = inf },
		"log cost 0 is -Inf":          func(s *policy.State) { s.LnCost[0] = -inf },
		"budget is NaN":               func(s *policy.State) { s.Remaining = nan },
		"pending point 0: coordinate": func(s *policy.State) { s.Pending = [][]float64{{0, -1}} },
	} {
		s := study(6, 2, 1)
		spoil(&s)
		if _, err := must(t, "ei", policy.Settings{}).Suggest(context.Background(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted %q, got %v", want, err)
		}
	}
}

func TestBadNoiseIsNamed(t *testing.T) {
	for _, n := range []gp.Noise{{}, {Min: 1, Max: 0.5}, {Min: -1, Max: 1}, {Min: 1e-4, Max: math.Inf(1)}, {Min: math.NaN(), Max: 1},
		{Min: 1e-4, Max: 1, Prior: &gp.Gamma{Shape: -1, Rate: 1}}} {
		if _, err := policy.New("ei", policy.Settings{Noise: &n}); err == nil || !strings.Contains(err.Error(), "Noise") {
			t.Errorf("%+v: %v", n, err)
		}
	}
}

// Changes that the caller makes after New have no effect.
func TestSettingsAreCopied(t *testing.T) {
	noise, fantasies := policy.Noisy(), []int{3, 2}
	s := small(policy.Settings{Noise: noise, Fantasies: fantasies})
	p := must(t, "bmsei", s)
	want, err := p.Suggest(context.Background(), study(9, 2, 3))
	if err != nil {
		t.Fatal(err)
	}
	noise.Min, fantasies[0], *noise.Prior = -1, 7, gp.Gamma{Shape: 90, Rate: 1}
	got, err := p.Suggest(context.Background(), study(9, 2, 3))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\n%+v", err, got, want)
	}
}

// The plan goes through JSON, as a store keeps it, without changing the next suggestion.
func TestPlanSurvivesAStore(t *testing.T) {
	p, s := must(t, "4-bmsei-p", small(policy.Settings{})), study(12, 2, 8)
	first, err := p.Suggest(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	var stored policy.Suggestion
	if err := json.Unmarshal(raw, &stored); err != nil {
		t.Fatal(err)
	}
	tell(&s, first.X)
	s.Remaining -= math.Exp(s.LnCost[len(s.LnCost)-1])
	s.Trial++
	s.Previous = first.Plan
	want, err := p.Suggest(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	s.Previous = stored.Plan
	got, err := p.Suggest(context.Background(), s)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\n%+v", err, got, want)
	}
}

// Every policy that goes by its models starts its next fit from the last one's hyperparameters, which the plan carries.
func TestFitsStartFromTheLastPlan(t *testing.T) {
	every(t, func(t *testing.T, name string, settings policy.Settings) {
		if name == "random" {
			t.Skip("random does not go by its models")
		}
		p, s := must(t, name, settings), study(12, 2, 8)
		first, err := p.Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range first.Plan.Hyper {
			if len(h.Lengthscales) != 2 || !(h.Outputscale > 0) || !(h.Noise > 0) {
				t.Fatalf("the plan has the hyperparameters %+v", first.Plan.Hyper)
			}
		}
		// A fit that is given no time keeps what it starts from.
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		s.Previous = first.Plan
		second, err := p.Suggest(ended, s)
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range first.Plan.Hyper {
			if got := second.Plan.Hyper[i].Lengthscales; math.Abs(got[0]-h.Lengthscales[0]) > 1e-6*h.Lengthscales[0] {
				t.Errorf("output %d was fitted to lengthscales %v, the last fit had %v", i, got, h.Lengthscales)
			}
		}
	})
}

// The state belongs to the caller: a suggestion leaves it as it was.
func TestSuggestLeavesTheStateAlone(t *testing.T) {
	every(t, func(t *testing.T, name string, settings policy.Settings) {
		s, same := told(peaky, 16, 2, 5, nil), told(peaky, 16, 2, 5, nil)
		s.Pending, same.Pending = [][]float64{{0.5, 0.5}}, [][]float64{{0.5, 0.5}}
		if _, err := must(t, name, settings).Suggest(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s, same) {
			t.Errorf("the state was %+v and is %+v", same, s)
		}
	})
}

// The fantasy budget goes down by what is paid or set aside, and by nothing else: not by what was observed for
// free, and a withdrawn trial gives back what was set aside for it.
func TestFantasyBudgetFollowsTheMoney(t *testing.T) {
	p, s := must(t, "4-bmsei-p", small(policy.Settings{})), study(12, 2, 8)
	suggest := func() policy.Suggestion {
		t.Helper()
		got, err := p.Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	plan := suggest().Plan
	plan.Budget, plan.Refill = 15, 0.01 // well above what one evaluation costs
	s.Previous = plan
	tell(&s, []float64{0.3, 0.3}) // free: Remaining is as it was
	if got := suggest().Plan.Budget; got != 15 {
		t.Errorf("a free observation took %v", 15-got)
	}
	s.Pending = [][]float64{{0.9, 0.1}}
	aside := 15 - suggest().Plan.Budget
	if !(aside > 0) {
		t.Errorf("nothing set aside for a pending point: %v", aside)
	}
	s.Pending = nil
	if got := suggest().Plan.Budget; got != 15 {
		t.Errorf("a withdrawn point keeps %v", 15-got)
	}
	s.Remaining -= 4
	if got := suggest().Plan.Budget; math.Abs(got-11) > 1e-9 {
		t.Errorf("4 paid of 15 leave %v", got)
	}
	s.Previous = nil
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if cut, err := p.Suggest(ctx, s); err != nil || !cut.CutShort || cut.Plan.Budget != 0 {
		t.Errorf("a plan that was cut short is relied on: %+v, %v", cut.Plan, err)
	}
}

// Extreme units give finite numbers, so a suggestion can always be written as JSON.
func TestExtremeUnits(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes one suggestion after another, which the race detector learns nothing from")
	}
	every(t, func(t *testing.T, name string, settings policy.Settings) {
		for _, unit := range []float64{1e-300, 1e-12, 1e12, 1e300} {
			s := study(8, 2, 5)
			for i := range s.Y {
				s.Y[i] *= unit
				s.LnCost[i] = (s.LnCost[i] - 1) * 300
			}
			s.Initial, s.Remaining = 1e300, 1e300
			got, err := must(t, name, settings).Suggest(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := json.Marshal(got); err != nil {
				t.Errorf("unit %v: %v", unit, err)
			}
		}
	})
}

// While nothing is known about costs, no more trials are suggested than the initial design has.
func TestNothingKnownHandsOutADesignAtMost(t *testing.T) {
	p := must(t, "ei", policy.Settings{})
	s := policy.State{Dim: 2, Initial: 10, Remaining: 10}
	for range 6 {
		got, err := p.Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		s.Pending = append(s.Pending, got.X)
		s.Trial++
	}
	if _, err := p.Suggest(context.Background(), s); !errors.Is(err, policy.ErrNothingKnown) {
		t.Errorf("%v", err)
	}
}
