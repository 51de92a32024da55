package say

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// examples is the table that the page is tested against, too.
type examples struct {
	Number, Digits, Percent, Count, Duration, Clock, Ago, Amount, Tick, Ticks, Value, Spread, Chosen, Tally, Shown, Account [][]json.RawMessage

	Estimate, Seen [][]json.RawMessage
	Marks          map[Mark]string
	Setting        []struct {
		Parameters []struct {
			Name string
			Type space.Kind
		}
		Setting space.Setting
		Text    string
	}
	Rest []struct {
		Objective string
		Cost      study.Cost
		Rest      struct{ Left, Reserved, Best, Worse, Median, Better, Gain float64 }
		Text      string
	}
	Expected []struct {
		Objective string
		Cost      study.Cost
		PerTrial  float64 `json:"per_trial"`
		Expected  struct {
			Value       float64  `json:"value"`
			ValueSD     float64  `json:"value_sd"`
			Cost        float64  `json:"cost"`
			CostSD      float64  `json:"cost_sd"`
			CostLow     float64  `json:"cost_low"`
			CostMedian  float64  `json:"cost_median"`
			CostHigh    float64  `json:"cost_high"`
			Fits        float64  `json:"fits"`
			ValueLow    float64  `json:"value_low"`
			ValueHigh   float64  `json:"value_high"`
			Early       bool     `json:"early"`
			Beats       float64  `json:"beats"`
			Setup       float64  `json:"setup"`
			SetupSD     float64  `json:"setup_sd"`
			Works       *float64 `json:"works"`
			FailureCost float64  `json:"failure_cost"`
			Within      *float64 `json:"within"`
			Also        map[string]study.Range
		}
		Text string
	}
	Course []struct {
		Goal   study.Goal
		Trials []study.Trial
		Steps  [][]any
		Ledger study.Ledger
		On     study.Spending `json:"spending"`
		Parts  [][]any
	}
}

func readExamples(t *testing.T) (e examples) {
	t.Helper()
	raw, err := os.ReadFile("testdata/examples.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// float reads a number, or the name of one that JSON does not have.
func float(t *testing.T, raw json.RawMessage) float64 {
	t.Helper()
	text := string(raw)
	if raw[0] == '"' {
		text = as[string](t, raw)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func as[T any](t *testing.T, raw json.RawMessage) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// each compares a row's last column with what is said of the others.
func each(t *testing.T, kind string, rows [][]json.RawMessage, said func(row []json.RawMessage) string) {
	t.Helper()
	if len(rows) == 0 {
		t.Errorf("there are no examples of %s", kind)
	}
	for _, row := range rows {
		n := len(row) - 1
		if got, want := said(row[:n]), as[string](t, row[n]); got != want {
			t.Errorf("%s %s: %q, want %q", kind, row[:n], got, want)
		}
	}
}

func TestExamples(t *testing.T) {
	e := readExamples(t)
	of := func(said func(float64) string) func([]json.RawMessage) string {
		return func(row []json.RawMessage) string { return said(float(t, row[0])) }
	}
	each(t, "number", e.Number, of(Number))
	each(t, "percent", e.Percent, of(Percent))
	each(t, "duration", e.Duration, of(Duration))
	each(t, "clock", e.Clock, of(Clock))
	now := time.Now()
	each(t, "ago", e.Ago, of(func(s float64) string { return Ago(now, now.Add(-time.Duration(s*1e9))) }))
	each(t, "digits", e.Digits, func(row []json.RawMessage) string { return Digits(float(t, row[0]), as[int](t, row[1])) })
	each(t, "count", e.Count, func(row []json.RawMessage) string { return Count(as[int](t, row[0]), as[string](t, row[1])) })
	each(t, "tick", e.Tick, func(row []json.RawMessage) string {
		return tickLabel(float(t, row[0]), float(t, row[1]), float(t, row[2]))
	})
	each(t, "ticks", e.Ticks, func(row []json.RawMessage) string {
		kind, labels := as[string](t, row[2]), []string{}
		r := Range{Lo: float(t, row[0]), Hi: float(t, row[1]), Log: kind == "log", Whole: kind == "whole", Clock: kind == "clock"}
		for _, tick := range r.Ticks(as[int](t, row[3])) {
			labels = append(labels, tick.Label)
		}
		return strings.Join(labels, " ")
	})
	each(t, "spread", e.Spread, func(row []json.RawMessage) string { return Spread(float(t, row[0]), float(t, row[1])) })
	each(t, "estimate", e.Estimate, func(row []json.RawMessage) string {
		value, band := Estimate(float(t, row[0]), float(t, row[1]), float(t, row[2]))
		return value + ", " + band
	})
	each(t, "seen", e.Seen, func(row []json.RawMessage) string { return Seen(as[[]float64](t, row[0])) })
	each(t, "chosen", e.Chosen, func(row []json.RawMessage) string { return Chosen(as[string](t, row[0]), as[string](t, row[1])) })
	each(t, "tally", e.Tally, func(row []json.RawMessage) string { return Tally(as[map[study.State]int](t, row[0])) })
	cost := func(row []json.RawMessage) study.Cost {
		return study.Cost{Unit: as[string](t, row[0]), Source: as[study.Source](t, row[1])}
	}
	each(t, "account", e.Account, func(row []json.RawMessage) string { return Account(cost(row), as[study.Ledger](t, row[2]), nil) })
	each(t, "bare amount", e.Amount, func(row []json.RawMessage) string { return Bare(cost(row), float(t, row[2])) })
	each(t, "value", e.Value, func(row []json.RawMessage) string {
		if string(row[0]) == "null" {
			return Value(space.Value{})
		}
		return Value(as[space.Value](t, row[0]))
	})
	for _, row := range e.Amount {
		if got, want := Amount(cost(row), float(t, row[2])), as[string](t, row[3]); got != want {
			t.Errorf("amount %s: %q, want %q", row, got, want)
		}
	}
	for _, c := range e.Setting {
		var s study.Study
		for _, p := range c.Parameters {
			s.Parameters = append(s.Parameters, space.Param{Name: p.Name, Kind: p.Type})
		}
		if got := Setting(&s, c.Setting); got != c.Text {
			t.Errorf("setting %q, want %q", got, c.Text)
		}
	}
	for _, c := range e.Rest {
		s := &study.Study{Objective: study.Objective{Name: c.Objective}, Cost: c.Cost}
		r := c.Rest
		if got := Rest(s, &study.Rest{Left: r.Left, Reserved: r.Reserved, Best: r.Best, Outlook: study.Outlook{Worse: r.Worse, Median: r.Median, Better: r.Better, Gain: r.Gain}}); got != c.Text {
			t.Errorf("expected %q, want %q", got, c.Text)
		}
	}
	for _, c := range e.Expected {
		if got := Expected(&study.Study{Objective: study.Objective{Name: c.Objective}, Cost: c.Cost, Budget: study.Budget{PerTrial: c.PerTrial}}, study.Expected(c.Expected)); got != c.Text {
			t.Errorf("expected %q, want %q", got, c.Text)
		}
	}
	if len(e.Setting) == 0 || len(e.Rest) == 0 || len(e.Expected) == 0 || len(e.Course) == 0 || len(e.Shown) == 0 {
		t.Error("examples are missing")
	}
}

func TestCourse(t *testing.T) {
	e := readExamples(t)
	for k, c := range e.Course {
		steps := Course(c.Goal, &study.Record{Trials: c.Trials})
		if len(steps) != len(c.Steps) {
			t.Fatalf("course %d has %d steps, want %d", k, len(steps), len(c.Steps))
		}
		for i, want := range c.Steps {
			got := []any{float64(steps[i].Number), steps[i].Spent, any(steps[i].Best), string(steps[i].Mark)}
			if math.IsNaN(steps[i].Best) {
				got[2] = nil
			}
			for j := range want {
				if got[j] != want[j] {
					t.Errorf("course %d, step %d: %v, want %v", k, i, got, want)
				}
			}
		}
		if on := (&study.Record{Trials: c.Trials}).Spending(); on != c.On {
			t.Errorf("course %d: spent on %+v, want %+v", k, on, c.On)
		}
		parts := Parts(c.Ledger, &c.On)
		if len(parts) != len(c.Parts) {
			t.Fatalf("course %d: %v, want %v", k, parts, c.Parts)
		}
		spent := 0.0
		for _, p := range parts {
			if p.Kind != "reserved" && p.Kind != "left" {
				spent += p.Money
			}
		}
		if spent != c.Ledger.Spent {
			t.Errorf("course %d: the parts add up to %v, and %v was spent", k, spent, c.Ledger.Spent)
		}
		for i, want := range c.Parts {
			if p := parts[i]; p.Kind != want[0] || p.Name != want[1] || p.Money != want[2] {
				t.Errorf("course %d: %v, want %v", k, p, want)
			}
		}
	}
	for _, row := range e.Shown {
		best, worst := Shown(as[[]float64](t, row[1]), as[study.Goal](t, row[0]))
		if want := as[[]float64](t, row[2]); best != want[0] || worst != want[1] {
			t.Errorf("shown %s: %v to %v", row, best, worst)
		}
	}
	if len(e.Marks) != len(Marks) {
		t.Errorf("%d marks have words, want %d", len(e.Marks), len(Marks))
	}
	for _, m := range Marks {
		if m.String() != e.Marks[m] {
			t.Errorf("mark %q, want %q", m, e.Marks[m])
		}
	}
}

func TestSettingByHand(t *testing.T) {
	s := &study.Study{Parameters: []space.Param{
		{Name: "acid", Kind: space.KindFloat, Max: 5}, {Name: "heat", Kind: space.KindFloat, Min: 1000, Max: 1001},
		{Name: "lr", Kind: space.KindFloat, Min: 1e-6, Max: 1, Log: true}, {Name: "n", Kind: space.KindInt, Min: 1, Max: 1e6},
	}}
	got := SettingByHand(s, space.Setting{"acid": space.Float(0.832493011145297), "heat": space.Float(1000.123456789), "lr": space.Float(0.000123456789), "n": space.Int(123456)})
	if want := "acid=0.8325, heat=1000.1235, lr=0.0001235, n=123456"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestExactSetting(t *testing.T) {
	s := &study.Study{Parameters: []space.Param{{Name: "lr", Kind: space.KindFloat}, {Name: "k", Kind: space.KindFixed}}}
	if got, want := ExactSetting(s, space.Setting{"lr": space.Float(0.123456789), "k": space.Int(1)}), "lr=0.123456789, k=1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"\n first\tline \nsecond":       "first line",
		"\x1b[31mred\x1b[0m \x1b]0;t\a": "red",
		"\x1b]0;title\x1b\\after":       "after",
		"bell\a, \xff and \u202ebidi":   "bell, \ufffd and bidi",
		"\x1bc\x9b31mrest":              "c\ufffd31mrest",
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Whatever the number, nothing is said that is not one.
func FuzzNumber(f *testing.F) {
	for _, x := range []float64{0, 1, -1.5, 1e-300, math.MaxFloat64, math.Inf(1), math.NaN(), 0.99995, 9999999.6} {
		f.Add(x, 4)
	}
	f.Fuzz(func(t *testing.T, x float64, n int) {
		n = min(max(n, 1), 8)
		text := plain(x, n)
		got, err := strconv.ParseFloat(text, 64)
		switch {
		case text == Nothing && !finite(x), math.Abs(x) > 1e308: // which may be rounded to no number
		case err != nil:
			t.Errorf("%v is %q", x, text)
		case math.Abs(got-x) > 0.500001*math.Pow(10, 1-float64(n))*math.Abs(x):
			t.Errorf("%v is %q with %d digits", x, text, n)
		}
	})
}

func TestCommand(t *testing.T) {
	for want, argv := range map[string][]string{
		"python train.py --lr=0.1": {"python", "train.py", "--lr=0.1"}, `sh -c 'echo $HOME'`: {"sh", "-c", "echo $HOME"}, `'' 'it'\''s'`: {"", "it's"},
	} {
		if got := Command(argv); got != want {
			t.Errorf("%q: %s", argv, got)
		}
	}
}

// Where evaluations have noise, no observation is better than those before it, and the trials of the best setting are marked.
func TestObservations(t *testing.T) {
	trials := []study.Trial{
		{Number: 1, State: study.Done, Value: 3, Charged: 1}, {Number: 2, State: study.Done, Value: 1, Charged: 1},
		{Number: 3, State: study.Failed, Charged: 1}, {Number: 4, State: study.Done, Value: 2, Charged: 1}, {Number: 5, State: study.Done, Value: 0, Charged: 1, Beyond: true},
	}
	steps := Observations(study.Minimize, &study.Record{Trials: trials}, func(t study.Trial) bool { return t.Number == 1 || t.Number == 4 })
	for i, want := range []Mark{Leading, Observed, Failed, Leading, Beyond} {
		if s := steps[i]; s.Mark != want || s.Spent != float64(i+1) || !math.IsNaN(s.Best) || s.Mark.Improved() {
			t.Errorf("step %d: %+v, want %s", i, s, want)
		}
	}
	if len(Values(steps)) != 4 {
		t.Errorf("values %v", Values(steps))
	}
}

// The sentences are kept in logs, and compared with those of other studies: they do not change.
func TestReasons(t *testing.T) {
	look := Look{Looks: 1, Gain: 1.234, Correlation: 0.876, Fidelity: "epochs"}
	looks := Look{Looks: 3, Gain: 12.3, Correlation: 1, Fidelity: "epochs"}
	for want, reason := range map[string]fmt.Stringer{
		"the study says so":                                    Reason{},
		"the most improvement for the money":                   Reason{Kind: Improves},
		"the best possible gain for its price":                 Reason{Kind: WorthMost},
		"no trial that ei would choose is affordable any more": Reason{Kind: Unaffordable, Other: "ei"},
		"the most improvement for the money; a setting has two different results, so values are taken to have noise":                              Reason{Kind: Improves, Differ: true},
		"before the study ends with money left, solvent=dmf is tried up to 12 times, and this is try 4":                                           Reason{Kind: Rare, Other: "solvent=dmf", Try: 4, Most: 12},
		"a random setting, in full: the full evaluations are hardly better than the first of them, and than the best look at the lowest fidelity": Reason{Kind: FlatLooks},
		"before the study ends with money left, random settings are tried: the best value is hardly better than the first values":                 Reason{Kind: Plateau},
		"the most improvement for the money; expected to gain 0.0012 over the best":                                                               Reason{Kind: Improves, Gain: 0.00123},
		"one of the first trials, spread out to learn from":                                                                                       Reason{Kind: FirstSpread},
		"one of the first trials: the cheapest of some settings far from all that were tried":                                                     Reason{Kind: FirstCheap},
		"one of the first trials: of the settings looked at, that of trial 3 promises the most for its price":                                     Reason{Kind: FirstLooked, Trial: 3},
		"one of the first trials: of the settings looked at, this one promises the most for its price":                                            Reason{Kind: FirstLooked},
		"somebody wants it to be tried":                                            Reason{Kind: Wanted},
		"Ada's guess":                                                              Reason{Kind: Wanted, Note: "Ada's guess"},
		"Ada's guess; gittins-d has chosen the rest":                               Reason{Kind: Wanted, Note: "Ada's guess", Rest: "gittins-d"},
		"Ada's guess; the rest is what promises most within the budget":            Reason{Kind: Wanted, Note: "Ada's guess", Rest: "promise"},
		"Ada's guess; the initial design has chosen the rest":                      Reason{Kind: Wanted, Note: "Ada's guess", Rest: "design"},
		"the study file wants it to be tried":                                      Reason{Kind: InFile},
		"trial 3 was stopped, so its setting is tried again":                       Reason{Kind: Stopped, Trial: 3},
		"trial 3 was abandoned, so its setting is tried again: try 2 of at most 3": Reason{Kind: Lost, Trial: 3, Try: 2, Most: 3},
		"the study says so; with money for about 1 more trial, prices count less":  Reason{LastTries: 0.2},
		"the study says so; with money for about 4 more trials, prices count less": Reason{LastTries: 3.7},
		"the most improvement for the money; a look first, and then the full evaluation that it helps to choose, are worth 1.2 times as much as a full evaluation now (values at this fidelity and at the highest epochs have a correlation of 0.88)":                   Reason{Kind: Improves, Look: &look},
		"the most improvement for the money; 3 looks first, and then the full evaluation that they help to choose, are worth 12 times as much as a full evaluation now (values at this fidelity and at the highest epochs have a correlation of 1.00)":                  Reason{Kind: Improves, Look: &looks},
		"stopped early at epochs 9: it has a chance of <1% to beat the best value, and finishing it promises 0.12 times as much for the money as the best other setting":                                                                                                EarlyStop{Fidelity: "epochs", At: 9, Chance: 0.001, Worth: 0.123},
		"stopped early at epochs 9: it has a chance of <1% to beat the best value, and finishing it promises less than a thousandth as much for the money as the best other setting":                                                                                    EarlyStop{Fidelity: "epochs", At: 9, Chance: 0.001, Worth: 3e-49},
		"stopped early at epochs 9: it has a chance of 2% to beat the best value, and finishing it promises about as much for the money as the best other setting":                                                                                                      EarlyStop{Fidelity: "epochs", At: 9, Chance: 0.02, Worth: 1.02},
		"stopped early at epochs 9: it has a chance of 2% to extend the front, and finishing it promises about as much for the money as the best other setting":                                                                                                         EarlyStop{Fidelity: "epochs", At: 9, Front: true, Chance: 0.02, Worth: 1},
		"the most hypervolume of the front for the money; a look first, and then the full evaluation that it helps to choose, are worth 2 times as much as a full evaluation now (the correlations of this fidelity with the highest epochs: accuracy 0.90, size 1.00)": Reason{Kind: ExtendsMost, Look: &Look{Looks: 1, Gain: 2, Correlation: 0.9, Fidelity: "epochs", Of: []string{"accuracy", "size"}, Others: []float64{1}}},
		"the study says so; a look first, and then the full evaluation that it helps to choose, are worth about as much as a full evaluation now (values at this fidelity and at the highest epochs have a correlation of 0.88)":                                        Reason{Look: &Look{Looks: 1, Gain: 1.04, Correlation: 0.876, Fidelity: "epochs"}},
		"stopped early at epochs 3: its best value, 0.9, is worse than 0.25, the median of 3 other trials until there":                                                                                                                                                  EarlyStop{Fidelity: "epochs", At: 3, Best: 0.9, Median: 0.25, Others: 3},
		"it is too early to tell how well the earlier study predicts this one":                          Predicts{Untried: true, Values: true},
		"the earlier study explains 87% of the variance of the values so far":                           Predicts{Values: true, Costs: true, Explained: 0.879},
		"the earlier study predicts what the looks so far show":                                         Predicts{Values: true, Explained: math.NaN()},
		"the earlier study predicts the costs; its values are ignored, as they do not predict this one": Predicts{Costs: true},
		"the earlier study predicts the costs; whether it predicts the values, 4 trials cannot tell":    Predicts{Costs: true, Unclear: true, Results: 4},
		"1 trial cannot tell yet whether the earlier study predicts this one":                           Predicts{Unclear: true, Results: 1},
		"the earlier study's results count like this one's own: they predict the 5 trials so far":       Predicts{Values: true, Joined: true, Results: 5},
		"the earlier study is ignored: it does not predict the 9 trials so far":                         Predicts{Results: 9},
	} {
		if got := reason.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := Earlier("old", 8, 0, "who knows"), "old, with 8 results: who knows"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Earlier("old", 8, 296, "who knows"), "old, with 8 results and 296 looks: who knows"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What the money was spent on and what it still buys, in words. One is one.
func TestMoneyInWords(t *testing.T) {
	euros, l := study.Cost{Unit: "euros", Source: study.Reported}, study.Ledger{Total: 10, Spent: 6}
	plain, leveled := &study.Study{Cost: euros}, &study.Study{Cost: euros, Fidelity: &study.Fidelity{Name: "epochs", Min: 1, Max: 9}}
	quick, timed := &study.Record{Trials: []study.Trial{{Thinking: 570, Wall: 20}, {Thinking: 9, Wall: 3}}}, study.NewRecord(10, true)
	timed.Trials = quick.Trials
	for _, c := range [][2]string{
		{SpentOn(euros, l, study.Spending{Results: 6}), ""},
		{SpentOn(euros, l, study.Spending{Results: 3, Looks: 2, Lost: 1}), "3 euros on results, 2 euros on looks, 1 euro without a result"},
		{SpentOn(euros, l, study.Spending{Looks: 1}), "0 euros on results, 1 euro on looks"},
		{SpentOn(euros, l, study.Spending{Results: 6, Looks: 1e-12}), ""},
		{Buys(plain, 4, 2, math.Inf(1)), "about 2 trials of 2 euros each"},
		{Buys(plain, 3, 2, 2), "about 1 trial of 2 euros each"},
		{Buys(plain, 9, 2, 2), "2 trials of 2 euros each; no more may be started"},
		{Buys(plain, 9, 2, 0), "nothing more: no more trials may be started"},
		{Buys(leveled, 3, 1, math.Inf(1)), "about 3 full trials of 1 euro each"},
		{Buys(leveled, 1, 2, 1), "less than one more full trial"},
		{Are(euros, 1), "is"}, {Are(euros, 2), "are"}, {Are(study.Cost{Source: study.Walltime}, 1), "are"},
		{Overthought(timed), "96% of the time went into thinking, 9m39s for 23s of trials; where trials are this quick, policy: {name: random} may do"},
		{Overthought(quick), "96% of the time went into thinking, 9m39s for 23s of trials"}, {Overthought(&study.Record{Trials: []study.Trial{{Thinking: 59, Wall: 1}}}), ""},
		{Overthought(&study.Record{Trials: []study.Trial{{Thinking: 90, Wall: 100}}}), ""}, {Overthought(&study.Record{Trials: []study.Trial{{Thinking: 90}}}), ""},
		{Untried(leveled, nil, nil), ""},
		{Untried(&study.Study{Name: "gbt", Fidelity: leveled.Fidelity}, []string{"loss=huber"}, []string{"loss=huber"}), "loss=huber was never evaluated in full, and looks can mislead; to evaluate it: eke enqueue gbt loss=huber"},
		{Untried(&study.Study{Name: "gbt", Fidelity: leveled.Fidelity}, []string{"loss=soft l1", "tree=deep"}, []string{"grow=yes", "loss=soft l1"}), "loss=soft l1 and 1 other value were never evaluated in full, and looks can mislead; to evaluate it: eke enqueue gbt grow=yes 'loss=soft l1'"},
		{Untried(&study.Study{Name: "bond"}, []string{"glue=epoxy"}, []string{"glue=epoxy"}), "glue=epoxy was never tried; to try it: eke enqueue bond glue=epoxy"},
		{Untried(leveled, []string{"loss=huber"}, nil), "loss=huber was never evaluated in full, and looks can mislead"},
		{Hurts(leveled, study.Trial{Value: 0.149}, study.Step{Step: 3, Value: 0.143}), "it had a better value with fewer epochs: 0.143 at 3, 0.149 at 9; more epochs hurt, or it was luck"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

// Numbers of a list have as many digits as tell them apart.
func TestDigitsApart(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want int
	}{{nil, 4}, {[]float64{1, 2}, 4}, {[]float64{0.123456, 0.123456}, 4}, {[]float64{0.123456, 0.123457}, 6}, {[]float64{-0.0012341, -0.0012342, 7}, 5}, {[]float64{1, math.Nextafter(1, 2)}, 15}} {
		if got := DigitsApart(c.list); got != c.want {
			t.Errorf("%v: %d digits, want %d", c.list, got, c.want)
		}
	}
}

// With several objectives nothing is the best: a trial extends the front.
func TestNoBetter(t *testing.T) {
	several := &study.Study{Objectives: make([]study.Aim, 2)}
	for _, c := range [][2]string{
		{NoBetter(&study.Study{}, false), "no setting is likely enough to beat the best"},
		{NoBetter(&study.Study{}, true), "nothing can be better than the best value"},
		{NoBetter(several, false), "no setting is likely enough to extend the front"},
		{NoBetter(several, true), "nothing can extend the front"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

func TestMissing(t *testing.T) {
	for want, got := range map[string]string{
		"no parameter can vary":                                      Missing(false, true, 5, 0, 2),
		"no trial has returned a value yet":                          Missing(true, false, 0, 0, 2),
		"there is 1 trial to learn from, and 2 are needed":           Missing(true, true, 1, 0, 2),
		"there are 0 trials to learn from, and 2 are needed":         Missing(true, true, 0, 0, 2),
		"there is 1 full evaluation to learn from, and 2 are needed": Missing(true, true, 1, 9, 2),
		"12 trials":                     Learnt(12, 0),
		"1 full evaluation and 9 looks": Learnt(1, 9),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A trial that is stopped early may have gone on after the step by which that was decided.
func TestStoppedAt(t *testing.T) {
	reason := EarlyStop{Fidelity: "reps", At: 9, Chance: 0.001, Worth: 0.1}.String()
	for _, other := range []string{"", "no chance", "stopped early at reps", "stopped early at reps 95: no", "stopped early at epochs 9: no"} {
		if got := StoppedAt(other, "reps", 9, 30); got != other {
			t.Errorf("%q became %q", other, got)
		}
	}
	if got := StoppedAt(reason, "reps", 9, 9); got != reason {
		t.Error(got)
	}
	if got := StoppedAt(reason, "reps", 9, 30); !strings.HasPrefix(got, "stopped early at reps 30, by what it showed at 9: it has a chance of") {
		t.Error(got)
	}
}

// A result is far from its forecast if it is beyond the band of 99%, which is wider than that of 80% on each side by the same factor.
func TestFarOff(t *testing.T) {
	s := &study.Study{Objective: study.Objective{Name: "loss"}}
	forecast := `{"expected": {"value": 0.25, "value_low": 0.2, "value_high": 0.35}}`
	const far = "far from the forecast (80% between 0.2 and 0.35)"
	for _, c := range []struct {
		value float64
		why   string
		want  string
	}{
		{0.6, forecast, ""}, {0.61, forecast, far}, {0.08, forecast, ""}, {0.07, forecast, far}, {9, "", ""}, {9, `{"expected": {"value": 1, "value_low": 1, "value_high": 1}}`, ""},
		{9, strings.Replace(forecast, `"value":`, `"early": true, "value":`, 1), ""},
	} {
		if got := FarOff(s, study.Trial{State: study.Done, Value: c.value, Why: []byte(c.why)}); got != c.want {
			t.Errorf("%v after %q: %q, want %q", c.value, c.why, got, c.want)
		}
	}
	if got := FarOff(s, study.Trial{State: study.Failed, Why: []byte(forecast)}); got != "" {
		t.Errorf("a trial without a value: %q", got)
	}
	s.Objectives = []study.Aim{{Objective: study.Objective{Name: "loss"}}, {Objective: study.Objective{Name: "size"}}}
	both := study.Trial{State: study.Done, Value: 0.3, Metrics: study.Metrics{"size": 9}, Why: []byte(`{"expected": {"value": 0.25, "value_low": 0.2, "value_high": 0.35, "also": {"size": {"value": 5, "low": 4, "high": 6}}}}`)}
	if got, want := FarOff(s, both), "size far from the forecast (80% between 4 and 6)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// No trial is the best, or better than all before, if a result from elsewhere is as good.
func TestCourseAfterKnownResults(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }
	trial := func(number int, value float64) study.Trial {
		return study.Trial{Number: number, State: study.Done, Value: value, Charged: 1, Finished: at(number)}
	}
	r := &study.Record{
		Trials: []study.Trial{trial(1, 38), trial(2, 58), trial(3, 61), trial(4, 62), trial(5, 64)},
		Known: []study.Known{
			{Value: 47, Added: at(0)}, {Value: 60, Added: at(0)}, {Value: 99, Added: at(0), Forgotten: true}, {Value: 63, Added: at(4).Add(time.Second)}, {Value: 70, Added: at(9)},
		},
	}
	steps := Course(study.Maximize, r)
	var marks []Mark
	for _, s := range steps {
		marks = append(marks, s.Mark)
	}
	if want := []Mark{Done, Done, Better, Better, Better}; !slices.Equal(marks, want) { // 70 came after the last trial
		t.Errorf("marks %v, want %v", marks, want)
	}
	if want := []BestAt{{0, 60, true}, {3, 61, false}, {4, 62, false}, {5, 64, false}}; !slices.Equal(BestLine(steps), want) {
		t.Errorf("the line is %v, want %v", BestLine(steps), want)
	}
	if want := []float64{38, 58, 61, 62, 64, 60}; !slices.Equal(Values(steps), want) {
		t.Errorf("values %v, want %v", Values(steps), want)
	}
	r.Known[4].Value = 64 // of equal ones, the known result is the best
	if steps := Course(study.Maximize, r); steps[4].Mark != Better {
		t.Errorf("the last trial is %q beside a known result that is as good", steps[4].Mark)
	}
	r.Known = r.Known[:4]
	if steps := Course(study.Maximize, r); steps[4].Mark != Best {
		t.Errorf("the last trial is %q, want the best", steps[4].Mark)
	}
	r.Trials = r.Trials[:2]
	if steps := Course(study.Maximize, r); steps[1].Mark != Done || steps[1].Best != 60 {
		t.Errorf("%+v", steps[1])
	}
}

// What a result from elsewhere cost is said only if somebody told it.
func TestCostOfKnownResults(t *testing.T) {
	c := study.Cost{Unit: "euros", Source: study.Reported}
	for _, row := range []struct {
		t    study.Trial
		want string
	}{{study.Trial{}, " for 0 euros"}, {study.Trial{Charged: 2}, " for 2 euros"}, {study.Trial{Known: true, Charged: 9.3}, " for 9.3 euros"}, {study.Trial{Known: true}, ""}} {
		if got := For(c, row.t); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

// A line for the best begins where the first value counts.
func TestFirstCounting(t *testing.T) {
	trials := []study.Trial{
		{Number: 1, State: study.Failed, Charged: 1}, {Number: 2, State: study.Done, Charged: 2, Violates: []string{"memory"}},
		{Number: 3, State: study.Done, Charged: 4}, {Number: 4, State: study.Done, Charged: 8},
	}
	for n, want := range map[int]float64{2: 0, 3: 7, 4: 7} {
		r := &study.Record{Trials: trials[:n]}
		for _, steps := range [][]Step{Course(study.Minimize, r), Observations(study.Minimize, r, func(study.Trial) bool { return false })} {
			if got := FirstCounting(steps); got != want {
				t.Errorf("of %d trials: %v, want %v", n, got, want)
			}
		}
	}
}
