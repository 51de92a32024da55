package policy_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/eke-bo/eke/policy"
)

// earlierStudy returns results of a function, spread over the square.
func earlierStudy(n int, f func(x []float64) (y, lnCost float64)) *policy.Prior {
	rng := rand.New(rand.NewPCG(8, 8))
	e := &policy.Prior{}
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

// unrelatedHill has nothing to do with it.
func unrelatedHill(x []float64) (y, lnCost float64) {
	return math.Sin(9*x[0]) * math.Cos(11*x[1]), math.Cos(7 * x[0] * x[1])
}

// played plays some evaluations of the hill and returns the state and the last suggestion.
func played(t *testing.T, e *policy.Prior, n int, threads int) (policy.State, policy.Suggestion) {
	t.Helper()
	s := policy.State{Dim: 2, Initial: 100, Remaining: 100, Seed: 5, Prior: e}
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

// With an unrelated study, the first points are those of a study without one.
func TestIgnoresAnUnrelatedStudy(t *testing.T) {
	with, out := played(t, earlierStudy(40, unrelatedHill), 6, 1)
	without, _ := played(t, nil, 6, 1)
	if out.Earlier == nil || out.Earlier.Values || out.Earlier.Costs {
		t.Errorf("earlier study %+v; want it to be ignored", out.Earlier)
	}
	if !reflect.DeepEqual(with.X, without.X) {
		t.Errorf("points %v\nwithout it %v", with.X, without.X)
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
	for name, e := range map[string]*policy.Prior{"few": few, "flat": flat, "without costs": priceless, "huge": huge} {
		t.Run(name, func(t *testing.T) {
			_, out := played(t, e, 6, 1)
			inBox(t, out.X, 2)
		})
	}
	wrong := earlierStudy(5, shiftedHill)
	wrong.Y[2] = math.Inf(1)
	_, err := must(t, "log-ei-puc", policy.Settings{}).Suggest(context.Background(), policy.State{Dim: 2, Initial: 1, Remaining: 1, Prior: wrong})
	if err == nil {
		t.Error("an infinite value was accepted")
	}
}
