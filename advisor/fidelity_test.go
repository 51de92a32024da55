package advisor_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// epochs is a study whose trials cost a unit for 27 epochs. With fewer they cost less, and return a higher loss.
func epochs() *study.Study {
	return &study.Study{
		Name: "epochs", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Stop: study.Stop{Never: true},
		Cost: study.Cost{Source: study.Reported, Unit: "euros"}, Budget: study.Budget{Total: 8}, Seed: 2,
		Parameters: []space.Param{{Name: "a", Kind: space.KindFloat, Max: 1}, {Name: "n", Kind: space.KindInt, Min: 1, Max: 30}},
		Fidelity:   &study.Fidelity{Name: "epochs", Min: 1, Max: 27, Log: true},
	}
}

func trainFor(s space.Setting) (loss, cost float64) {
	a, _ := s["a"].Number()
	n, _ := s["n"].Number()
	e, _ := s["epochs"].Number()
	return 3*math.Pow(a-0.7, 2) + math.Pow(n-12, 2)/200 + (0.5+0.1*a)/e, e / 27
}

// begun returns the advisor of a study, its empty record, and a function that appends events.
func begun(t *testing.T, s *study.Study) (*advisor.Advisor, *study.Record, func(study.Event)) {
	t.Helper()
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	apply := func(e study.Event) {
		t.Helper()
		e.Seq, e.At = r.Version+1, time.Unix(r.Version, 0)
		if err := r.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	return a, r, apply
}

// A study with a fidelity looks before it evaluates in full, counts only what it evaluated in full, and any process goes on with it.
func TestAStudyWithLooks(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole study takes long under the race detector")
	}
	s := epochs()
	a, r, apply := begun(t, s)
	looks, full, reasons := 0, 0, 0
	for range 30 {
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			break
		}
		if asked.Look != s.IsLook(asked.Setting) {
			t.Fatalf("%v: a look is %v", asked.Setting, asked.Look)
		}
		if point, err := a.Space().Encode(asked.Setting); err != nil || len(point) != 3 || point[2] != asked.Point[2] {
			t.Fatalf("%v is at %v, not %v: %v", asked.Setting, point, asked.Point, err)
		}
		if asked.Look {
			looks++
		} else {
			full++
		}
		if strings.Contains(string(asked.Why), "a look first") {
			reasons++
		}
		n := len(r.Trials) + 1
		loss, cost := trainFor(asked.Setting)
		apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &asked})
		apply(study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: loss, Charged: cost}})
	}
	best, ok, err := a.Best(t.Context(), r)
	if err != nil || !ok || best.Look {
		t.Fatalf("the best is %+v, %v", best, err)
	}
	t.Logf("%d looks, %d full evaluations for %.2f, best %.4f: %v", looks, full, r.Ledger.Spent, best.Value, best.Setting)
	if looks < 5 || full < 2 || reasons == 0 || !r.Trials[0].Look {
		t.Errorf("%d looks of which %d have reasons, %d full evaluations, the first trial is a look: %v", looks, reasons, full, r.Trials[0].Look)
	}
	if least := (0.5 + 0.07) / 27; best.Value > least+0.03 {
		t.Errorf("the best value is %v, the least %v", best.Value, least)
	}
	in, err := insight.Of(t.Context(), a, r)
	if err != nil || in.State != insight.Ready || len(in.Slices) != 3 || len(in.Importance) != 2 {
		t.Fatalf("%+v, %v", in, err)
	}
	curve := in.Slices[2]
	if first, last := curve.Points[0], curve.Points[len(curve.Points)-1]; curve.Parameter != "epochs" || first.CostMedian > last.CostMedian/5 || first.Value < last.Value+0.2 {
		t.Errorf("along %s: from %+v to %+v", curve.Parameter, first, last)
	}
}

// Before any cost is known, a look is held its part of what a full evaluation is. Where a reservation is the time that a trial gets, it is held all of it.
func TestFirstLookIsHeldItsPart(t *testing.T) {
	for source, parts := range map[study.Source][]float64{study.Reported: {1.0 / 27, 5.0 / 27, 1}, study.Walltime: {1, 1, 1}} {
		s := epochs()
		s.Cost.Source, s.Budget.Total = source, 600
		a, r, _ := begun(t, s)
		for i, part := range parts {
			if s.Trials = nil; i > 0 {
				s.Trials = []space.Setting{{"a": space.Float(0.5), "n": space.Int(3), "epochs": space.Int([]int64{0, 5, 27}[i])}}
			}
			if asked, err := a.Next(t.Context(), r); err != nil || math.Abs(asked.Reserved-100*part) > 1e-9 {
				t.Errorf("%s: %v is reserved for %v, not %v: %v", source, asked.Reserved, asked.Setting, 100*part, err)
			}
		}
	}
}

// Somebody may ask for a look, and a setting without a fidelity is evaluated in full.
func TestWantedLooks(t *testing.T) {
	s := epochs()
	s.Trials = []space.Setting{{"a": space.Float(0.5), "n": space.Int(3), "epochs": space.Int(5)}, {"a": space.Float(0.5), "n": space.Int(4), "epochs": space.Int(27)}}
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	for i, want := range []bool{true, false} {
		asked, err := a.Next(t.Context(), r)
		if err != nil || asked.Look != want {
			t.Fatalf("%+v, %v", asked, err)
		}
		for _, e := range []study.Event{
			{Kind: study.EventAsked, Trial: i + 1, Asked: &asked},
			{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: 1, Charged: 0.1}},
		} {
			e.Seq = r.Version + 1
			if err := r.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	state, err := a.State(r)
	if err != nil || len(state.X) != 1 || len(state.Looks) != 1 || state.Dim != 2 || len(state.X[0]) != 2 {
		t.Fatalf("%+v, %v", state, err)
	}
	if l := state.Looks[0].Level; !(l > 0.3 && l < 0.7) || len(state.Levels) != 4 || state.Levels[0] != 0 || state.Levels[3] != 1 {
		t.Errorf("5 epochs are level %v of %v", l, state.Levels)
	}
}

// A short study begins as well with a fidelity as without: once a quarter of the money is spent the design ends, a full evaluation comes next, and its result is
// known by half of the money, where that buys two full evaluations or more. c.fixed is the part of a full price that any look costs.
func TestShortStudiesBeginInTime(t *testing.T) {
	for _, c := range []struct{ money, fixed float64 }{{4, 0}, {8, 0}, {8, 0.4}, {12, 0.7}} {
		for seed := range uint64(3) {
			for _, fidelity := range []*study.Fidelity{epochs().Fidelity, nil} {
				s := epochs()
				s.Budget.Total, s.Seed, s.Fidelity = c.money, seed, fidelity
				asks, r, apply := begun(t, s)
				spent, first := 0.0, 0.0 // first is what was spent when the first full evaluation had ended
				for n := 1; ; n++ {
					asked, err := asks.Next(t.Context(), r)
					if err != nil {
						t.Fatalf("%v, seed %d, fidelity %v: trial %d: %v", c, seed, fidelity != nil, n, err)
					}
					why, _ := advisor.WhyOf(asked.Why)
					design := asked.Look || first > 0 && why.Policy == "design" // a full evaluation after looks is no part of it
					if design && n > 2 && spent > s.Budget.Total/4 {
						t.Errorf("%v, seed %d, fidelity %v: the design has trial %d, after %.2g", c, seed, fidelity != nil, n, spent)
					}
					if first > 0 && !design {
						break
					}
					a, _ := asked.Setting["a"].Number()
					loss, cost := 3*math.Pow(a-0.7, 2), 1.0
					if fidelity != nil {
						loss, cost = trainFor(asked.Setting)
					}
					cost = c.fixed + (1-c.fixed)*cost
					if spent += cost; !asked.Look && first == 0 {
						first = spent
					}
					apply(study.Event{Kind: study.EventAsked, Trial: n, Asked: &asked})
					apply(study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: loss, Charged: cost}})
					if fidelity != nil && first > 0 {
						break
					}
				}
				if first > s.Budget.Total/2 {
					t.Errorf("%v, seed %d, fidelity %v: the first full result is known after %.2g", c, seed, fidelity != nil, first)
				}
			}
		}
	}
}
