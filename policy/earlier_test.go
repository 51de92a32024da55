package policy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// earlierStudy returns results of a function, spread over the square.
func earlierStudy(n int, f func(x []float64) (y, lnCost float64)) *policy.Earlier {
	rng := rand.New(rand.NewPCG(8, 8))
	e := &policy.Earlier{}
	for range n {
		x := []float64{rng.Float64(), rng.Float64()}
		y, c := f(x)
		e.X, e.Y, e.LnCost = append(e.X, x), append(e.Y, y), append(e.LnCost, c)
	}
	return e
}

// shiftedHill is the hill, moved, stretched and lifted.
func shiftedHill(x []float64) (y, lnCost float64) {
	y, lnCost = hill([]float64{math.Min(x[0]+0.06, 1), math.Max(x[1]-0.05, 0)})
	return 1.2*y + 3, lnCost + 0.4
}

// unrelatedHill is one of many functions that have nothing to do with it.
func unrelatedHill(phase float64) func(x []float64) (y, lnCost float64) {
	return func(x []float64) (y, lnCost float64) {
		return math.Sin(9*x[0]+phase) * math.Cos(11*x[1]-2*phase), math.Cos(7*x[0]*x[1] + 3*phase)
	}
}

// played plays some evaluations of the hill and returns the state and the last suggestion.
func played(t *testing.T, e *policy.Earlier, n int, threads int) (policy.State, policy.Suggestion) {
	t.Helper()
	s := policy.State{Dim: 2, Initial: 100, Remaining: 100, Seed: 5, Earlier: e}
	p := must(t, "log-ei-puc", small(policy.Settings{Threads: threads}))
	var out policy.Suggestion
	for range n {
		var err error
		if out, err = p.Suggest(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		tell(&s, out.X)
		s.Trial++
		if s.Previous = out.Plan; out.Plan != nil { // as a store would keep it
			raw, _ := json.Marshal(out.Plan)
			s.Previous = &policy.Plan{}
			if err := json.Unmarshal(raw, s.Previous); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s, out
}

func TestFollowsASimilarStudy(t *testing.T) {
	_, out := played(t, earlierStudy(40, shiftedHill), 5, 1)
	if out.Earlier == nil || !out.Earlier.Values || out.Earlier.Explained < 0.8 || out.Policy == "design" {
		t.Errorf("the fifth point is by %s, earlier study %+v; want it to be followed, and no design", out.Policy, out.Earlier)
	}
}

// An unrelated study costs no more than the first point, which is where it was best. By chance a few of them explain the first results.
func TestIgnoresAnUnrelatedStudy(t *testing.T) {
	const studies, most = 14, 4
	followed := 0
	for i := range studies {
		earlier := earlierStudy(40, unrelatedHill(float64(i)))
		with, out := played(t, earlier, 6, 1)
		if !reflect.DeepEqual(with.X[0], bestOf(earlier)) {
			t.Errorf("study %d: the first point is %v", i, with.X[0])
		}
		if out.Earlier == nil || out.Earlier.Values || out.Earlier.Costs {
			followed++
		} else if out.Policy != "design" {
			t.Errorf("study %d: the sixth point is by %s, want one of the design", i, out.Policy)
		}
	}
	if t.Logf("%d of %d are followed", followed, studies); followed > most {
		t.Errorf("%d of %d unrelated studies are followed, want at most %d", followed, studies, most)
	}
}

func bestOf(e *policy.Earlier) []float64 { return e.X[slices.Index(e.Y, slices.Max(e.Y))] }

// A study begins where the earlier one was best, unless that is too expensive, is not allowed or was tried. Random search ignores it.
func TestBeginsAtTheEarlierBest(t *testing.T) {
	earlier := earlierStudy(40, shiftedHill)
	best := bestOf(earlier)
	state := func() policy.State {
		return policy.State{Dim: 2, Initial: 100, Remaining: 100, Seed: 5, Earlier: earlier}
	}
	first := func(name string, s policy.State) policy.Suggestion {
		t.Helper()
		out, err := must(t, name, small(policy.Settings{Threads: 1})).Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := first("log-ei-puc", state()); !slices.Equal(out.X, best) || out.Policy != "earlier" {
		t.Errorf("it begins at %v by %s, and the earlier study was best at %v", out.X, out.Policy, best)
	}
	known := state()
	tell(&known, []float64{0.1, 0.1})
	if out := first("log-ei-puc", known); !slices.Equal(out.X, best) {
		t.Errorf("with a known result it begins at %v", out.X)
	}
	for name, change := range map[string]func(*policy.State){
		"random":      func(*policy.State) {},
		"poor":        func(s *policy.State) { s.Initial, s.Remaining = 1e-3, 1e-3 },
		"failed":      func(s *policy.State) { s.Failed = []policy.Failure{{X: best}} },
		"pending":     func(s *policy.State) { s.Pending = [][]float64{best} },
		"not allowed": func(s *policy.State) { s.Feasible = func(x []float64) bool { return !slices.Equal(x, best) } },
	} {
		s, by := state(), "log-ei-puc"
		if name == "random" {
			by = name
		}
		change(&s)
		if out := first(by, s); slices.Equal(out.X, best) {
			t.Errorf("%s: it begins at the earlier best all the same", name)
		}
	}
}

// lookedAt plays a study of the hill with three levels, where a lower level has a bias and costs a tenth, and returns all suggestions and the last state.
func lookedAt(t *testing.T, e *policy.Earlier, n int) (s policy.State, list []policy.Suggestion) {
	t.Helper()
	s = policy.State{Dim: 2, Initial: 200, Remaining: 200, Seed: 5, Earlier: e, Levels: []float64{0, 0.5, 1}}
	p := must(t, "log-ei-puc", small(policy.Settings{Threads: 1}))
	for range n {
		out, err := p.Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, out)
		if out.Level == 1 {
			tell(&s, out.X)
		} else {
			y, lnCost := hill(out.X)
			s.Looks = append(s.Looks, policy.Look{X: out.X, Level: out.Level, Y: y - 0.4*(1-out.Level), LnCost: lnCost - 2.3*(1-out.Level)})
		}
		if s.Trial++; out.Plan != nil {
			s.Previous = out.Plan
		}
	}
	return s, list
}

// With a fidelity, a study begins at the earlier best, at the top. Then looks and evaluations at the top show together whether the earlier study predicts
// this one. If it does, there is no further design, and its models are kept from suggestion to suggestion; if not, it is ignored.
func TestFollowsWithLooks(t *testing.T) {
	earlier := earlierStudy(40, shiftedHill)
	s, list := lookedAt(t, earlier, 6)
	if first := list[0]; first.Policy != "earlier" || first.Level != 1 || !slices.Equal(first.X, bestOf(earlier)) {
		t.Errorf("it begins at %v by %s on level %v, and the earlier study was best at %v", first.X, first.Policy, first.Level, bestOf(earlier))
	}
	last := list[len(list)-1]
	if last.Earlier == nil || !last.Earlier.Values || !last.Earlier.Costs || last.Policy == "design" || last.Plan.Earlier == nil {
		t.Errorf("the last trial is by %s, earlier study %+v; want it to be followed, and no design", last.Policy, last.Earlier)
	}
	if len(s.Looks) == 0 {
		t.Error("there was no look")
	}
	if _, alone := lookedAt(t, nil, 5); alone[4].Policy != "design" {
		t.Error("without an earlier study the design is as short, so that this test shows nothing")
	}
	followed := 0
	for i := range 3 {
		if _, list := lookedAt(t, earlierStudy(40, unrelatedHill(float64(i))), 5); list[4].Earlier == nil || list[4].Earlier.Values {
			followed++
		}
	}
	if t.Logf("%d of 3 unrelated studies are followed", followed); followed > 1 {
		t.Errorf("%d of 3 unrelated studies are followed, want at most 1", followed)
	}
}

// An earlier study of the very same problem is believed as soon as a result agrees with it, and its results then count like the study's own: there is no
// design, and soon a better value. Looks are compared with the earlier study's looks.
func TestJoinsAStudyOfTheSameProblem(t *testing.T) {
	few := func() *policy.Earlier {
		e := earlierStudy(6, hill)
		for _, x := range earlierStudy(18, hill).X[6:] {
			for i, level := range []float64{0, 0.5} {
				y, lnCost := hill(x)
				if e.Looks = append(e.Looks, policy.Look{X: x, Level: level, Y: y - 0.4*(1-level), LnCost: lnCost - 2.3*(1-level)}); i > 0 {
					e.Looks[len(e.Looks)-1].LnCost = math.NaN()
				}
			}
		}
		return e
	}
	s, list := lookedAt(t, few(), 5)
	for i, out := range list[1:] {
		if out.Policy == "design" || out.Earlier == nil || !out.Earlier.Values || out.Earlier.Results != i+1 {
			t.Errorf("trial %d is by %s, earlier study %+v; want it to count", i+2, out.Policy, out.Earlier)
		}
	}
	if !list[1].Earlier.Joined {
		t.Errorf("after the first trial its results do not count: %+v", list[1].Earlier)
	}
	if raw, _ := json.Marshal(list[1].Plan); !bytes.Contains(raw, []byte(`"joined":true`)) {
		t.Errorf("the plan does not say so: %s", raw)
	}
	alone, _ := lookedAt(t, nil, 5)
	if len(alone.Y) > 0 && slices.Max(s.Y) <= slices.Max(alone.Y) {
		t.Errorf("after five trials the best is %v, and without an earlier study %v", s.Y, alone.Y)
	}
}

// Looks under way are no results: an earlier study is not judged by them.
func TestLooksUnderWayJudgeNothing(t *testing.T) {
	s := policy.State{Dim: 2, Initial: 200, Remaining: 190, Seed: 5, Levels: []float64{0, 0.5, 1}, Trial: 3}
	tell(&s, []float64{0.4, 0.6})
	s.Looking = []policy.Look{{X: []float64{0.1, 0.1}}, {X: []float64{0.05, 0.9}, Level: 0.5}}
	s.Earlier = earlierStudy(40, unrelatedHill(0))
	m, err := policy.Fit(t.Context(), s, policy.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if use := m.EarlierUse(); m.FollowsEarlier() || use.Costs || !use.Untried {
		t.Errorf("after a single result: %+v", use)
	}
}

func TestFollowingIsRepeatable(t *testing.T) {
	one, _ := played(t, earlierStudy(30, shiftedHill), 8, 1)
	two, _ := played(t, earlierStudy(30, shiftedHill), 8, 3)
	if !reflect.DeepEqual(one.X, two.X) {
		t.Errorf("with one thread %v\nwith three %v", one.X, two.X)
	}
}

func TestOddEarlierStudies(t *testing.T) {
	few := earlierStudy(3, shiftedHill)
	flat := earlierStudy(20, func([]float64) (float64, float64) { return 7, 0 })
	priceless := earlierStudy(20, func(x []float64) (float64, float64) { y, _ := shiftedHill(x); return y, math.NaN() })
	huge := earlierStudy(20, func(x []float64) (float64, float64) { y, c := shiftedHill(x); return 1e200 * y, c })
	for name, e := range map[string]*policy.Earlier{"few": few, "flat": flat, "without costs": priceless, "huge": huge} {
		t.Run(name, func(t *testing.T) {
			_, out := played(t, e, 6, 1)
			inBox(t, out.X, 2)
		})
	}
	wrong := earlierStudy(5, shiftedHill)
	wrong.Y[2] = math.Inf(1)
	_, err := must(t, "log-ei-puc", policy.Settings{}).Suggest(context.Background(), policy.State{Dim: 2, Initial: 1, Remaining: 1, Earlier: wrong})
	if err == nil {
		t.Error("an infinite value was accepted")
	}
}

// The first trial is at the earlier study's best setting, even if that took a large part of what this study may spend.
func TestFirstTrialIsTheEarlierBest(t *testing.T) {
	e := earlierStudy(20, shiftedHill)
	best := bestOf(e)
	for i, x := range e.X {
		if reflect.DeepEqual(x, best) {
			e.LnCost[i] = math.Log(60)
		}
	}
	if s, _ := played(t, e, 1, 1); !reflect.DeepEqual(s.X[0], best) {
		t.Errorf("the first point is %v, and the best of the earlier study %v", s.X[0], best)
	}
}

// Where the earlier study's results count before this study has one at the top, because the first trial failed or still runs, the next evaluation at the top is chosen by
// all of them, and not among the few points that were looked at.
func TestNoPoorEvaluationBeforeTheFirstResult(t *testing.T) {
	earlier := earlierStudy(30, hill)
	middling := slices.Sorted(slices.Values(earlier.Y))[15]
	for _, c := range []struct{ name, first string }{
		{"log-ei-puc", "failed"}, {"log-ei-puc", "pending"}, {"gittins-d", "failed"}, {"rollout", "pending"}, {"2-bmsei", "failed"}, {"log-ei-puc", "two objectives"},
	} {
		s := policy.State{Dim: 2, Initial: 200, Remaining: 190, Seed: 5, Earlier: earlier, Levels: []float64{0, 0.5, 1}, Trial: 3}
		if c.first == "failed" {
			s.Failed, s.FailedCost = []policy.Failure{{X: bestOf(earlier), LnCost: math.NaN()}}, []float64{math.NaN()}
		} else {
			s.Pending = [][]float64{bestOf(earlier)}
		}
		for _, l := range []policy.Look{{X: []float64{0.1, 0.1}}, {X: []float64{0.05, 0.9}, Level: 0.5}} {
			y, lnCost := hill(l.X)
			l.Y, l.LnCost = y-0.4*(1-l.Level), lnCost-2.3*(1-l.Level)
			s.Looks = append(s.Looks, l)
		}
		if c.first == "two objectives" {
			s.Worst, s.Aims = -3, []policy.Quantity{{Name: "second", Least: -3, Looks: []float64{-1, -0.5}}}
			s.Earlier = earlierStudy(30, hill)
			s.Earlier.Aims = []policy.Quantity{{Name: "second"}}
			for _, x := range earlier.X {
				s.Earlier.Aims[0].Y = append(s.Earlier.Aims[0].Y, -x[0])
			}
		}
		out, err := must(t, c.name, small(policy.Settings{Threads: 1})).Suggest(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if y, _ := hill(out.X); out.Policy != c.name || out.Level == 1 && y < middling && s.Aims == nil || out.Earlier == nil || !out.Earlier.Joined {
			t.Errorf("%s, %s: %v on level %v by %s, which is worth %v, and a middling setting of the earlier study %v; %+v", c.name, c.first, out.X, out.Level, out.Policy, y, middling, out.Earlier)
		}
	}
}
