package advisor_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// oven is a study by hand of a temperature, which is dear to change, and a time. Its trials cost 1, and a change of the temperature 20.
type oven struct {
	*crowd
	s *study.Study
}

const heating = 20.0

func newOven(t testing.TB, change func(*study.Study)) *oven {
	cost := heating
	s := &study.Study{
		Name: "oven", Objective: study.Objective{Name: "y", Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported}, Budget: study.Budget{Total: 300},
		Parameters: []space.Param{{Name: "temperature", Kind: space.KindFloat, Min: 100, Max: 200}, {Name: "time", Kind: space.KindFloat, Max: 1}},
		Changeover: []study.Changeover{{Of: []string{"temperature"}, Cost: &cost}}, Parallel: 1, Policy: study.Policy{Name: "auto"}, Seed: 3, Stop: study.Stop{Never: true},
	}
	change(s)
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return &oven{&crowd{t, a, study.NewRecord(s.Budget.Total, false)}, s}
}

// next asks at a place, and returns the trial. Tell ends it with its true cost.
func (o *oven) next(place string) study.Trial {
	o.t.Helper()
	asked, err := o.advisor.At(place).Next(o.t.Context(), o.record)
	if err != nil {
		o.t.Fatal(err)
	}
	n := len(o.record.Trials) + 1
	o.apply(study.Event{Kind: study.EventAsked, Trial: n, Place: place, Asked: &asked})
	o.apply(study.Event{Kind: study.EventStarted, Trial: n, Place: place})
	return o.record.Trials[n-1]
}

func (o *oven) finish(t study.Trial, says bool) (changed bool) {
	f := study.Finished{State: study.Done, Value: o.value(t.Setting), Charged: 1, Setup: new(float64)}
	before := o.record.Predecessors()[t.Number-1]
	if changed = before == 0 || !study.SameValue(o.record.Trials[before-1].Setting["temperature"], t.Setting["temperature"]); changed {
		f.Charged, *f.Setup = 1+heating, heating
	}
	if !says {
		f.Setup = nil
	}
	o.apply(study.Event{Kind: study.EventFinished, Trial: t.Number, Finished: &f})
	return changed
}

func (o *oven) value(s space.Setting) float64 {
	x, _ := s["temperature"].Number()
	y, _ := s["time"].Number()
	return math.Pow((x-160)/50, 2) + math.Pow(y-0.3, 2)
}

// Whoever is told the price of a change, or learns it, makes far fewer changes with the same money than whoever is not told.
func TestChangesAreWeighed(t *testing.T) {
	const trials = 14
	run := func(says bool, change func(*study.Study)) (changes, spent float64) {
		o := newOven(t, change)
		for range trials {
			if o.finish(o.next("one"), says) {
				changes++
			}
		}
		return changes, o.record.Ledger.Spent
	}
	blind, _ := run(false, func(s *study.Study) { s.Changeover, s.Budget.Total = nil, 1000 })
	for name, c := range map[string]struct {
		says   bool
		change func(*study.Study)
	}{
		"known":                  {false, func(*study.Study) {}},
		"learnt from reports":    {true, func(s *study.Study) { s.Changeover[0].Cost = nil }},
		"learnt without reports": {false, func(s *study.Study) { s.Changeover[0].Cost = nil }},
	} {
		if changes, spent := run(c.says, c.change); changes > blind*2/3 {
			t.Errorf("%s: %v changes in %d trials for %v; %v by whoever does not know", name, changes, trials, spent, blind)
		}
	}
}

// The forecast and the reservation are those of the place that asks: 1 where nothing has to be changed, 21 elsewhere.
func TestPriceIsThatOfThePlace(t *testing.T) {
	o := newOven(t, func(*study.Study) {})
	for range 6 {
		o.finish(o.next("one"), true)
	}
	last, _ := o.record.LastAt("one")
	same := last.Setting
	if fee, sd := o.advisor.At("one").Fee(o.record, same); fee != 0 || sd != 0 {
		t.Errorf("to stay costs %v ± %v", fee, sd)
	}
	if fee, _ := o.advisor.At("two").Fee(o.record, same); fee != heating {
		t.Errorf("to begin elsewhere costs %v", fee)
	}
	if fee, _ := o.advisor.Fee(o.record, same); fee != 0 {
		t.Errorf("whoever does not say where is where the last trial was, and pays %v", fee)
	}
	two := o.next("two")
	why, _ := advisor.WhyOf(two.Why)
	if why.Expected == nil || why.Expected.Setup != heating || math.Abs(why.Expected.CostMedian-21) > 3 || two.Reserved < 20 {
		t.Errorf("the first trial elsewhere: %+v with %v reserved", why.Expected, two.Reserved)
	}
	if c := o.advisor.Changes(o.record); c.Spent <= 0 || math.Mod(c.Spent, heating) != 0 || float64(c.Count)*heating != c.Spent {
		t.Errorf("what went into changes: %+v", c)
	}
}

// A trial that was killed after it had begun has heated the oven: trying it again costs no second change.
func TestKilledTrialHasChanged(t *testing.T) {
	o := newOven(t, func(*study.Study) {})
	for range 5 {
		o.finish(o.next("one"), true)
	}
	killed := o.next("two")
	o.apply(study.Event{Kind: study.EventFinished, Trial: killed.Number, Finished: &study.Finished{State: study.Abandoned, Charged: 8, Wall: 1, Estimated: true}})
	again, err := o.advisor.At("two").Next(t.Context(), o.record)
	if err != nil || fmt.Sprint(again.Setting) != fmt.Sprint(killed.Setting) {
		t.Fatalf("%v, %v, want %v once more", again.Setting, err, killed.Setting)
	}
	why, _ := advisor.WhyOf(again.Why)
	if why.Expected.Setup != 0 || again.Reserved > 5 {
		t.Errorf("%v is reserved for what has been heated: %+v", again.Reserved, why.Expected)
	}
	if elsewhere, err := o.advisor.At("three").Next(t.Context(), o.record); err != nil || elsewhere.Reserved < heating {
		t.Errorf("elsewhere %v is reserved, %v", elsewhere.Reserved, err)
	}
}

// setting returns a setting of the oven, and its point.
func (o *oven) setting(temperature, minutes float64) (space.Setting, []float64) {
	s := space.Setting{"temperature": space.Float(temperature), "time": space.Float(minutes)}
	point, err := o.advisor.Space().Encode(s)
	if err != nil {
		o.t.Fatal(err)
	}
	return s, point
}

// What it costs to heat and what it costs to cool are learnt apart, and an oven of which nobody knows how hot it is costs as much as heating.
func TestUpAndDownAreLearntApart(t *testing.T) {
	o := newOven(t, func(s *study.Study) {
		s.Changeover[0] = study.Changeover{Of: []string{"temperature"}, Down: &study.Downward{}}
	})
	for i, temperature := range []float64{120, 180, 130, 170, 170, 140} {
		s, point := o.setting(temperature, 0.1*float64(i))
		o.apply(study.Event{Kind: study.EventAsked, Trial: i + 1, Place: "one", Asked: &study.Asked{Setting: s, Point: point, Reserved: 30}})
		o.apply(study.Event{Kind: study.EventStarted, Trial: i + 1, Place: "one"})
		f := study.Finished{State: study.Done, Value: 1, Setup: new([]float64{20, 20, 4, 20, 0, 4}[i])}
		f.Charged = 1 + *f.Setup
		o.apply(study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &f})
	}
	for temperature, want := range map[float64]float64{110: 4, 140: 0, 150: 20} {
		s, _ := o.setting(temperature, 0.5)
		if fee, sd := o.advisor.At("one").Fee(o.record, s); math.Abs(fee-want) > 1 || sd > 3 {
			t.Errorf("from 140 to %v: %v ± %v, want %v", temperature, fee, sd, want)
		}
		if fee, _ := o.advisor.At("two").Fee(o.record, s); math.Abs(fee-20) > 1 {
			t.Errorf("from anywhere to %v: %v, want 20", temperature, fee)
		}
	}
}

// Of two settings that somebody wants, each place takes the one that it is ready for.
func TestWantedGoesWhereItIsCheapest(t *testing.T) {
	o := newOven(t, func(*study.Study) {})
	for i, place := range []string{"cold", "hot"} {
		s, point := o.setting(120+60*float64(i), 0.5)
		o.apply(study.Event{Kind: study.EventAsked, Trial: i + 1, Place: place, Asked: &study.Asked{Setting: s, Point: point, Reserved: 30}})
		o.apply(study.Event{Kind: study.EventStarted, Trial: i + 1, Place: place})
		o.finish(o.record.Trials[i], true)
	}
	for _, temperature := range []float64{120, 180} {
		s, point := o.setting(temperature, 0.9)
		o.apply(study.Event{Kind: study.EventEnqueued, Enqueued: &study.Enqueued{Setting: s, Point: point}})
	}
	for place, want := range map[string]float64{"hot": 180, "cold": 120, "new": 120} {
		asked, err := o.advisor.At(place).Next(t.Context(), o.record)
		if x, _ := asked.Setting["temperature"].Number(); err != nil || x != want {
			t.Errorf("%s gets %v, %v; want %v", place, x, err, want)
		}
	}
}

// A look is a change like any other, and so is a trial that goes on from it: it pays if something else ran there in between.
func TestLooksAndResumedTrialsAreChanges(t *testing.T) {
	o := newOven(t, func(s *study.Study) {
		s.Fidelity = &study.Fidelity{Name: "minutes", Min: 1, Max: 9, Log: true, Resume: true}
	})
	looks := 0
	for range 8 {
		trial := o.next("one")
		if trial.Look {
			looks++
		}
		if why, _ := advisor.WhyOf(trial.Why); why.Expected != nil {
			before := o.record.Predecessors()[trial.Number-1]
			if fee := o.s.FeeOf(o.record, trial, before).Known; why.Expected.Setup != fee || trial.Reserved < fee {
				t.Errorf("trial %d, a look: %v, pays %v for a change; %v is expected, and %v reserved", trial.Number, trial.Look, fee, why.Expected.Setup, trial.Reserved)
			}
		}
		o.finish(trial, true)
	}
	if looks == 0 {
		t.Fatal("there was no look")
	}
	first := o.record.Trials[0]
	on := first
	on.Number, on.Resumes = len(o.record.Trials)+1, first.Number
	on.Setting = maps.Clone(first.Setting)
	on.Setting["minutes"] = space.Int(9)
	if fee := o.s.FeeOf(o.record, on, len(o.record.Trials)); fee.Known != heating {
		t.Errorf("to go on from the first look costs %v for the change, want %v", fee.Known, heating)
	}
	if fee := o.s.FeeOf(o.record, on, first.Number); fee.Known != 0 {
		t.Errorf("to go on at once costs %v for a change", fee.Known)
	}
}

// The price of a change that is in the cost of a trial is none of its setting's.
func TestModelsSeeTheOwnCost(t *testing.T) {
	for name, says := range map[string]bool{"told": true, "not told": false} {
		o := newOven(t, func(*study.Study) {})
		for range 4 {
			o.finish(o.next("one"), says)
		}
		state, err := o.advisor.State(o.record)
		if err != nil {
			t.Fatal(err)
		}
		for i, ln := range state.LnCost {
			if math.Abs(ln) > 1e-9 {
				t.Errorf("%s: trial %d costs %v of its own, want 1", name, i+1, math.Exp(ln))
			}
		}
	}
}

// Without a word about changes, a record gives the same state as ever, whatever its trials say of places.
func TestNoChangeover(t *testing.T) {
	o := newOven(t, func(s *study.Study) { s.Changeover = nil })
	a := o.next("one")
	o.finish(a, true)
	state, err := o.advisor.At("two").State(o.record)
	if err != nil || state.Change != nil || math.Abs(state.LnCost[0]-math.Log(21)) > 1e-12 || o.advisor.Changes(o.record) != (study.Changes{}) {
		t.Errorf("%+v, %v", state.Change, err)
	}
}

// The first trial of a study that starts from an earlier one pays for its change, too. It is held for, and it has to fit.
func TestFirstTrialOfStartFromPaysForItsChange(t *testing.T) {
	first := func(budget float64, initial space.Setting) (study.Asked, error) {
		o := newOven(t, func(s *study.Study) { s.Budget.Total, s.Initial = budget, initial })
		earlier := &study.Earlier{From: "old"}
		for i := range 8 {
			setting := space.Setting{"temperature": space.Float(100 + 10*float64(i)), "time": space.Float(0.3)}
			earlier.Results = append(earlier.Results, study.EarlierResult{Setting: setting, Value: o.value(setting), Cost: 5})
		}
		o.apply(study.Event{Kind: study.EventEarlier, Earlier: earlier})
		return o.advisor.Next(t.Context(), o.record)
	}
	best, mild := space.Float(160), space.Float(120)
	if asked, err := first(300, nil); err != nil || asked.Setting["temperature"] != best || asked.Reserved < 5+heating {
		t.Errorf("%v is held for %v, %v; it will cost %v", asked.Reserved, asked.Setting, err, 5+heating)
	}
	if asked, err := first(15, nil); !errors.Is(err, advisor.ErrNotWorth) {
		t.Errorf("%v begins, %v; any trial costs %v, and 15 is all there is", asked.Setting, err, 5+heating)
	}
	if asked, err := first(15, space.Setting{"temperature": mild}); err != nil || asked.Setting["temperature"] != mild || asked.Reserved > 15 {
		t.Errorf("%v is held for %v, %v; only what is set already is affordable", asked.Reserved, asked.Setting, err)
	}
}
