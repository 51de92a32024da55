package choose

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/model"
	"github.com/eke-bo/eke/internal/model/modeltest"
	"github.com/eke-bo/eke/internal/normal"
)

// indices are the policies that these tests compare.
var indices = map[string]Policy{"log-ei-puc": {Rule: OneStep(LogEIPUC)}, "gittins": {Rule: Gittins(false)}, "gittins-d": {Rule: Gittins(true)}}

// lineStudy is a wave along a line whose right half is expensive.
func lineStudy() model.State {
	s := model.State{Dim: 1, Initial: 30, Remaining: 12, Seed: 3, Trial: 7}
	for i := range 7 {
		x := float64(i*3%7)/6.2 + 0.01
		s.X, s.Y, s.LnCost = append(s.X, []float64{x}), append(s.Y, math.Sin(7*x)+x), append(s.LnCost, 2*x)
	}
	return s
}

func suggest(t *testing.T, name string, s model.State) model.Suggestion {
	t.Helper()
	p, err := indices[name].New(name, model.Settings{Design: -1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Suggest(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// The point suggested is the highest of a fine grid, judged by slow formulas on the same models.
func TestIndexPoliciesMaximiseTheirIndex(t *testing.T) {
	s := lineStudy()
	m := modeltest.Believe(t, &s, model.Settings{})
	best := slices.Max(m.Values)
	ei := func(mean, sd, over float64) float64 {
		lnH, _ := normal.LogH((mean - over) / sd)
		return sd * math.Exp(lnH)
	}
	for _, name := range []string{"log-ei-puc", "gittins", "gittins-d"} {
		got := suggest(t, name, s)
		lambda := got.Plan.Lambda * m.Objective().Standard().Scale
		worth := func(x float64) float64 {
			mean, sd := m.Objective().PosteriorSD([]float64{x})
			lnCost, lnCostSD := m.LogCost().PosteriorSD([]float64{x})
			if name == "log-ei-puc" {
				return math.Log(ei(mean, sd, best)) - lnCost
			}
			price := lambda * math.Exp(lnCost+math.Min(lnCostSD*lnCostSD, 1)/2)
			low, high := mean-price-40*sd, mean+40*sd
			for range 100 {
				if middle := (low + high) / 2; ei(mean, sd, middle) > price {
					low = middle
				} else {
					high = middle
				}
			}
			return low
		}
		highest, at := math.Inf(-1), 0.0
		for i := range 4001 {
			if v := worth(float64(i) / 4000); v > highest {
				highest, at = v, float64(i)/4000
			}
		}
		if v := worth(got.X[0]); v < highest-1e-6*math.Max(1, math.Abs(highest)) {
			t.Errorf("%s: suggests %v, worth %v; %v is worth %v", name, got.X, v, at, highest)
		}
		if name != "log-ei-puc" && math.Abs(m.Warp.To(got.Plan.Index)-highest) > 1e-5 {
			t.Errorf("%s: says that the index is %v, it is %v", name, got.Plan.Index, m.Warp.From(highest))
		}
	}
}

// The price stays that of the plan, and with decay it is halved when the last index was not above the best value.
func TestThePriceOfMoney(t *testing.T) {
	s := lineStudy()
	best := slices.Max(s.Y)
	for _, c := range []struct {
		name        string
		index, want float64
	}{
		{"gittins", best + 1, 0.3}, {"gittins", best - 1, 0.3},
		{"gittins-d", best + 1e-9, 0.3}, {"gittins-d", best, 0.15}, {"gittins-d", best - 1, 0.15},
	} {
		s.Previous = &model.Plan{Lambda: 0.3, Index: c.index}
		if got := suggest(t, c.name, s).Plan.Lambda; got != c.want {
			t.Errorf("%s, index %v, best %v: price %v, want %v", c.name, c.index, best, got, c.want)
		}
	}
	s.Previous = nil
	decaying, fixed := suggest(t, "gittins-d", s).Plan.Lambda, suggest(t, "gittins", s).Plan.Lambda
	if math.Abs(fixed-lastGain*decaying) > 1e-12*decaying {
		t.Errorf("without a plan the fixed price is %v, the first of a decaying one %v", fixed, decaying)
	}
	s.Remaining /= 4
	if got := suggest(t, "gittins-d", s).Plan.Lambda; math.Abs(got-4*decaying) > 1e-9*decaying {
		t.Errorf("with a quarter of the money a unit is worth %v, not 4 times %v", got, decaying)
	}
	for _, spoiled := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		s.Previous = &model.Plan{Lambda: spoiled}
		if got := suggest(t, "gittins-d", s).Plan.Lambda; !(got > 0) || math.IsInf(got, 0) {
			t.Errorf("after a plan with the price %v it is %v", spoiled, got)
		}
	}
}

// A study that gains nothing sees the price go down, and its plans survive a store.
func TestThePriceDecaysAsTheStudyConverges(t *testing.T) {
	p, err := indices["gittins-d"].New("gittins-d", model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	s := model.State{Dim: 1, Initial: 60, Remaining: 60, Seed: 2}
	var prices []float64
	for range 30 {
		got, err := p.Suggest(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		x := got.X[0]
		s.X, s.Y, s.LnCost = append(s.X, got.X), append(s.Y, -(x-0.4)*(x-0.4)), append(s.LnCost, math.Sin(9*x))
		s.Remaining -= math.Exp(math.Sin(9 * x))
		s.Trial++
		if got.Plan == nil {
			continue // the design
		}
		raw, err := json.Marshal(got.Plan)
		if err != nil {
			t.Fatal(err)
		}
		s.Previous = &model.Plan{}
		if err := json.Unmarshal(raw, s.Previous); err != nil || !reflect.DeepEqual(s.Previous, got.Plan) {
			t.Fatalf("the plan came back as %+v, %v", s.Previous, err)
		}
		prices = append(prices, got.Plan.Lambda)
	}
	if !slices.IsSortedFunc(prices, func(a, b float64) int { return -cmpFloat(a, b) }) || prices[len(prices)-1] > prices[0]/8 {
		t.Errorf("prices %v", prices)
	}
	if best := slices.Max(s.Y); best < -1e-4 {
		t.Errorf("reached %v", best)
	}
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// The expected gain is that of many more draws on a fine grid.
func TestExpectedGainEqualsBruteForce(t *testing.T) {
	s := lineStudy()
	m := modeltest.Believe(t, &s, model.Settings{})
	best := slices.Max(m.Values)
	var grid [][]float64
	for i := range 201 {
		grid = append(grid, []float64{float64(i) / 200})
	}
	rng, sum, sampler := rand.New(rand.NewPCG(9, 9)), 0.0, m.Objective().NewSampler(grid)
	const draws = 5000
	for range draws {
		sum += math.Max(slices.Max(sampler.Draw(rng))-best, 0) / m.Objective().Standard().Scale
	}
	if got, want := expectedGain(m), sum/draws; math.Abs(got-want) > 0.15*want {
		t.Errorf("expected gain %v, brute force %v", got, want)
	} else {
		t.Logf("expected gain %v, brute force %v", got, want)
	}
}
