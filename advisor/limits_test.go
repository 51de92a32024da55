package advisor_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/policy"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// furnace is a study whose loss falls towards what takes too much memory.
func furnace(limits study.Limits) *study.Study {
	return &study.Study{Name: "furnace", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported}, Budget: study.Budget{Total: 100},
		Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Max: 1}}, Limits: limits, Policy: study.Policy{Name: "auto", Preset: study.PresetDefault}, Seed: 1, Parallel: 1, Stop: study.Stop{Never: true}}
}

// fire runs trials of a study, and returns the record. Memory grows by orders of magnitude.
func fire(t *testing.T, s *study.Study, trials int) (*study.Record, *advisor.Advisor) {
	t.Helper()
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	r.Judge(s.Limits)
	for range trials {
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		x, _ := asked.Setting["x"].Number()
		n, charged := len(r.Trials)+1, 1.0
		if asked.Look {
			charged = s.FidelityOf(asked.Setting) / s.Fidelity.Top()
		}
		for _, e := range []study.Event{
			{Kind: study.EventAsked, Trial: n, Asked: &asked},
			{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: (x - 0.9) * (x - 0.9), Charged: charged, Metrics: study.Metrics{"memory": math.Pow(10, 4*x)}}},
		} {
			e.Seq = r.Version + 1
			if err := r.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r, a
}

// A limit is a quantity in logarithms where that is likelier, and the best is the best within it.
func TestLimits(t *testing.T) {
	limit := math.Pow(10, 2.4) // x ≤ 0.6
	r, a := fire(t, furnace(study.Limits{"memory": study.Max(limit)}), 14)
	s, err := a.State(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Further) != 1 || s.Further[0].Name != "ln memory upper" || math.Abs(s.Further[0].Least+math.Log(limit)) > 1e-12 || len(s.Misses) != 14 {
		t.Fatalf("%+v, %v", s.Further, s.Misses)
	}
	best, ok, err := a.Best(t.Context(), r)
	if err != nil || !ok || best.Metrics["memory"] > limit || best.Value > 0.0925 { // 0.09 at the limit
		t.Errorf("the best is %v with memory %v, %v", best.Value, best.Metrics["memory"], err)
	}
	why, _ := advisor.WhyOf(r.Trials[13].Why)
	if why.Expected == nil || why.Expected.Within == nil || *why.Expected.Within <= 0 {
		t.Errorf("the last trial says nothing of limits: %+v", why.Expected)
	}
	if rest, err := a.Rest(t.Context(), r, 0); err != nil || rest == nil || math.Abs(rest.Best-best.Value) > 1e-9 {
		t.Errorf("the rest begins at %+v, %v", rest, err)
	}
}

// While all trials have reported the same, it does not matter in which unit.
func TestEqualReportsHaveNoUnit(t *testing.T) {
	var said []float64
	for _, unit := range []float64{1e-9, 0.01, 1, 1 << 30} {
		s := furnace(study.Limits{"memory": study.Max(8 * unit)})
		a, err := advisor.New(s)
		if err != nil {
			t.Fatal(err)
		}
		r := study.NewRecord(s.Budget.Total, false)
		r.Judge(s.Limits)
		for i, x := range []float64{0.1, 0.8, 0.3, 0.55, 0.95, 0.5} {
			setting := space.Setting{"x": space.Float(x)}
			point, err := a.Space().Encode(setting)
			if err != nil {
				t.Fatal(err)
			}
			note(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: setting, Point: point, Reserved: 1}})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: (x - 0.4) * (x - 0.4), Charged: 1, Metrics: study.Metrics{"memory": 4 * unit}}})
		}
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		why, _ := advisor.WhyOf(asked.Why)
		if why.Expected == nil || why.Expected.Within == nil {
			t.Fatalf("memory in units of %v: it says nothing of limits", 1/unit)
		}
		said = append(said, *why.Expected.Within)
	}
	if slices.Max(said)-slices.Min(said) > 1e-6 || said[0] < 0.99 {
		t.Errorf("the chances to meet the limit are %v", said)
	}
}

// Memory is known at the lowest fidelity. The first trial in full is within the limit, though better values are beyond it.
func TestLooksTeachLimits(t *testing.T) {
	limit := math.Pow(10, 2.4) // x ≤ 0.6
	s := furnace(study.Limits{"memory": study.Max(limit)})
	s.Fidelity = &study.Fidelity{Name: "hours", Min: 1, Max: 9, Log: true}
	r, a := fire(t, s, 6)
	full := slices.IndexFunc(r.Trials, func(trial study.Trial) bool { return !trial.Look })
	if full < 2 || r.Trials[full].Metrics["memory"] > limit {
		t.Fatalf("the first trial in full, number %d, is %v", full+1, r.Trials[full].Setting)
	}
	if why, _ := advisor.WhyOf(r.Trials[full].Why); why.Expected == nil || why.Expected.Within == nil || *why.Expected.Within < 0.5 {
		t.Errorf("it says nothing of the limit: %+v", why.Expected)
	} else if look := slices.IndexFunc(r.Trials[:full], func(trial study.Trial) bool { return trial.Setting["x"] == r.Trials[full].Setting["x"] }); look < 0 ||
		!strings.Contains(why.Picked, fmt.Sprintf("of the settings looked at, that of trial %d promises", look+1)) {
		t.Errorf("it is the setting of look %d, and says: %s", look+1, why.Picked)
	}
	best := slices.MinFunc(r.Trials[:full], func(a, b study.Trial) int { return cmp.Compare(a.Value, b.Value) })
	if best.Metrics["memory"] <= limit {
		t.Error("the best look is within the limit, so that this test shows nothing")
	}
	state, err := a.State(r)
	if err != nil || len(state.Further) != 1 || len(state.Further[0].Y) != len(state.X) || len(state.Further[0].Looks) != len(state.Looks) || math.IsNaN(state.Further[0].Looks[0]) {
		t.Errorf("%+v, %v", state.Further, err)
	}
}

// The first trial is held as much for as the earlier study paid for it, though others are to run beside it, and is at a setting within the limits.
func TestFirstTrialOfStartFrom(t *testing.T) {
	s := furnace(study.Limits{"memory": study.Max(50)})
	s.Parallel, s.Budget.Total = 4, 80
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	earlier := &study.Earlier{From: "old"}
	for i := range 8 {
		x := float64(i) / 8
		earlier.Results = append(earlier.Results, study.EarlierResult{Setting: space.Setting{"x": space.Float(x)}, Value: (x - 0.9) * (x - 0.9), Cost: 20 + x, Metrics: study.Metrics{"memory": 100 * x}})
	}
	r := study.NewRecord(s.Budget.Total, false)
	if err := r.Apply(study.Event{Seq: 1, Kind: study.EventEarlier, Earlier: earlier}); err != nil {
		t.Fatal(err)
	}
	asked, err := a.Next(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if x, _ := asked.Setting["x"].Number(); x != 0.5 || asked.Reserved < 20 {
		t.Errorf("%v is reserved for %v; the earlier study's best within the limits is 0.5, for 20.5", asked.Reserved, asked.Setting)
	}
}

// Without limits, metrics change nothing.
func TestMetricsChangeNothing(t *testing.T) {
	r, a := fire(t, furnace(nil), 6)
	bare := r.Clone()
	for i := range bare.Trials {
		bare.Trials[i].Metrics = nil
	}
	with, err := a.Next(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	without, err := a.Next(t.Context(), bare)
	if err != nil || string(with.Why) != string(without.Why) || string(with.Plan) != string(without.Plan) || strings.Contains(string(with.Why), "within") {
		t.Errorf("%s\n%s, %v", with.Why, without.Why, err)
	}
}

// A study in which nothing meets the limits goes on, and forecasts nothing.
func TestNoneFeasible(t *testing.T) {
	s := furnace(study.Limits{"memory": study.Max(0.5)})
	s.Stop = study.Stop{}
	r, a := fire(t, s, 10)
	if _, ok, err := a.Best(t.Context(), r); ok || err != nil {
		t.Errorf("there is a best: %v", err)
	}
	if rest, err := a.Rest(t.Context(), r, 0); rest != nil || err != nil {
		t.Errorf("the rest is expected to buy %+v, %v", rest, err)
	}
	least := math.Inf(1)
	for _, trial := range r.Trials {
		least = math.Min(least, trial.Metrics["memory"])
	}
	if least > 1.1 { // x near 0, the nearest to the limit
		t.Errorf("the least memory tried is %v", least)
	}
}

// A trial that failed because of its machine teaches nothing, and its setting is tried again.
func TestMachineFailure(t *testing.T) {
	r, a := fire(t, furnace(nil), 3)
	asked, err := a.Next(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []study.Event{
		{Kind: study.EventAsked, Trial: 4, Asked: &asked},
		{Kind: study.EventFinished, Trial: 4, Finished: &study.Finished{State: study.Failed, Charged: 0.1, Machine: true}},
	} {
		e.Seq = r.Version + 1
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	again, err := a.Next(t.Context(), r)
	if err != nil || again.Setting["x"] != asked.Setting["x"] {
		t.Errorf("%v is tried after %v, %v", again.Setting, asked.Setting, err)
	}
	if s, err := a.State(r); err != nil || len(s.Failed) != 0 {
		t.Errorf("%d failures, %v", len(s.Failed), err)
	}
}

// loudFurnace is a study whose values have noise, after results of settings between 0 and 1. memory adds to what each is expected to take: ten times the setting.
func loudFurnace(t *testing.T, memory func(i int) float64) (*advisor.Advisor, *study.Record) {
	t.Helper()
	s := furnace(study.Limits{"memory": study.Max(5)})
	s.Noisy = true
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	r.Judge(s.Limits)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 31 {
		x := []float64{float64(i) / 30}
		k := study.Known{Setting: a.Space().Decode(x), Point: x, Value: 1 - x[0] + 0.05*rng.NormFloat64(), Cost: 1, Metrics: study.Metrics{"memory": 10*x[0] + memory(i)}}
		if err := r.Apply(study.Event{Seq: r.Version + 1, Kind: study.EventKnown, Known: &k}); err != nil {
			t.Fatal(err)
		}
	}
	return a, r
}

// Where values have noise, a quantity that has none is judged by what was seen: the models smooth over what is a hair beyond its limit.
func TestLimitWithoutNoise(t *testing.T) {
	a, r := loudFurnace(t, func(i int) float64 { return map[int]float64{14: -0.01, 15: 0.002, 16: -0.01}[i] })
	s, err := a.State(r)
	if err != nil {
		t.Fatal(err)
	}
	models, err := a.Fit(t.Context(), r, s)
	if err != nil {
		t.Fatal(err)
	}
	if mean, noisy := models.Judged(0, s.X[15]); noisy || mean < s.Further[0].Least || s.Further[0].Y[15] >= s.Further[0].Least {
		t.Fatalf("noise %v; expected %v and seen %v, with a limit of %v", noisy, -mean, -s.Further[0].Y[15], -s.Further[0].Least)
	}
	best, ok, err := a.Best(t.Context(), r)
	if err != nil || !ok || best.Estimate == nil || best.Metrics["memory"] > 5 || len(best.Otherwise) > 0 || best.Hurts(a.Study(), r) != "" {
		t.Errorf("the best has a memory of %v, %+v, %v, %v", best.Metrics["memory"], best.Otherwise, ok, err)
	}
}

// A quantity with noise is judged by what its model expects. Where that is not what was seen, it is said.
func TestLimitWithNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a, r := loudFurnace(t, func(int) float64 { return rng.NormFloat64() })
	best, ok, err := a.Best(t.Context(), r)
	if err != nil || !ok || best.Estimate == nil || len(best.Otherwise) == 0 {
		t.Fatalf("%+v, %v, %v", best, ok, err)
	}
	for i, o := range best.Otherwise {
		expected, some := o.Expected["memory"]
		if !some || (expected <= 5) == (o.Metrics["memory"] <= 5) || best.Has(o.Trial) && i > 0 {
			t.Errorf("%v is expected, %v was seen", o.Expected, o.Metrics)
		}
	}
	first := best.Otherwise[0]
	if text := best.Hurts(a.Study(), r); !strings.Contains(text, first.Words()) || best.NotCounted(first.Trial) != first.Words() {
		t.Errorf("said is %q, and of the trial %q", text, best.NotCounted(first.Trial))
	}
	list, err := a.Bests(t.Context(), r, 3)
	if err != nil || len(list) != 3 || !slices.Equal(list[0].Point, best.Point) {
		t.Errorf("the best is %v, and the first of the best %+v, %v", best.Point, list, err)
	}
}

// With noise, one lucky report may meet a limit that no setting meets by the models. There is no best value then that money could improve, so there is
// no forecast, and the study does not end for want of a gain.
func TestNothingCountsByTheModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a, r := loudFurnace(t, func(i int) float64 {
		lucky := map[int]float64{17: 4.9 - 10*17.0/30}
		if shift, is := lucky[i]; is {
			return shift
		}
		return 9 - 10*float64(i)/30 + 0.7*rng.NormFloat64()
	})
	s, err := a.State(r)
	if err != nil {
		t.Fatal(err)
	}
	models, err := a.Fit(t.Context(), r, s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.X {
		if models.Counts(i) {
			t.Fatalf("result %d counts by the models", i)
		}
	}
	if !slices.Contains(s.Misses, false) {
		t.Fatal("none was seen to meet the limit")
	}
	rest, err := a.Rest(t.Context(), r, 0)
	if err != nil || rest != nil {
		t.Errorf("%+v, %v", rest, err)
	}
}

// Settings may meet each of two noisy limits, though hardly both at once. The forecast of the rest has numbers like those seen.
func TestForecastWithTwoNoisyLimits(t *testing.T) {
	s := furnace(study.Limits{"memory": study.Max(5), "disk": study.Max(5)})
	s.Noisy = true
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	r.Judge(s.Limits)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 31 {
		x := []float64{float64(i) / 30}
		m := study.Metrics{"memory": 4.7 + rng.NormFloat64(), "disk": 4.7 + rng.NormFloat64()}
		k := study.Known{Setting: a.Space().Decode(x), Point: x, Value: 1 - x[0]*x[0] + 0.2*rng.NormFloat64(), Cost: 1, Metrics: m}
		if err := r.Apply(study.Event{Seq: r.Version + 1, Kind: study.EventKnown, Known: &k}); err != nil {
			t.Fatal(err)
		}
	}
	rest, err := a.Rest(t.Context(), r, 0)
	if err != nil || rest == nil || !(rest.Gain >= 0) || !(math.Abs(rest.Best) < 2 && math.Abs(rest.Worse) < 2 && math.Abs(rest.Median) < 2 && math.Abs(rest.Better) < 2) {
		t.Errorf("%+v, %v", rest, err)
	}
}

// Of a quantity that hardly any trial reports, nobody knows who meets its limit: nothing counts and no chance is stated, but the search goes on by values, within the other limits.
func TestLimitThatIsHardlyReported(t *testing.T) {
	for _, noisy := range []bool{false, true} {
		s := furnace(study.Limits{"memory": study.Max(math.Pow(10, 2.4)), "gas": study.Max(1)}) // x ≤ 0.6
		s.Noisy = noisy
		r, a := fire(t, s, 14)
		first := slices.IndexFunc(r.Trials, func(t study.Trial) bool { return t.Point[0] <= 0.6 })
		r.Trials[first].Metrics["gas"] = 5
		nearest := 0.0
		for _, trial := range r.Trials {
			if x := trial.Point[0]; x <= 0.6 {
				nearest = math.Max(nearest, x)
			}
		}
		if nearest < 0.57 {
			t.Errorf("noisy %v: no trial is nearer to the best setting than %v", noisy, nearest)
		}
		if why, ok := advisor.WhyOf(r.Trials[13].Why); !ok || why.Expected.Within != nil || why.Expected.Beats != 0 {
			t.Errorf("noisy %v: trial 14 is expected to have %+v", noisy, why.Expected)
		}
		state, err := a.State(r)
		if err != nil || len(state.Further) != 1 || len(state.Lacks) != 14 || slices.Contains(state.Lacks, false) {
			t.Fatalf("noisy %v: %+v, %v", noisy, state, err)
		}
		models, err := a.Fit(t.Context(), r, state)
		if err != nil {
			t.Fatal(err)
		}
		if p := a.Predict(models, [][]float64{{0.2}})[0]; p.Limited {
			t.Errorf("noisy %v: a chance of %v to meet the limits is stated", noisy, p.Within)
		}
		if best, ok, err := a.Best(t.Context(), r); ok || err != nil {
			t.Errorf("noisy %v: the best is %+v, %v", noisy, best, err)
		}
		r.Trials[first].Metrics["gas"] = 0.5
		r.Judge(s.Limits)
		if best, ok, err := a.Best(t.Context(), r); !ok || best.Number != first+1 || err != nil {
			t.Errorf("noisy %v: the best is %+v, %v", noisy, best, err)
		}
	}
}

// A limit with both ends is one quantity, in logarithms if both ends have some, and a narrow one is hardly ever met. What an older plan knew of its two ends is not used.
func TestRangeIsOneLimit(t *testing.T) {
	low, high, zero := 100.0, 100.001, 0.0
	r, a := fire(t, furnace(study.Limits{"memory": {Min: &low, Max: &high}}), 8)
	state, err := a.State(r)
	if err != nil || len(state.Further) != 1 || state.Further[0].Name != "ln memory" || state.Further[0].Least != math.Log(low) || *state.Further[0].Most != math.Log(high) {
		t.Fatalf("%+v, %v", state.Further, err)
	}
	models, err := a.Fit(t.Context(), r, state)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range a.Predict(models, [][]float64{{0.05}, {0.3}, {0.95}}) {
		if p.Within > 0.01 {
			t.Errorf("%v is within a hair with a chance of %v", p.X, p.Within)
		}
	}
	nearest := math.Inf(1)
	for _, trial := range r.Trials {
		nearest = math.Min(nearest, math.Abs(trial.Point[0]-0.5))
	}
	if nearest > 0.01 {
		t.Errorf("no trial is nearer to the range than %v", nearest)
	}
	if state.Previous == nil || !slices.Equal(state.Previous.Quantities, []string{"ln memory"}) {
		t.Fatalf("the last plan is %+v", state.Previous)
	}
	old := *state.Previous
	old.Quantities, old.Hyper, old.Standard = []string{"ln memory upper", "ln memory"}, append(slices.Clone(old.Hyper), old.Hyper[0]), append(slices.Clone(old.Standard), old.Standard[0])
	state.Previous = &old
	if models, err = a.Fit(t.Context(), r, state); err != nil || models.Searched != len(state.X) {
		t.Errorf("the models of an older plan were kept: searched with %d data, %v", models.Searched, err)
	}
	_, a = fire(t, furnace(study.Limits{"memory": {Min: &zero, Max: &high}}), 0)
	if state, err := a.State(r); err != nil || len(state.Further) != 1 || state.Further[0].Name != "ln memory upper" || state.Further[0].Most != nil || state.Further[0].Least != -math.Log(high) || state.Further[0].Sign != -1 {
		t.Errorf("from 0: %+v, %v", state.Further, err)
	}
}

// counted returns the state of a study without noise after results with these counts.
func counted(t *testing.T, limit study.Bound, counts ...float64) (*advisor.Advisor, *study.Record, policy.State) {
	t.Helper()
	s := furnace(study.Limits{"count": limit})
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	r.Judge(s.Limits)
	for i, n := range counts {
		x := float64(i) / 10
		k := study.Known{Setting: space.Setting{"x": space.Float(x)}, Point: []float64{x}, Value: (x - 0.9) * (x - 0.9), Cost: 1, Metrics: study.Metrics{"count": n}}
		if err := r.Apply(study.Event{Seq: r.Version + 1, Kind: study.EventKnown, Known: &k}); err != nil {
			t.Fatal(err)
		}
	}
	state, err := a.State(r)
	if err != nil {
		t.Fatal(err)
	}
	return a, r, state
}

// Of whole numbers, "< 7" and "<= 6" are one limit, between the two.
func TestLimitsOfWholeNumbers(t *testing.T) {
	below7, from3 := study.Max(math.Nextafter(7, 0)), study.Bound{Min: study.Min(2.5).Min, Max: study.Max(6).Max}
	whole := []float64{-1, 0, 2, 3, 6, 6, 7, 8}
	for _, c := range []struct {
		name        string
		limit       study.Bound
		counts      []float64
		least, most float64 // 0: there is no upper end
	}{
		{"below 7", below7, whole, -6.5, 0},
		{"at most 6", study.Max(6), whole, -6.5, 0},
		{"at most 6.2", study.Max(6.2), whole, -6.5, 0},
		{"at least 3", study.Min(3), whole, 2.5, 0},
		{"above 2", study.Min(math.Nextafter(2, 3)), whole, 2.5, 0},
		{"from 3 to 6", from3, whole, 2.5, 6.5},
		{"a flag", study.Max(0), []float64{0, 1, 0, 0, 1, 1}, -0.5, 0},
		{"none is whole", study.Bound{Min: study.Min(3.2).Min, Max: study.Max(3.8).Max}, whole, 3.2, 3.8},
		{"not whole", study.Max(6), append(slices.Clone(whole), 6.5), -6, 0},
		{"few", study.Max(6), []float64{-1, 3, 6, 6, 7}, -6, 0},
	} {
		_, _, state := counted(t, c.limit, c.counts...)
		q := state.Further[0]
		if most := cmp.Or(q.Most, new(float64)); q.Least != c.least || *most != c.most {
			t.Errorf("%s: the ends are %v and %v", c.name, q.Least, *most)
		}
		for i, y := range q.Y {
			if q.Meets(y) != c.limit.Meets(c.counts[i]) {
				t.Errorf("%s: %v meets the limit: %v", c.name, c.counts[i], q.Meets(y))
			}
		}
	}
	a, r, _ := counted(t, study.Max(6), whole...)
	again := study.Known{Setting: space.Setting{"x": space.Float(0)}, Point: []float64{0}, Value: 2, Cost: 1, Metrics: study.Metrics{"count": -1}}
	if err := r.Apply(study.Event{Seq: r.Version + 1, Kind: study.EventKnown, Known: &again}); err != nil {
		t.Fatal(err)
	}
	if state, err := a.State(r); err != nil || state.Further[0].Least != -6 { // means are judged, and 6.3 is above 6
		t.Errorf("with noise the limit is %v, %v", state.Further[0].Least, err)
	}
}

// Beside settings with a 7, "below 7" is hardly met, and the money goes elsewhere.
func TestLimitBelowAWholeNumber(t *testing.T) {
	s := furnace(study.Limits{"count": study.Max(math.Nextafter(7, 0))})
	s.Parameters, s.Seed = append(s.Parameters, space.Param{Name: "y", Kind: space.KindFloat, Max: 1}), 5
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	r.Judge(s.Limits)
	for n := 1; n <= 18; n++ {
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		x, _ := asked.Setting["x"].Number()
		y, _ := asked.Setting["y"].Number()
		note(t, r, study.Event{Kind: study.EventAsked, Trial: n, Asked: &asked})
		note(t, r, study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: (x-0.8)*(x-0.8) + (y-0.3)*(y-0.3), Charged: 1 + x, Metrics: study.Metrics{"count": math.Floor(10*x + 2*y)}}})
	}
	if best, ok := r.Best(study.Minimize); !ok || best.Value > 0.04 { // 0.024 at the limit
		t.Errorf("the best is %v", best.Value)
	}
}
