package advisor_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// easy is a study of a smooth bowl in two dimensions, with much more money than it needs. It is written as a version wrote it that
// knew nothing of stop.
func easy(t *testing.T) *study.Study {
	t.Helper()
	s := &study.Study{}
	err := json.Unmarshal([]byte(`{"name": "easy", "objective": {"name": "loss", "goal": "minimize"}, "cost": {"unit": "euros", "source": "reported"},
		"budget": {"total": 60}, "parallel": 1, "policy": {"name": "log-ei-puc", "preset": "default"}, "seed": 1,
		"parameters": [{"name": "x", "type": "float", "max": 1}, {"name": "y", "type": "float", "max": 1}]}`), s)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func smooth(s space.Setting) float64 {
	x, _ := s["x"].Number()
	y, _ := s["y"].Number()
	return 3 + (x-0.3)*(x-0.3) + (y-0.6)*(y-0.6)
}

func note(t testing.TB, r *study.Record, e study.Event) {
	t.Helper()
	e.Seq, e.At = r.Version+1, time.Unix(r.Version, 0)
	if err := r.Apply(e); err != nil {
		t.Fatal(err)
	}
}

// playEasy plays the study until it ends.
func playEasy(t *testing.T, s *study.Study) (*study.Record, error) {
	t.Helper()
	return playWith(t, s, func(_ int, setting space.Setting) float64 { return smooth(setting) })
}

// playWith plays the study with other values, by trial and setting.
func playWith(t *testing.T, s *study.Study, value func(trial int, s space.Setting) float64) (*study.Record, error) {
	t.Helper()
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	for number := 1; ; number++ {
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			return r, err
		}
		note(t, r, study.Event{Kind: study.EventAsked, Trial: number, Asked: &asked})
		note(t, r, study.Event{Kind: study.EventFinished, Trial: number, Finished: &study.Finished{State: study.Done, Value: value(number, asked.Setting), Charged: 1}})
	}
}

// A study whose definition says nothing of stop ends when the rest is not worth it, says so, and goes on if it is told to.
func TestStopsWhenTheRestIsNotWorthIt(t *testing.T) {
	s := easy(t)
	r, err := playEasy(t, s)
	if !errors.Is(err, advisor.ErrNotWorth) || fault.CodeOf(err) != fault.NotWorth {
		t.Fatalf("ended with %v", err)
	}
	best, _ := r.Best(study.Minimize)
	if r.Ledger.Spent > 45 || best.Value > 3.001 {
		t.Errorf("spent %v, best %v", r.Ledger.Spent, best.Value)
	}
	for _, part := range []string{"the remaining", "euros are expected to", "loss", "a thousandth of the spread"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if hint := fault.HintOf(err); !strings.Contains(hint, "stop: never") || !strings.Contains(hint, "stop: {gain: ") {
		t.Errorf("the hint is %q", hint)
	}
	next := func(stop study.Stop) error {
		again := *s
		again.Stop = stop
		a, err := advisor.New(&again)
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Next(t.Context(), r)
		return err
	}
	if again := next(study.Stop{}); again == nil || again.Error() != err.Error() {
		t.Errorf("asked again, it says %v", again)
	}
	if err := next(study.Stop{Never: true}); err != nil {
		t.Errorf("stop: never: %v", err)
	}
	if err := next(study.Stop{Gain: 1e-12}); err != nil {
		t.Errorf("a tiny gain: %v", err)
	}
	if err := next(study.Stop{Gain: 1}); !errors.Is(err, advisor.ErrNotWorth) || !strings.Contains(err.Error(), "less than 1, which is the gain that the study asks for") {
		t.Errorf("a large gain: %v", err)
	}
}

// A gain that nothing could make ends a study after its initial design, not before.
func TestStopWaitsForTheDesign(t *testing.T) {
	s := easy(t)
	s.Stop.Gain, s.Policy.Design = 1e6, 7
	r, err := playEasy(t, s)
	if !errors.Is(err, advisor.ErrNotWorth) || len(r.Trials) != 7 {
		t.Errorf("%d trials, then %v", len(r.Trials), err)
	}
}

// While trials are under way, their results may change what is expected: whoever asks is to wait.
func TestStopWaitsForOpenTrials(t *testing.T) {
	s := easy(t)
	s.Stop.Gain = 1e6
	r, _ := playEasy(t, s)
	s.Stop.Never = true
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := a.Next(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	note(t, r, study.Event{Kind: study.EventAsked, Trial: len(r.Trials) + 1, Asked: &asked})
	s.Stop.Never = false
	if _, err := a.Next(t.Context(), r); fault.CodeOf(err) != fault.BudgetPending {
		t.Errorf("with a trial under way: %v", err)
	}
}

func TestRestInTheStudysWords(t *testing.T) {
	s := easy(t)
	s.Stop.Gain = 1e6
	r, _ := playEasy(t, s)
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := a.Rest(t.Context(), r, 0)
	if err != nil {
		t.Fatal(err)
	}
	best, _ := r.Best(study.Minimize)
	if math.Abs(rest.Best-best.Value) > 1e-9 || rest.Left != r.Ledger.Left() || len(rest.Fan) != 20 || rest.Fan[19] != rest.Outlook || rest.Money != rest.Left {
		t.Errorf("%+v, the best is %v", rest, best.Value)
	}
	if !(rest.Better <= rest.Median && rest.Median <= rest.Worse && rest.Worse <= rest.Best+1e-9 && rest.Gain > 0) {
		t.Errorf("small values are good, and it expects %+v", rest.Outlook)
	}
	if more, err := a.Rest(t.Context(), r, 40); err != nil || more.Left != rest.Left+40 {
		t.Errorf("with 40 more: %+v, %v", more, err)
	}
	few := study.NewRecord(60, false)
	if rest, err := a.Rest(t.Context(), few, 0); rest != nil || err != nil {
		t.Errorf("of nothing: %+v, %v", rest, err)
	}
	r.Ledger.Spent = r.Ledger.Total
	if rest, err := a.Rest(t.Context(), r, 0); rest != nil || err != nil {
		t.Errorf("with nothing left: %+v, %v", rest, err)
	}
}

// A run that went astray must not make all others look alike, and end the study.
func TestSpreadOfValues(t *testing.T) {
	s := easy(t)
	r := study.NewRecord(60, false)
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	for number := 1; number <= 9; number++ {
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			t.Fatalf("after %d trials: %v", number-1, err)
		}
		value := smooth(asked.Setting)
		if number == 2 {
			value = 1e12
		}
		note(t, r, study.Event{Kind: study.EventAsked, Trial: number, Asked: &asked})
		note(t, r, study.Event{Kind: study.EventFinished, Trial: number, Finished: &study.Finished{State: study.Done, Value: value, Charged: 1}})
	}
}

// A study that begins with results from elsewhere tries settings of its own, whatever those say. Otherwise it would end before it has begun.
func TestStopWaitsForOwnTrials(t *testing.T) {
	s := easy(t)
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	for i := range 60 {
		setting := space.Setting{"x": space.Float(math.Mod(0.618*float64(i), 1)), "y": space.Float(math.Mod(0.414*float64(i), 1))}
		point, err := a.Space().Encode(setting)
		if err != nil {
			t.Fatal(err)
		}
		note(t, r, study.Event{Kind: study.EventKnown, Known: &study.Known{Setting: setting, Point: point, Value: smooth(setting), Cost: 1}})
	}
	number := 0
	for err == nil {
		if rest, err := a.Rest(t.Context(), r, 0); err != nil || number < 6 && a.Over(r, rest, time.Unix(0, 0)) != nil {
			t.Fatalf("after %d trials it looks as if it were over, %v", number, err)
		}
		var asked study.Asked
		if asked, err = a.Next(t.Context(), r); err == nil {
			number++
			note(t, r, study.Event{Kind: study.EventAsked, Trial: number, Asked: &asked})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: number, Finished: &study.Finished{State: study.Done, Value: smooth(asked.Setting), Charged: 1}})
		}
	}
	if !errors.Is(err, advisor.ErrNotWorth) || number < 6 || number > 20 {
		t.Errorf("it ended after %d trials of its own: %v", number, err)
	}
}

// What the models say about a value of a choice that was hardly tried is no reason to end a study with money left.
func TestStopWaitsForEveryValueOfAChoice(t *testing.T) {
	s := easy(t)
	s.Parameters = append(s.Parameters, space.Param{Name: "glaze", Kind: space.KindChoice, Values: []space.Value{space.String("ash"), space.String("tin"), space.String("salt")}})
	s.Stop.Gain = 1e6 // as if nothing was to be gained
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := playEasy(t, s)
	if !errors.Is(err, advisor.ErrNotWorth) {
		t.Fatal(err)
	}
	tries := map[string]int{}
	for _, trial := range r.Trials {
		tries[trial.Setting["glaze"].String()]++
	}
	if len(r.Trials) != 3*8 || tries["ash"] != 8 || tries["tin"] != 8 || tries["salt"] != 8 {
		t.Errorf("%d trials: %v", len(r.Trials), tries)
	}
	if why, _ := advisor.WhyOf(r.Trials[23].Why); !strings.Contains(why.Picked, "before the study ends with money left, glaze=") || !strings.Contains(why.Picked, " is tried up to 8 times, and this is try 8") {
		t.Errorf("the last one says %q", why.Picked)
	}
	nothing := &study.Rest{Best: 3}
	if err := a.Over(r, nothing, time.Unix(0, 0)); !errors.Is(err, advisor.ErrNotWorth) {
		t.Errorf("in the end: %v", err)
	}
	before := study.NewRecord(s.Budget.Total, false)
	for _, trial := range r.Trials[:20] {
		note(t, before, study.Event{Kind: study.EventAsked, Trial: trial.Number, Asked: &study.Asked{Setting: trial.Setting, Point: trial.Point, Reserved: 1}})
		note(t, before, study.Event{Kind: study.EventFinished, Trial: trial.Number, Finished: &study.Finished{State: study.Done, Value: trial.Value, Charged: 1}})
	}
	if err := a.Over(before, nothing, time.Unix(0, 0)); err != nil {
		t.Errorf("before: %v", err)
	}
}

// A value of a choice that has only failed, or broken limits, is no reason to go on.
func TestStopDoesNotWaitForAValueThatFails(t *testing.T) {
	s := easy(t)
	glazes := []string{"ash", "tin", "salt"}
	choice := space.Param{Name: "glaze", Kind: space.KindChoice}
	for _, name := range glazes {
		choice.Values = append(choice.Values, space.String(name))
	}
	s.Parameters = append(s.Parameters, choice)
	s.Stop.Gain = 1e6 // as if nothing was to be gained
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	over := func(salt ...study.Finished) bool {
		t.Helper()
		r := study.NewRecord(s.Budget.Total, false)
		try := func(glaze string, x float64, end study.Finished) {
			setting := space.Setting{"x": space.Float(x), "y": space.Float(math.Mod(5*x, 1)), "glaze": space.String(glaze)}
			point, err := a.Space().Encode(setting)
			if err != nil {
				t.Fatal(err)
			}
			number := len(r.Trials) + 1
			note(t, r, study.Event{Kind: study.EventAsked, Trial: number, Asked: &study.Asked{Setting: setting, Point: point, Reserved: 1}})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: number, Finished: &end})
		}
		for i := range 16 { // enough of the other two
			try(glazes[i%2], float64(i)/16, study.Finished{State: study.Done, Value: 3 + float64(i), Charged: 1})
		}
		for i, end := range salt {
			end.Charged = 1
			try("salt", 0.03+float64(i)/16, end)
		}
		return errors.Is(a.Over(r, &study.Rest{Best: 3}, time.Unix(0, 0)), advisor.ErrNotWorth)
	}
	failed, machine, done := study.Finished{State: study.Failed}, study.Finished{State: study.Failed, Machine: true}, study.Finished{State: study.Done, Value: 4}
	for _, c := range []struct {
		salt []study.Finished
		over bool
	}{
		{nil, false}, {[]study.Finished{failed}, false}, {[]study.Finished{failed, failed}, true}, {[]study.Finished{failed, {State: study.Cut}}, true},
		{[]study.Finished{failed, machine}, false}, {[]study.Finished{failed, failed, done}, false},
	} {
		if got := over(c.salt...); got != c.over {
			t.Errorf("%+v: over is %v", c.salt, got)
		}
	}
}

// A trial that will probably fail is expected to gain nothing, whatever its value would be.
func TestStopKnowsOfFailures(t *testing.T) {
	s := easy(t)
	s.Stop.Gain = 1e6 // as if nothing else was to be gained
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r := study.NewRecord(s.Budget.Total, false)
	var setting space.Setting
	for i := range 8 {
		setting = space.Setting{"x": space.Float(float64(i) / 8), "y": space.Float(math.Mod(5*float64(i)/8, 1))}
		point, err := a.Space().Encode(setting)
		if err != nil {
			t.Fatal(err)
		}
		note(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: setting, Point: point, Reserved: 1}})
		note(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: 3 + float64(i), Charged: 1}})
	}
	rarely := 1e-6
	why := advisor.Why{Expected: &study.Expected{Value: -1e9, ValueSD: 1}}
	if err := a.Enough(t.Context(), r, setting, why); err != nil {
		t.Errorf("one that works: %v", err)
	}
	if why.Expected.Works = &rarely; !errors.Is(a.Enough(t.Context(), r, setting, why), advisor.ErrNotWorth) {
		t.Error("the study goes on for a trial that will fail")
	}
}

// A study that starts near the best of an earlier one sees little of the spread of the values. What is worth its price goes by both.
func TestStopKnowsTheEarlierSpread(t *testing.T) {
	s := easy(t)
	s.StartFrom = "before"
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) space.Setting {
		return space.Setting{"x": space.Float(math.Mod(0.618*float64(i), 1)), "y": space.Float(math.Mod(0.414*float64(i), 1))}
	}
	var earlier study.Earlier
	for i := range 20 {
		earlier.Results = append(earlier.Results, study.EarlierResult{Setting: at(i), Value: 1 + float64(i), Cost: 1})
	}
	for _, starts := range []bool{false, true} {
		r := study.NewRecord(s.Budget.Total, false)
		if starts {
			note(t, r, study.Event{Kind: study.EventEarlier, Earlier: &earlier})
		}
		for i := range 8 {
			point, err := a.Space().Encode(at(i))
			if err != nil {
				t.Fatal(err)
			}
			note(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: at(i), Point: point, Reserved: 1}})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: 1 + 0.01*float64(i), Charged: 1}})
		}
		err := a.Over(r, &study.Rest{Best: 1, Outlook: study.Outlook{Gain: 0.001}}, time.Unix(0, 0))
		if got := errors.Is(err, advisor.ErrNotWorth); got != starts {
			t.Errorf("with an earlier study: %v; a gain of 0.001 ends the study: %v, %v", starts, got, err)
		}
	}
}

// Each value of a choice is tried 2(p+1) times, where the fidelity is no parameter, and a try that somebody had forgotten is none.
func TestStopCountsTries(t *testing.T) {
	s := easy(t)
	s.Parameters = append(s.Parameters, space.Param{Name: "glaze", Kind: space.KindChoice, Values: []space.Value{space.String("ash"), space.String("tin")}})
	s.Stop.Gain = 1e6 // as if nothing was to be gained
	for _, fidelity := range []*study.Fidelity{nil, {Name: "hours", Steps: []float64{1, 10}}} {
		s.Fidelity = fidelity
		a, err := advisor.New(s)
		if err != nil {
			t.Fatal(err)
		}
		r := study.NewRecord(s.Budget.Total, false)
		over := func() bool { return errors.Is(a.Over(r, &study.Rest{Best: 3}, time.Unix(0, 0)), advisor.ErrNotWorth) }
		for i := range 16 {
			if over() {
				t.Errorf("fidelity %v: it is over after %d trials", fidelity, i)
			}
			setting := space.Setting{"x": space.Float(float64(i) / 16), "y": space.Float(math.Mod(5*float64(i)/16, 1)), "glaze": s.Parameters[2].Values[i%2]}
			if fidelity != nil {
				setting["hours"] = space.Float(10)
			}
			point, err := a.Space().Encode(setting)
			if err != nil {
				t.Fatal(err)
			}
			note(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: setting, Point: point, Reserved: 1}})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: 3 + float64(i), Charged: 1}})
		}
		if !over() {
			t.Errorf("fidelity %v: it is not over after eight trials of each value", fidelity)
		}
		note(t, r, study.Event{Kind: study.EventForgotten, Trial: 5})
		if over() {
			t.Errorf("fidelity %v: a forgotten trial counts as a try", fidelity)
		}
	}
}

// Before the end, no money goes to a trial that will hardly count, once its value of a choice was tried twice.
func TestStopDoesNotWaitForWhatWillNotCount(t *testing.T) {
	s := easy(t)
	s.Parameters = append(s.Parameters, space.Param{Name: "glaze", Kind: space.KindChoice, Values: []space.Value{space.String("ash"), space.String("tin"), space.String("salt")}})
	most := 5.0
	s.Limits = study.Limits{"bubbles": {Max: &most}}
	s.Stop.Gain = 1e6 // as if nothing was to be gained
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r, salt, likely := study.NewRecord(s.Budget.Total, false), 0, 0
	for number := 1; err == nil; number++ {
		var asked study.Asked
		if asked, err = a.Next(t.Context(), r); err != nil {
			break
		}
		why, _ := advisor.WhyOf(asked.Why)
		if e := why.Expected; strings.Contains(why.Picked, "before the study ends") && !strings.HasSuffix(why.Picked, "this is try 1") && !strings.HasSuffix(why.Picked, "this is try 2") {
			if likely++; *e.Within*e.Fits < 0.5 {
				t.Errorf("trial %d meets the limit with a chance of %v and fits with %v: %s", number, *e.Within, e.Fits, why.Picked)
			}
		}
		bubbles := 1.0
		if asked.Setting["glaze"] == space.String("salt") {
			if salt++; salt > 1 { // so that it does not only break the limit
				bubbles = 40
			}
		}
		end := study.Finished{State: study.Done, Value: smooth(asked.Setting), Charged: 1, Metrics: study.Metrics{"bubbles": bubbles}}
		note(t, r, study.Event{Kind: study.EventAsked, Trial: number, Asked: &asked})
		note(t, r, study.Event{Kind: study.EventFinished, Trial: number, Finished: &end})
	}
	if !errors.Is(err, advisor.ErrNotWorth) || salt < 2 || salt >= 8 || likely == 0 {
		t.Errorf("after %d trials, %d of them with salt, and %d likely ones: %v", len(r.Trials), salt, likely, err)
	}
}

// A study that has seen nothing but a plateau tries random settings before it ends with half of its money.
func TestStopTriesRandomSettingsOnAPlateau(t *testing.T) {
	s := easy(t)
	s.Stop.Gain, s.Budget.Total = 1e6, 24 // as if nothing was to be gained
	a, err := advisor.New(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name         string
		least        float64 // the value at the bottom of the bowl
		found, after int     // the trial that finds something else, and how many there are
	}{
		{"the plateau goes on", 1000, 0, 13},
		{"around zero", -1e-9, 0, 6},
		{"far better", 1000, 9, 9},
		{"no plateau", 100, 0, 6},
	} {
		r, err := playWith(t, s, func(trial int, setting space.Setting) float64 {
			if trial == c.found {
				return c.least - 3
			}
			return c.least + smooth(setting) - 3
		})
		if !errors.Is(err, advisor.ErrNotWorth) || len(r.Trials) != c.after {
			t.Errorf("%s: %d trials, then %v", c.name, len(r.Trials), err)
		}
		for _, trial := range r.Trials[6:] {
			if why, _ := advisor.WhyOf(trial.Why); why.Policy != "random" || !strings.Contains(why.Picked, "random settings are tried") {
				t.Errorf("%s: trial %d is by %s: %s", c.name, trial.Number, why.Policy, why.Picked)
			}
		}
		if err := a.Over(r, &study.Rest{Best: 3}, time.Unix(0, 0)); !errors.Is(err, advisor.ErrNotWorth) {
			t.Errorf("%s: in the end: %v", c.name, err)
		}
	}
	r := study.NewRecord(s.Budget.Total, false)
	for i := range 6 {
		note(t, r, study.Event{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: space.Setting{"x": space.Float(float64(i) / 6), "y": space.Float(0.5)}, Point: []float64{float64(i) / 6, 0.5}, Reserved: 1}})
		note(t, r, study.Event{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: 7, Charged: 1}})
	}
	if err := a.Over(r, &study.Rest{Best: 7}, time.Unix(0, 0)); err != nil {
		t.Errorf("on the plateau: %v", err)
	}
}

// A study with a fidelity whose full evaluations are all on a plateau tries random settings in full, and does not stop them early, until half of its money is
// spent or a value is better.
func TestPlateauOfLooks(t *testing.T) {
	for _, c := range []struct {
		name   string
		last   float64 // the value of the third full evaluation
		look   float64 // the best look
		budget float64
		policy study.Policy
		random bool
	}{
		{"a plateau", 0.9397, 0.9401, 60, study.Policy{Name: "auto"}, true},
		{"looks are worse", 0.9397, 0.99, 60, study.Policy{Name: "auto"}, false},
		{"looks are better", 0.9397, 0.8, 60, study.Policy{Name: "auto"}, false},
		{"a better value", 0.8, 0.9401, 60, study.Policy{Name: "auto"}, false},
		{"half of the money is spent", 0.9397, 0.9401, 21, study.Policy{Name: "auto"}, false},
		{"another policy", 0.9397, 0.9401, 60, study.Policy{Name: "ei"}, false},
		{"the paper's preset", 0.9397, 0.9401, 60, study.Policy{Name: "log-ei-puc", Preset: study.PresetPaper}, false},
	} {
		s := easy(t)
		s.Fidelity, s.Budget.Total, s.Policy = &study.Fidelity{Name: "epochs", Min: 1, Max: 9, Log: true}, c.budget, c.policy
		a, err := advisor.New(s)
		if err != nil {
			t.Fatal(err)
		}
		r := study.NewRecord(s.Budget.Total, false)
		try := func(epochs, value, cost float64) {
			n := len(r.Trials) + 1
			setting := space.Setting{"x": space.Float(float64(n) / 20), "y": space.Float(math.Mod(0.37*float64(n), 1)), "epochs": space.Float(epochs)}
			point, err := a.Space().Encode(setting)
			if err != nil {
				t.Fatal(err)
			}
			note(t, r, study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: setting, Point: point, Reserved: cost, Look: epochs < 9}})
			note(t, r, study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: value, Charged: cost}})
		}
		for i := range 6 {
			try([]float64{1, 3}[i%2], c.look+0.01*float64(i), []float64{0.3, 1}[i%2])
		}
		try(9, 0.94, 3)
		try(9, 0.9402, 3)
		try(9, c.last, 3)
		asked, err := a.Next(t.Context(), r)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		why, _ := advisor.WhyOf(asked.Why)
		if random := why.Policy == "random" && !asked.Look && strings.HasPrefix(why.Picked, "a random setting, in full"); random != c.random {
			t.Errorf("%s: %v by %s: %s", c.name, asked.Setting, why.Policy, why.Picked)
		}
		if !c.random {
			continue
		}
		lost := r.Clone()
		note(t, lost, study.Event{Kind: study.EventAsked, Trial: 10, Asked: &asked})
		note(t, lost, study.Event{Kind: study.EventFinished, Trial: 10, Finished: &study.Finished{State: study.Abandoned}})
		for _, better := range []bool{false, true} {
			if better { // and the plateau is over
				r, n := lost, len(lost.Trials)+1
				note(t, r, study.Event{Kind: study.EventAsked, Trial: n, Asked: &study.Asked{Setting: space.Setting{"x": space.Float(0.9), "y": space.Float(0.9), "epochs": space.Float(9)}, Point: []float64{0.9, 0.9, 1}, Reserved: 3}})
				note(t, r, study.Event{Kind: study.EventFinished, Trial: n, Finished: &study.Finished{State: study.Done, Value: 0.5, Charged: 3}})
			}
			again, err := a.Next(t.Context(), lost)
			if err != nil || better == (a.Space().Key(again.Setting) == a.Space().Key(asked.Setting)) {
				t.Errorf("%s, a better value %v: trial 10 was lost, and %v is tried (%v)", c.name, better, again.Setting, err)
			}
		}
		byModel := asked
		byModel.Why = json.RawMessage(`{"policy":"log-ei-puc"}`)
		for i, asked := range []*study.Asked{&asked, &byModel} {
			n := 10 + i
			note(t, r, study.Event{Kind: study.EventAsked, Trial: n, Asked: asked})
			note(t, r, study.Event{Kind: study.EventStarted, Trial: n})
			note(t, r, study.Event{Kind: study.EventStep, Trial: n, Step: &study.Step{Step: 3, Value: 5, Cost: 1, Look: true}})
			if stop, err := a.Early(t.Context(), r, n); stop == "" == (i == 1) || err != nil {
				t.Errorf("%s, trial %d: stopped by %q, %v", c.name, n, stop, err)
			}
		}
	}
}
