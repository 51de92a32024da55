package advisor_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// noisyBowl is a study of a bowl with its minimum 0 at (0.3, 0.6), after some trials whose values have noise.
func noisyBowl(t *testing.T, noisy bool, sd float64, seed uint64) (*advisor.Advisor, *study.Record) {
	t.Helper()
	s := &study.Study{
		Name: "bowl", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Noisy: noisy,
		Cost: study.Cost{Source: study.Reported, Unit: "euros"}, Budget: study.Budget{Total: 1000},
		Parameters: []space.Param{{Name: "a", Kind: space.KindFloat, Min: 0, Max: 1}, {Name: "b", Kind: space.KindFloat, Min: 0, Max: 1}},
	}
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	r := study.NewRecord(s.Budget.Total, false)
	for range 40 {
		x := []float64{rng.Float64(), rng.Float64()}
		k := study.Known{Setting: a.Space().Decode(x), Point: x, Value: bowl(x) + sd*rng.NormFloat64(), Cost: 1}
		if err := r.Apply(study.Event{Seq: r.Version + 1, Kind: study.EventKnown, Known: &k}); err != nil {
			t.Fatal(err)
		}
	}
	return a, r
}

func bowl(x []float64) float64 { return 5 * (math.Pow(x[0]-0.3, 2) + math.Pow(x[1]-0.6, 2)) }

// With noise, the best is the setting that the models expect to be the best. It is really better than the one with the luckiest
// observation, and its estimate is nearer to the truth than that observation.
func TestBestWithNoiseIsNotTheLuckiest(t *testing.T) {
	var lucky, chosen, luckyError, chosenError float64
	for seed := range uint64(8) {
		a, r := noisyBowl(t, true, 0.5, seed)
		best, ok, err := a.Best(context.Background(), r)
		if err != nil || !ok || best.Estimate == nil || len(best.Estimate.Values) != 1 {
			t.Fatalf("%+v, %v, %v", best, ok, err)
		}
		raw, _ := r.Best(study.Minimize)
		lucky, chosen = lucky+bowl(raw.Point), chosen+bowl(best.Point)
		luckyError += math.Abs(raw.Value - bowl(raw.Point))
		chosenError += math.Abs(best.Estimate.Value - bowl(best.Point))
	}
	t.Logf("true values: %.3f of the luckiest, %.3f of the best; errors %.3f and %.3f", lucky/8, chosen/8, luckyError/8, chosenError/8)
	if chosen > 0.6*lucky || chosenError > luckyError/2 {
		t.Error("the models' best is no better than luck")
	}
}

// Values that lie far apart at one end are modelled after a transformation, and the band of the estimate is as lopsided.
func TestBandOfTheBestIsLopsided(t *testing.T) {
	a, r := noisyBowl(t, true, 0.4, 2)
	for i := range r.Known {
		r.Known[i].Value = math.Exp(r.Known[i].Value)
	}
	best, ok, err := a.Best(context.Background(), r)
	if err != nil || !ok || best.Estimate == nil {
		t.Fatalf("%+v, %v, %v", best, ok, err)
	}
	if e := best.Estimate; !(e.Low < e.Value && e.High-e.Value > 1.05*(e.Value-e.Low)) {
		t.Errorf("%v is between %v and %v", e.Value, e.Low, e.High)
	}
}

// Without noise the best is the best observation, and there is nothing to estimate.
func TestBestWithoutNoiseIsTheObservation(t *testing.T) {
	a, r := noisyBowl(t, false, 0, 1)
	best, ok, err := a.Best(context.Background(), r)
	raw, _ := r.Best(study.Minimize)
	if err != nil || !ok || best.Estimate != nil || best.Value != raw.Value {
		t.Errorf("%+v, %v, %v; the best observation is %v", best, ok, err, raw.Value)
	}
}

// Two values of one setting say that there is noise, even if the study does not. All of them are shown.
func TestRepeatsThatDisagreeAreNoise(t *testing.T) {
	a, r := noisyBowl(t, false, 0.5, 3)
	raw, _ := r.Best(study.Minimize)
	for _, value := range []float64{raw.Value + 0.4, raw.Value + 0.9, raw.Value + 0.7} {
		k := study.Known{Setting: raw.Setting, Point: raw.Point, Value: value, Cost: 1}
		if err := r.Apply(study.Event{Seq: r.Version + 1, Kind: study.EventKnown, Known: &k}); err != nil {
			t.Fatal(err)
		}
	}
	best, ok, err := a.Best(context.Background(), r)
	if err != nil || !ok || best.Estimate == nil {
		t.Fatalf("%+v, %v, %v", best, ok, err)
	}
	if best.Estimate.Value < raw.Value || best.Estimate.Low > best.Estimate.High {
		t.Errorf("%+v; the luckiest value is %v", best.Estimate, raw.Value)
	}
}

// So they do if they do not meet the limits: the models learn from them as well.
func TestRepeatsBeyondALimitAreNoise(t *testing.T) {
	for _, second := range []float64{1, 1.5} {
		_, r, _ := counted(t, study.Max(5), 1, 2, 3)
		a, err := advisor.New(furnace(r.Limits))
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range []float64{1, second} {
			n := len(r.Trials) + 1
			note(t, r, study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: space.Setting{"x": space.Float(0.9)}, Point: []float64{0.9}, Reserved: 1}})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: value, Charged: 1, Metrics: study.Metrics{"count": 9}}})
		}
		best, ok, err := a.Best(t.Context(), r)
		if err != nil || !ok || (best.Estimate != nil) != (second != 1) {
			t.Errorf("values of 1 and %v at one setting: the best is %+v, %v, %v", second, best.Estimate, ok, err)
		}
	}
}

// The forecast of the rest begins at what is expected of the best setting, with noise, too.
func TestRestBeginsAtTheBest(t *testing.T) {
	a, r := noisyBowl(t, true, 0.5, 3)
	best, _, err := a.Best(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := a.Rest(t.Context(), r, 0)
	if err != nil || math.Abs(rest.Best-best.Expected()) > 1e-9 || rest.Median > rest.Best || rest.Better > rest.Median {
		t.Errorf("the best is expected to be %v, and the rest begins at %+v (%v)", best.Expected(), rest, err)
	}
}

// A best value that is hardly better than the first results may be the bottom of a plateau, and it says so.
func TestBestSaysThatAllMayBeAPlateau(t *testing.T) {
	ladder := &study.Fidelity{Name: "epochs", Steps: []float64{1, 9}}
	zero := 0.0
	for _, c := range []struct {
		name     string
		level    float64 // the value far from the optimum
		first    float64 // what the trials of the design have above it
		look     float64 // the best look at the lowest fidelity; 0: there is no fidelity
		min      *float64
		expected string
	}{
		{"a plateau", 0.94, 1e-4, 0, nil, "it is hardly better than the first 6 results, whose median is 0.9401; perhaps nothing has worked yet: try another setting with eke enqueue"},
		{"a slope", 0.94, 0.1, 0, nil, ""},
		{"the best possible", 0, 0, 0, &zero, ""},
		{"looks are as good", 0.94, 1e-4, 0.9405, nil, "it is hardly better than the first 3 results, whose median is 0.9401, and than the best look at the fewest epochs; perhaps nothing has worked yet: try another setting with eke enqueue"},
		{"looks are worse", 0.94, 1e-4, 1.2, nil, ""},
		{"looks are better", 0.94, 1e-4, 0.8, nil, ""},
	} {
		s := &study.Study{
			Name: "flat", Objective: study.Objective{Name: "loss", Goal: study.Minimize, Min: c.min},
			Cost: study.Cost{Source: study.Reported, Unit: "euros"}, Budget: study.Budget{Total: 1000},
			Parameters: []space.Param{{Name: "a", Kind: space.KindFloat, Min: 0, Max: 1}, {Name: "b", Kind: space.KindFloat, Min: 0, Max: 1}, {Name: "c", Kind: space.KindFixed, Value: space.Float(1)}},
		}
		if c.look != 0 {
			s.Fidelity = ladder
		}
		r := study.NewRecord(s.Budget.Total, false)
		add := func(value float64, look bool) {
			x, n := float64(len(r.Trials))/20, len(r.Trials)+1
			setting := space.Setting{"a": space.Float(x), "b": space.Float(x)}
			if look {
				setting["epochs"] = space.Float(1)
			}
			note(t, r, study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: setting, Point: []float64{x, x}, Reserved: 1, Look: look}})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: value, Charged: 1}})
		}
		if c.look != 0 {
			add(c.look, true)
			add(c.look+1, true)
		}
		results := 6
		if c.look != 0 {
			results = 3
		}
		for range results {
			if best, ok := r.Best(study.Minimize); ok {
				if text := (advisor.Best{Trial: best}).Hurts(s, r); text != "" {
					t.Errorf("%s, %d trials: %q", c.name, len(r.Trials), text)
				}
			}
			add(c.level+c.first, false)
		}
		add(c.level, false)
		best, _ := r.Best(study.Minimize)
		if text := (advisor.Best{Trial: best}).Hurts(s, r); text != c.expected {
			t.Errorf("%s: %q, want %q", c.name, text, c.expected)
		}
	}
}

// What is a plateau for a study that minimises is one for its mirror image, and what is imported is none: somebody's best settings are alike.
func TestPlateausAreMirrored(t *testing.T) {
	for _, c := range []struct {
		first    []float64
		imported bool
		plateau  bool
	}{
		{[]float64{2.3, 2.3, 2.4, 2.9}, false, true},
		{[]float64{2.3, 2.4, 2.5, 2.9}, false, false},
		{[]float64{2.3, 2.3, 2.3, 2.3}, false, true},
		{[]float64{2.3, 2.3, 2.3, 2.3}, true, false},
	} {
		for _, goal := range []study.Goal{study.Minimize, study.Maximize} {
			s := &study.Study{
				Name: "mirror", Objective: study.Objective{Name: "loss", Goal: goal}, Budget: study.Budget{Total: 100},
				Cost: study.Cost{Source: study.Reported, Unit: "euros"}, Parameters: []space.Param{{Name: "a", Kind: space.KindFloat, Min: 0, Max: 1}},
			}
			r := study.NewRecord(s.Budget.Total, false)
			if c.imported {
				note(t, r, study.Event{Kind: study.EventKnown, Known: &study.Known{Setting: space.Setting{"a": space.Float(1)}, Point: []float64{1}, Value: 2.3, Cost: 1}})
			}
			for i, value := range c.first {
				if goal == study.Maximize {
					value = -value
				}
				x := float64(i) / 10
				note(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: space.Setting{"a": space.Float(x)}, Point: []float64{x}, Reserved: 1}})
				note(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: value, Charged: 1}})
			}
			best, _ := r.Best(goal)
			if text := (advisor.Best{Trial: best}).Hurts(s, r); (text != "") != c.plateau {
				t.Errorf("%v, %s, imported %v: %q", c.first, goal, c.imported, text)
			}
		}
	}
}

// What meets narrow limits is alike, since it is all in one place. Where other values were seen, that is no plateau.
func TestNarrowLimitsAreNoPlateau(t *testing.T) {
	for _, c := range []struct {
		beyond  float64
		plateau bool
	}{{0.2, false}, {0.9, false}, {0.5, true}} {
		s := furnace(study.Limits{"memory": study.Max(1)})
		r := study.NewRecord(s.Budget.Total, false)
		r.Judge(s.Limits)
		add := func(value, memory float64) {
			n := len(r.Trials) + 1
			x := float64(n) / 20
			note(t, r, study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: space.Setting{"x": space.Float(x)}, Point: []float64{x}, Reserved: 1}})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: value, Charged: 1, Metrics: study.Metrics{"memory": memory}}})
		}
		for range 5 {
			add(c.beyond, 2)
		}
		for range 5 {
			add(0.5, 1)
		}
		add(0.4999, 1)
		best, _ := r.Best(study.Minimize)
		if text := (advisor.Best{Trial: best}).Hurts(s, r); (text != "") != c.plateau {
			t.Errorf("values of %v beyond the limit: %q", c.beyond, text)
		}
	}
}

// With noise, the best setting may be expected to be worse than what is usual. That is a plateau, and limits that all results meet do not change it.
func TestNoisyPlateauWithinLimits(t *testing.T) {
	for _, limits := range []study.Limits{nil, {"memory": study.Max(1)}} {
		s := furnace(limits)
		r := study.NewRecord(s.Budget.Total, false)
		r.Judge(s.Limits)
		for n := 1; n <= 6; n++ {
			x := float64(n) / 20
			note(t, r, study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: space.Setting{"x": space.Float(x)}, Point: []float64{x}, Reserved: 1}})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: 0.5, Charged: 1, Metrics: study.Metrics{"memory": 1}}})
		}
		best, _ := r.Best(study.Minimize)
		if text := (advisor.Best{Trial: best, Estimate: &advisor.Estimate{Value: 0.51}}).Hurts(s, r); !strings.Contains(text, "perhaps nothing has worked yet") {
			t.Errorf("%d limits: %q", len(limits), text)
		}
	}
}

// A value of a choice that was never evaluated in full is named, once three settings were evaluated in full; not if it was evaluated, known, lost its looks for
// a reason, or belongs to a choice that the best setting has not.
func TestNotEvaluatedInFullIsNamed(t *testing.T) {
	values := func(names ...string) (list []space.Value) {
		for _, name := range names {
			list = append(list, space.String(name))
		}
		return list
	}
	s := &study.Study{
		Name: "boosting", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Budget: study.Budget{Total: 100},
		Cost: study.Cost{Source: study.Reported, Unit: "euros"}, Fidelity: &study.Fidelity{Name: "epochs", Min: 1, Max: 9},
		Parameters: []space.Param{
			{Name: "loss", Kind: space.KindChoice, Values: values("squares", "huber")},
			{Name: "smooth", Kind: space.KindChoice, Values: values("yes", "no"), When: []space.Condition{{Param: "loss", Values: values("huber")}}},
		},
	}
	type trial struct {
		loss  string
		look  bool
		state study.State
		of    bool // of the machine
	}
	full, look := trial{"squares", false, study.Done, false}, trial{"huber", true, study.Done, false}
	for name, c := range map[string]struct {
		trials []trial
		known  bool
		want   bool
	}{
		"looked at":                {[]trial{full, look, full, full}, false, true},
		"never tried":              {[]trial{full, full, full}, false, true},
		"too early":                {[]trial{full, look, full}, false, false},
		"evaluated":                {[]trial{full, look, full, {"huber", false, study.Done, false}}, false, false},
		"under way":                {[]trial{full, look, full, full, {"huber", false, study.Running, false}}, false, false},
		"abandoned":                {[]trial{full, look, full, full, {"huber", false, study.Abandoned, false}}, false, true},
		"the machine failed":       {[]trial{full, look, full, full, {"huber", false, study.Failed, true}}, false, true},
		"failed in full":           {[]trial{full, look, full, full, {"huber", false, study.Failed, false}}, false, false},
		"every look failed":        {[]trial{full, {"huber", true, study.Failed, false}, full, full}, false, false},
		"one of two looks failed":  {[]trial{full, look, {"huber", true, study.Failed, false}, full, full}, false, true},
		"somebody brought a value": {[]trial{full, look, full, full}, true, false},
	} {
		r := study.NewRecord(s.Budget.Total, false)
		if c.known {
			note(t, r, study.Event{Kind: study.EventKnown, Known: &study.Known{Setting: space.Setting{"loss": space.String("huber")}, Point: []float64{1}, Value: 20, Cost: 1}})
		}
		for i, tr := range c.trials {
			note(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: space.Setting{"loss": space.String(tr.loss)}, Point: []float64{0}, Reserved: 1, Look: tr.look}})
			if tr.state == study.Running {
				note(t, r, study.Event{Kind: study.EventStarted, Trial: i + 1, Runner: "me"})
				continue
			}
			value := 9 - float64(i)
			if tr.loss == "huber" {
				value += 10
			}
			note(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: tr.state, Value: value, Charged: 1, Machine: tr.of}})
		}
		best, ok := r.Best(study.Minimize)
		text := advisor.Best{Trial: best}.Hurts(s, r)
		if !ok || strings.Contains(text, "loss=huber was never evaluated in full") != c.want || strings.Contains(text, "smooth") {
			t.Errorf("%s: %q", name, text)
		}
	}
	// A command names what the value needs, and no command is named where none may be given, nor a value that constraints do not allow.
	r := study.NewRecord(s.Budget.Total, false)
	best := space.Setting{"loss": space.String("huber"), "smooth": space.String("yes")}
	for i := range 3 {
		note(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: best, Point: []float64{1, 0}, Reserved: 1}})
		note(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: 1 + float64(i), Charged: 1}})
	}
	said := func() string {
		trial, _ := r.Best(study.Minimize)
		return advisor.Best{Trial: trial}.Hurts(s, r)
	}
	const both = "loss=squares and 1 other value were never evaluated in full, and looks can mislead"
	if got := said(); got != both+"; to evaluate it: eke enqueue boosting loss=squares" {
		t.Error(got)
	}
	note(t, r, study.Event{Kind: study.EventKnown, Known: &study.Known{Setting: space.Setting{"loss": space.String("squares")}, Point: []float64{0, 0}, Value: 20, Cost: 1}})
	if got := said(); got != "smooth=no was never evaluated in full, and looks can mislead; to evaluate it: eke enqueue boosting loss=huber smooth=no" {
		t.Error(got)
	}
	s.Where = []string{`smooth != "no"`}
	if got := said(); got != "" {
		t.Error(got)
	}
	s.Where = nil
	note(t, r, study.Event{Kind: study.EventClosed})
	if got := said(); got != "smooth=no was never evaluated in full, and looks can mislead" {
		t.Error(got)
	}
	// Without a fidelity, it takes as many results as an initial design has, or three after a quarter of the money, where designs end.
	s.Fidelity, s.Name = nil, "bond"
	for price, results := range map[float64]int{1: 6, 10: 3, 30: 3} {
		r = study.NewRecord(s.Budget.Total, false)
		for i := range results {
			if got := said(); got != "" {
				t.Errorf("after %d results: %s", i, got)
			}
			note(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: space.Setting{"loss": space.String("squares")}, Point: []float64{0, 0}, Reserved: price}})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: 9 - float64(i), Charged: price}})
		}
		if got := said(); got != "loss=huber was never tried; to try it: eke enqueue bond loss=huber" {
			t.Errorf("after %d results: %q", results, got)
		}
	}
	r.Earlier = &study.Earlier{} // it may have tried the value
	if got := said(); got != "" {
		t.Error(got)
	}
}
