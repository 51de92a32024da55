package policy_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/eke-bo/eke/internal/model/modeltest"
	"github.com/eke-bo/eke/policy"
)

// slope is a state whose values rise so steadily that models see them rise beyond any bound.
func slope(most float64) policy.State {
	s := policy.State{Dim: 2, Initial: 40, Remaining: 20, Seed: 5, Bounds: []policy.Bound{{Most: &most}}}
	for i := range 8 {
		x := []float64{math.Mod(0.37*float64(i)+0.1, 0.7), math.Mod(0.61*float64(i)+0.2, 0.7)}
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, 3*x[0]+x[1]-4), append(s.LnCost, 0.3*x[0])
	}
	s.Trial = len(s.X)
	return s
}

func best(s policy.State) (v float64) {
	v = math.Inf(-1)
	for _, y := range s.Y {
		v = math.Max(v, y)
	}
	return v
}

// No policy promises a value beyond the bound, neither for the next trial nor for the rest of the money, and each promises more without it.
func TestNoForecastBeyondABound(t *testing.T) {
	for _, name := range []string{"ei", "log-ei-puc", "gittins-d", "2-bmsei"} {
		t.Run(name, func(t *testing.T) {
			s := slope(0)
			most := best(s) + 0.05
			s.Bounds[0].Most = &most
			p, err := policy.New(name, policy.Settings{RawPoints: 100, Starts: 4, Iterations: 40})
			if err != nil {
				t.Fatal(err)
			}
			got := suggest(t, p, s)
			for _, e := range append(got.Next, got.Predicted) {
				if e.Value > most || e.ValueHigh > most || e.ValueLow > e.Value || e.ValueSD < 0 {
					t.Errorf("forecast %+v is beyond %v", e, most)
				}
			}
			if got.Plan.Lambda > 0 && got.Plan.Index > most { // only an index policy has one
				t.Errorf("the index is %v, beyond %v", got.Plan.Index, most)
			}
			s.Bounds = nil
			if free := suggest(t, p, s); free.Predicted.ValueHigh <= most || free.Plan.Lambda < got.Plan.Lambda {
				t.Errorf("without a bound: %+v at a price of money of %v, with one %v", free.Predicted, free.Plan.Lambda, got.Plan.Lambda)
			}
		})
	}
}

func TestTheRestKeepsToBounds(t *testing.T) {
	s := slope(0)
	most := best(s) + 0.05
	s.Bounds[0].Most = &most
	rest := func(s policy.State) policy.Outlook {
		m, err := policy.Fit(context.Background(), s, policy.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Rest(context.Background(), []float64{s.Remaining}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return r.After[0]
	}
	if got := rest(s); got.High > most || got.Gain > 0.05+1e-9 || !(got.Gain > 0.02) {
		t.Errorf("%+v is beyond %v, or gains nothing", got, most)
	}
	s.Bounds = nil
	if free := rest(s); free.High <= most || free.Gain < 0.1 {
		t.Errorf("without a bound: %+v", free)
	}
	aims := hills(8)
	top := 0.0
	aims.Bounds = []policy.Bound{{Most: &top}, {Most: &top}}
	if got := rest(aims); got.High > 0.36 { // from the worst, −0.6, to 0
		t.Errorf("the hypervolume is %+v", got)
	}
}

// Nothing is better than the bound: there is no next trial, unless all the money is to be spent, or nobody knows for the noise.
func TestNothingIsBetterThanTheBound(t *testing.T) {
	s := slope(0)
	most := best(s)
	s.Bounds[0].Most = &most
	if _, err := quick(t, policy.Settings{}).Suggest(context.Background(), s); !errors.Is(err, policy.ErrBestPossible) {
		t.Errorf("at the bound: %v", err)
	}
	for _, set := range []policy.Settings{{LongShots: true}, {Noise: policy.Noisy()}} {
		if got := suggest(t, quick(t, set), s); got.X == nil || got.Predicted.ValueHigh > most {
			t.Errorf("with %+v: %+v", set, got)
		}
	}
	aims := hills(8)
	aims.Y[3], aims.Aims[0].Y[3] = 0.5, 0.5
	half := 0.5
	aims.Bounds = []policy.Bound{{Most: &half}, {Most: &half}}
	if _, err := quick(t, policy.Settings{}).Suggest(context.Background(), aims); !errors.Is(err, policy.ErrBestPossible) {
		t.Errorf("two objectives at their bounds: %v", err)
	}
	half = 0.7
	if got := suggest(t, quick(t, policy.Settings{}), aims); got.Predicted.ValueHigh > half || got.Predicted.Aims[0].High > half || !(got.Predicted.Beats > 0) {
		t.Errorf("two objectives below their bounds: %+v", got.Predicted)
	}
}

// A pending evaluation that is expected beyond the bound leaves something to look for, and looks know of the bound.
func TestBoundsOfPendingEvaluationsAndLooks(t *testing.T) {
	s := slope(0)
	most := best(s) + 0.05
	s.Bounds[0].Most = &most
	s.Pending = [][]float64{{1, 1}}
	if got := suggest(t, quick(t, policy.Settings{}), s); !(got.Acquisition > -50) || got.Predicted.ValueHigh > most {
		t.Errorf("with a pending evaluation: %+v", got)
	}
	l := modeltest.Leveled(4, 8, 5)
	top := best(l) + 0.01
	l.Bounds = []policy.Bound{{Most: &top}}
	if got := suggest(t, quick(t, policy.Settings{Design: -1}), l); got.Predicted.ValueHigh > top {
		t.Errorf("a look: %+v", got.Predicted)
	}
	s.Bounds[0].Least = &most
	if _, err := quick(t, policy.Settings{}).Suggest(context.Background(), s); err == nil {
		t.Error("a least that is the most is accepted")
	}
}
