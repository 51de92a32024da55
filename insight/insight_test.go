package insight_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// recordOf returns a record of trials that were told by hand.
func recordOf(t *testing.T, s *study.Study, settings []space.Setting, f func(space.Setting) (value, cost float64)) *study.Record {
	t.Helper()
	sp, err := s.Space()
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(1e9, false)
	for i, setting := range settings {
		point, err := sp.Encode(setting)
		if err != nil {
			t.Fatal(err)
		}
		value, cost := f(setting)
		for _, e := range []study.Event{
			{Kind: study.EventAsked, Asked: &study.Asked{Setting: setting, Point: point, Reserved: 1, Look: s.IsLook(setting)}},
			{Kind: study.EventFinished, Finished: &study.Finished{State: study.Done, Value: value, Charged: cost}},
		} {
			e.Seq, e.At, e.Trial = r.Version+1, time.Unix(r.Version, 0), i+1
			if err := r.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r
}

func insightOf(t *testing.T, s *study.Study, r *study.Record) *insight.Insight {
	t.Helper()
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	in, err := insight.Of(context.Background(), a, r)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// linear is a study of an additive function, whose Sobol indices are a²/Σa².
func linear(goal study.Goal) *study.Study {
	s := mixed()
	s.Objective.Goal = goal
	s.Parameters = nil
	for _, name := range []string{"a", "b", "c"} {
		s.Parameters = append(s.Parameters, space.Param{Name: name, Kind: space.KindFloat, Min: 0, Max: 1})
	}
	return s
}

func atRandom(n int, sp *space.Space) (list []space.Setting) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		x := make([]float64, sp.Dim())
		for j := range x {
			x[j] = rng.Float64()
		}
		list = append(list, sp.Decode(x))
	}
	return list
}

func TestImportanceOfAnAdditiveFunction(t *testing.T) {
	for _, goal := range []study.Goal{study.Minimize, study.Maximize} {
		s := linear(goal)
		sp, _ := s.Space()
		in := insightOf(t, s, recordOf(t, s, atRandom(40, sp), func(x space.Setting) (float64, float64) {
			a, _ := x["a"].Number()
			b, _ := x["b"].Number()
			c, _ := x["c"].Number()
			return 3*a - 2*b + c, math.Exp(2*b - a)
		}))
		want := map[string]struct {
			value, cost  float64
			goes, costly insight.Direction
		}{
			"a": {9. / 14, 1. / 5, insight.Rises, insight.Falls},
			"b": {4. / 14, 4. / 5, insight.Falls, insight.Rises},
			"c": {1. / 14, 0, insight.Rises, insight.Flat},
		}
		for _, got := range in.Importance {
			w := want[got.Parameter]
			for _, pair := range [][2]float64{{got.Value.First, w.value}, {got.Value.Total, w.value}, {got.Cost.First, w.cost}, {got.Cost.Total, w.cost}} {
				if math.Abs(pair[0]-pair[1]) > 0.02 {
					t.Errorf("%s %s: share %.3f, want %.3f", goal, got.Parameter, pair[0], pair[1])
				}
			}
			if got.Value.Direction != w.goes || got.Cost.Direction != w.costly {
				t.Errorf("%s %s: value %s, cost %s; want %s, %s", goal, got.Parameter, got.Value.Direction, got.Cost.Direction, w.goes, w.costly)
			}
		}
		if len(in.Importance) != 3 {
			t.Errorf("%d parameters, want 3", len(in.Importance))
		}
	}
}

// Of several objectives each has its own shares.
func TestImportanceOfSeveralObjectives(t *testing.T) {
	s := linear(study.Minimize)
	s.Objectives = []study.Aim{{Objective: s.Objective}, {Objective: study.Objective{Name: "size", Goal: study.Maximize}}}
	sp, _ := s.Space()
	r := recordOf(t, s, atRandom(40, sp), func(x space.Setting) (float64, float64) {
		a, _ := x["a"].Number()
		return a, 1
	})
	for i, trial := range r.Trials {
		b, _ := trial.Setting["b"].Number()
		c, _ := trial.Setting["c"].Number()
		r.Trials[i].Metrics = study.Metrics{"size": c - 2*b}
	}
	want := map[string]struct {
		share float64
		goes  insight.Direction
	}{"a": {0, insight.Flat}, "b": {4. / 5, insight.Falls}, "c": {1. / 5, insight.Rises}}
	for _, got := range insightOf(t, s, r).Importance {
		size, w := got.Also["size"], want[got.Parameter]
		if math.Abs(size.First-w.share) > 0.02 || math.Abs(size.Total-w.share) > 0.02 || size.Direction != w.goes || len(got.Also) != 1 {
			t.Errorf("%s: %+v, want %+v", got.Parameter, got.Also, w)
		}
	}
}

// The models go through what was observed, with the study's own sign and units.
func TestSliceGoesThroughTheBest(t *testing.T) {
	s := mixed()
	sp, _ := s.Space()
	r := recordOf(t, s, atRandom(30, sp), train)
	in := insightOf(t, s, r)
	best, _ := r.Best(s.Objective.Goal)
	if in.State != insight.Ready || in.Best != best.Number || in.Observed != 30 {
		t.Fatalf("%s, best %d of %d trials, want %d", in.State, in.Best, in.Observed, best.Number)
	}
	for _, slice := range in.Slices {
		if _, exists := best.Setting[slice.Parameter]; !exists || !slice.At.Equal(best.Setting[slice.Parameter]) {
			t.Errorf("the slice of %s is at %v, the best has %v", slice.Parameter, slice.At, best.Setting[slice.Parameter])
		}
		if len(slice.Points) != len(slice.Values) {
			t.Fatalf("%s: %d values, %d points", slice.Parameter, len(slice.Values), len(slice.Points))
		}
		nearest := math.Inf(1)
		for k, p := range slice.Points {
			if !(p.CostLow > 0 && p.CostLow <= p.CostMedian && p.CostMedian <= p.CostHigh && p.ValueSD >= 0) {
				t.Errorf("%s = %v: %+v", slice.Parameter, slice.Values[k], p)
			}
			nearest = math.Min(nearest, math.Abs(p.Value-best.Value)+math.Abs(math.Log(p.CostMedian/best.Charged)))
		}
		if nearest > 0.3 {
			t.Errorf("%s passes the best trial at a distance of %.3f", slice.Parameter, nearest)
		}
	}
	sizes := map[string]int{"lr": 61, "n": 8, "opt": 3, "beta": 61}
	for name, n := range sizes {
		slice, err := in.Slice(name, space.Setting{"lr": space.Float(1e-3), "n": space.Int(6), "opt": space.String("adam"), "beta": space.Float(0.5)})
		if err != nil || len(slice.Values) != n {
			t.Errorf("%s: %d values, %v, want %d", name, len(slice.Values), err, n)
		}
	}
	for name, want := range map[string]string{"beta": "does not exist", "x": "no parameter"} {
		_, err := in.Slice(name, space.Setting{"lr": space.Float(1e-3), "n": space.Int(6), "opt": space.String("sgd")})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := in.Slice("lr", space.Setting{}); err == nil {
		t.Error("a slice through no setting")
	}
}

func TestHeat(t *testing.T) {
	s := mixed()
	sp, _ := s.Space()
	in := insightOf(t, s, recordOf(t, s, atRandom(30, sp), train))
	h, err := in.Heat("lr", "n", 21)
	if err != nil || len(h.Value) != 21 || len(h.Value[0]) != 8 || len(h.CostMedian) != 21 || len(h.ValueSD) != 21 {
		t.Fatalf("%d rows: %v", len(h.Value), err)
	}
	// Along the best setting's n, the heat map is the slice of lr.
	slice, err := in.Slice("lr", in.Through)
	if err != nil {
		t.Fatal(err)
	}
	fine, err := in.Heat("lr", "n", 61)
	if err != nil {
		t.Fatal(err)
	}
	for c, n := range fine.B.Values {
		for r := range fine.A.Values {
			if n.Equal(in.Through["n"]) && math.Abs(fine.Value[r][c]-slice.Points[r].Value) > 1e-9 {
				t.Fatalf("heat %v, slice %v", fine.Value[r][c], slice.Points[r].Value)
			}
		}
	}
	h, err = in.Heat("opt", "beta", 5)
	if err != nil || h.Exists[0][0] || !h.Exists[1][0] {
		t.Errorf("beta exists for sgd, or not for adam: %v, %v", h.Exists, err)
	}
	if _, err := json.Marshal(h); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		a, b string
		n    int
	}{{"lr", "lr", 5}, {"lr", "x", 5}, {"x", "lr", 5}, {"lr", "n", 1}, {"lr", "n", 1e6}} {
		if _, err := in.Heat(c.a, c.b, c.n); err == nil {
			t.Errorf("a heat map of %v", c)
		}
	}
}

func TestInsightOfAlmostNothing(t *testing.T) {
	s := mixed()
	sp, _ := s.Space()
	for n := range 3 {
		in := insightOf(t, s, recordOf(t, s, atRandom(n, sp), train))
		if ready := in.State == insight.Ready; ready != (n >= 2) || ready == (in.Missing != "") {
			t.Errorf("%d trials: %s %q", n, in.State, in.Missing)
		}
		if _, err := json.Marshal(in); err != nil {
			t.Error(err)
		}
		if _, err := in.Heat("lr", "n", 5); n < 2 && !errors.Is(err, insight.ErrNotEnough) {
			t.Errorf("%d trials: %v", n, err)
		}
		if _, err := in.Slice("lr", nil); n < 2 && !errors.Is(err, insight.ErrNotEnough) {
			t.Errorf("%d trials: %v", n, err)
		}
	}
}

// Looks are counted apart from full evaluations.
func TestInsightCountsLooks(t *testing.T) {
	s := mixed()
	s.Fidelity = &study.Fidelity{Name: "epochs", Min: 1, Max: 9}
	sp, _ := s.Space()
	settings := atRandom(9, sp)
	for i, setting := range settings {
		setting["epochs"] = space.Float([]float64{9, 3, 3}[i%3])
	}
	if in := insightOf(t, s, recordOf(t, s, settings, train)); in.State != insight.Ready || in.Observed != 3 || in.Looks != 6 {
		t.Errorf("%s with %d full evaluations and %d looks: %s", in.State, in.Observed, in.Looks, in.Missing)
	}
	if in := insightOf(t, s, recordOf(t, s, settings[:3], train)); in.Missing != "there is 1 full evaluation to learn from, and 2 are needed" {
		t.Errorf("%q", in.Missing)
	}
}

// With noise, the best by the models may be beyond a limit by its observed number. It is the best all the same.
func TestBestBeyondALimitAsSeen(t *testing.T) {
	s := &study.Study{
		Name: "furnace", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported},
		Budget: study.Budget{Total: 1e9}, Policy: study.Policy{Name: "auto"}, Parallel: 1, Noisy: true, Limits: study.Limits{"memory": study.Max(5)},
		Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Min: 0, Max: 1}},
	}
	sp, _ := s.Space()
	var settings []space.Setting
	for i := range 31 {
		settings = append(settings, sp.Decode([]float64{float64(i) / 30}))
	}
	rng := rand.New(rand.NewPCG(3, 4))
	r := recordOf(t, s, settings, func(at space.Setting) (value, cost float64) {
		x, _ := at["x"].Number()
		return (x-0.4)*(x-0.4) + 0.001*rng.NormFloat64(), 1
	})
	for i := range r.Trials {
		r.Trials[i].Metrics = study.Metrics{"memory": 10*r.Trials[i].Point[0] - 2 + 0.5*rng.NormFloat64()}
	}
	r.Trials[12].Metrics["memory"] = 5.1 // at 0.4, where 2 is expected
	r.Judge(s.Limits)
	if in := insightOf(t, s, r); in.Best == 0 || !r.Trials[in.Best-1].HasCounted() {
		t.Errorf("the best is trial %d, and the slices go through %v", in.Best, in.Through)
	} else if r.Trials[in.Best-1].Counts() {
		t.Errorf("the best is trial %d, which is within its limit: this test shows nothing", in.Best)
	}
	for i := range r.Trials { // no trial counts, by what was seen or by the models
		r.Trials[i].Metrics = study.Metrics{"memory": 9 + 0.5*rng.NormFloat64()}
	}
	r.Judge(s.Limits)
	if in := insightOf(t, s, r); in.Best != 0 {
		t.Errorf("the best is trial %d, which does not count", in.Best)
	}
}

// What a trial was expected to be is kept with it, and the quantiles follow from mean and median.
func TestForecasts(t *testing.T) {
	s := mixed()
	s.Budget.Total = 14
	r := play(t, s)
	in := insightOf(t, s, r)
	if len(in.Forecasts) == 0 {
		t.Fatal("no forecasts")
	}
	early := 0
	for _, f := range in.Forecasts {
		trial := r.Trials[f.Trial-1]
		if f.Expected.Early { // nobody knew what to expect
			early++
		}
		var why advisor.Why
		if err := json.Unmarshal(trial.Why, &why); err != nil {
			t.Fatal(err)
		}
		e := f.Expected
		if (f.Value != nil) != (trial.State == study.Done && !f.Expected.Early) || f.Cost != trial.Charged || e.Value != why.Expected.Value {
			t.Errorf("trial %d: %+v", f.Trial, f)
		}
		sd := math.Log(e.CostHigh/e.CostLow) / 2 / 1.2815515655446004
		if mean := e.CostMedian * math.Exp(math.Min(sd*sd, 1)/2); math.Abs(mean/why.Expected.Cost-1) > 1e-9 {
			t.Errorf("trial %d: expected cost %v from the quantiles, %v before", f.Trial, mean, why.Expected.Cost)
		}
	}
	if early == 0 || early == len(in.Forecasts) {
		t.Errorf("%d of %d forecasts are early: this test shows nothing", early, len(in.Forecasts))
	}
}

// A trial that somebody had forgotten says nothing about its forecast.
func TestForecastsLeaveForgottenOut(t *testing.T) {
	s := mixed()
	s.Budget.Total = 14
	r := play(t, s)
	before := insightOf(t, s, r).Forecasts
	gone := before[len(before)-1].Trial
	r.Trials[gone-1].Forgotten = true
	if after := insightOf(t, s, r).Forecasts; len(after) != len(before)-1 || after[len(after)-1].Trial == gone {
		t.Errorf("%d forecasts, and %d before; the last is of trial %d", len(after), len(before), after[len(after)-1].Trial)
	}
}

func TestInsightHeedsItsContext(t *testing.T) {
	a, err := advisor.New(mixed())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := insight.Of(ctx, a, study.NewRecord(1, false)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
