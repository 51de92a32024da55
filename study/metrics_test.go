package study

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/fault"
)

// Limits are written in two ways, and a template writes them back as they are.
func TestLimitsInAFile(t *testing.T) {
	s, err := Parse(read(t, "testdata/good/metrics.yaml")["testdata/good/metrics.yaml"], "metrics.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"latency_ms", "memory", "pressure", "weight", "yield"}; !slices.Equal(s.Limits.Names(), want) {
		t.Errorf("limits on %q, want %q", s.Limits.Names(), want)
	}
	if b := s.Limits["weight"]; b.Max == nil || *b.Max != 3 || b.Unit != "kg" || b.Min != nil {
		t.Errorf("weight is limited by %s", b)
	}
	again, err := Parse([]byte(Template(*s)), "template")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(s.Limits)
	if got, _ := json.Marshal(again.Limits); string(got) != string(want) {
		t.Errorf("a template has the limits %s, want %s", got, want)
	}
	if limits, err := LimitsOf(must(json.Marshal(s))); err != nil || len(limits) != 5 {
		t.Errorf("the definition has %d limits: %v", len(limits), err)
	}
}

func must(raw []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return raw
}

// What does not meet the limits, or is not known to, does not count; and what was measured is judged anew when they change.
func TestJudge(t *testing.T) {
	r := NewRecord(100, false)
	r.Judge(Limits{"memory": Max(8)})
	finish := func(number int, value float64, m Metrics) {
		t.Helper()
		for _, e := range []Event{
			{Seq: r.Version + 1, Kind: EventAsked, Trial: number, Asked: &Asked{Reserved: 1}},
			{Seq: r.Version + 2, Kind: EventFinished, Trial: number, Finished: &Finished{State: Done, Value: value, Charged: 1, Metrics: m}},
		} {
			if err := r.Apply(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	finish(1, 3, Metrics{"memory": 9})
	finish(2, 2, nil)
	if best, ok := r.Best(Maximize); ok {
		t.Errorf("trial %d is the best, which does not meet the limit", best.Number)
	}
	finish(3, 1, Metrics{"memory": 8})
	best := func() int {
		best, _ := r.Best(Maximize)
		return best.Number
	}
	if best() != 3 || !slices.Equal(r.Trials[1].Violates, []string{"memory"}) {
		t.Errorf("the best is trial %d, and trial 2 violates %q", best(), r.Trials[1].Violates)
	}
	define := func(s Study) {
		t.Helper()
		if err := r.Apply(Event{Seq: r.Version + 1, Kind: EventDefined, Definition: must(json.Marshal(s))}); err != nil {
			t.Fatal(err)
		}
	}
	if define(Study{Limits: Limits{"memory": Max(9)}}); best() != 1 {
		t.Errorf("with a higher limit the best is trial %d", best())
	}
	if define(Study{Limits: Limits{"memory": Max(7)}}); best() != 0 {
		t.Errorf("with a lower limit the best is trial %d", best())
	}
	if define(Study{}); best() != 1 {
		t.Errorf("without a limit the best is trial %d", best())
	}
	define(Study{Limits: Limits{"memory": Max(8)}})
	if err := r.Apply(Event{Seq: r.Version + 1, Kind: EventCorrected, Trial: 2, Corrected: &Corrected{State: Done, Value: 2, Charged: 1, Metrics: Metrics{"memory": 5}}}); err != nil {
		t.Fatal(err)
	}
	if best() != 2 {
		t.Errorf("once its memory is known, trial 2 is the best, not %d", best())
	}
}

// What cannot be kept is refused, and nothing is booked.
func TestBadMetrics(t *testing.T) {
	for name, m := range map[string]Metrics{"infinite": {"memory": math.Inf(1)}, "no name": {"": 1}, "cost": {"cost": 1}, "two lines": {"a\nb": 1}} {
		r := NewRecord(100, false)
		if err := r.Apply(Event{Seq: 1, Kind: EventAsked, Trial: 1, Asked: &Asked{Reserved: 1}}); err != nil {
			t.Fatal(err)
		}
		if err := r.Apply(Event{Seq: 2, Kind: EventFinished, Trial: 1, Finished: &Finished{State: Done, Charged: 1, Metrics: m}}); err == nil || r.Ledger.Spent != 0 {
			t.Errorf("%s: %v, %v spent", name, err, r.Ledger.Spent)
		}
	}
}

// Signs of failure: an exit code, that of a signal among them, or a text.
func TestExceeded(t *testing.T) {
	l := Limits{"memory": {Max: new(float64), ExceededBy: &ExceededBy{Stderr: "Out Of Memory", Exit: []int{137, 3, 152, 153}}}, "latency": Max(1)}
	for _, c := range []struct {
		exit *Exit
		note string
		want bool
	}{
		{&Exit{Code: 3}, "", true}, {&Exit{Code: -1, Signal: "SIGKILL"}, "", true}, {&Exit{Code: -1, Signal: "SIGXCPU"}, "", true}, {&Exit{Code: -1, Signal: "SIGXFSZ"}, "", true}, {&Exit{Code: -1, Signal: "SIGSEGV"}, "", false}, {&Exit{Code: 1}, "", false}, {nil, "", false},
		{&Exit{Code: 1}, "exit code 1\nstderr ends:\n    CUDA out of memory", true},
	} {
		if got := l.Exceeded(c.exit, c.note); (len(got) == 1) != c.want {
			t.Errorf("%v %q: %q", c.exit, c.note, got)
		}
	}
}

// What a study file may not have, the limits of a program may not have either.
func TestCheckLimits(t *testing.T) {
	by := func(e ExceededBy) Limits { return Limits{"memory": {Max: new(float64), ExceededBy: &e}} }
	many := func(n int) Limits {
		l := Limits{}
		for i := range n {
			l[fmt.Sprint("m", i)] = Max(1)
		}
		return l
	}
	for _, good := range []Limits{nil, by(ExceededBy{Stderr: "out of memory"}), by(ExceededBy{Exit: []int{1, 255}}), by(ExceededBy{Stderr: "a", Exit: []int{137}}), many(maxLimits)} {
		if err := (&Study{Limits: good}).CheckLimits(); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
	for says, bad := range map[string]Limits{
		"exceeded_by has neither stderr nor exit": by(ExceededBy{}),
		"limits.memory.exceeded_by.stderr":        by(ExceededBy{Stderr: " "}),
		"stderr is \"a\\nb\"":                     by(ExceededBy{Stderr: "a\nb"}),
		"exit is 0":                               by(ExceededBy{Exit: []int{0}}),
		"exit is -9":                              by(ExceededBy{Exit: []int{137, -9}}),
		"exit is 256":                             by(ExceededBy{Exit: []int{256}}),
		"there are 11 limits":                     many(maxLimits + 1),
	} {
		if err := (&Study{Limits: bad}).CheckLimits(); err == nil || !strings.Contains(err.Error(), says) || fault.CodeOf(err) != fault.BadStudy {
			t.Errorf("%v: %v, want %q", bad, err, says)
		}
	}
}

// In JSON a limit has the same two forms as in a study file.
func TestLimitsInJSON(t *testing.T) {
	limits, err := LimitsOf([]byte(`{"limits": {"memory": "<= 8 GB", "yield": {"min": 0.9}}}`))
	if err != nil || *limits["memory"].Max != 8 || limits["memory"].Unit != "GB" || *limits["yield"].Min != 0.9 {
		t.Errorf("%v, %v", limits, err)
	}
	for _, unit := range []string{"%", "µm", "°C", "€", "/s", "kWh/m²"} {
		if limits, err := LimitsOf([]byte(`{"limits": {"memory": "< 3.7 ` + unit + `"}}`)); err != nil || limits["memory"].Unit != unit {
			t.Errorf("%v, %v", limits, err)
		}
	}
	for _, bad := range []string{`"== 8"`, `"low"`, `"< 3,7"`, `"< 3 000"`, `"< 3 < 4"`, `"<= 1'000"`, `8`, `[1]`, `">= 3 and >= 5"`, `">= 5 and <= 3"`, `"> 3 and < 3"`,
		`">= 3 and <= 3"`, `">= 3 GB and <= 5 MB"`, `">= 1 and <= 3 and <= 5"`, `">= 3 and low"`, `"> 1.7976931348623157e308"`} {
		if _, err := LimitsOf([]byte(`{"limits": {"memory": ` + bad + `}}`)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

// Two comparisons are a range. What else follows a number is a unit only if it holds no further limit; but old definitions may have such units.
func TestRangesInText(t *testing.T) {
	for text, want := range map[string]string{
		">= 3 and <= 5": "{max: 5, min: 3}", "<= 5 GB AND >= 3": "{max: 5, min: 3, unit: GB}", "≥ 3 GB  and ≤ 5 GB": "{max: 5, min: 3, unit: GB}",
	} {
		if limits, err := LimitsOf([]byte(`{"limits": {"memory": "` + text + `"}}`)); err != nil || limits["memory"].String() != want {
			t.Errorf("%s: %v, %v; want %s", text, limits, err, want)
		}
	}
	for _, bad := range []string{"< 5 or > 9", ">= 3, <= 5", ">= 3 && <= 5", "<= 3 or so", ">= 3 and 5"} {
		if _, err := LimitsOf([]byte(`{"limits": {"memory": "` + bad + `"}}`)); fault.HintOf(err) != rangeHint {
			t.Errorf("%s: %v (%s)", bad, err, fault.HintOf(err))
		}
	}
	old, err := LimitsOf([]byte(`{"limits": {"memory": {"min": 3, "unit": "and <= 5"}}}`))
	if err != nil || old["memory"].Unit != "and <= 5" || (&Study{Limits: old}).CheckLimits() != nil {
		t.Errorf("%v, %v", old, err)
	}
}

// A limit that is to be stayed below is not met by itself.
func TestStrictLimits(t *testing.T) {
	for text, c := range map[string]struct{ in, out float64 }{
		"< 1": {0.9999, 1}, "> 3": {3.0001, 3}, "< 0": {-1e-300, 0}, "> 0": {1e-300, 0}, "<= 1": {1, 1.0001}, "> -2 and < 7": {6.999, 7}, "< 7 and > -2": {-1.999, -2},
	} {
		limits, err := LimitsOf([]byte(`{"limits": {"errors": "` + text + `"}}`))
		if b := limits["errors"]; err != nil || !b.Meets(c.in) || b.Meets(c.out) {
			t.Errorf("%s: %v, %v", text, b, err)
		}
		if again, err := LimitsOf(must(json.Marshal(Study{Limits: limits}))); err != nil || again["errors"].String() != limits["errors"].String() {
			t.Errorf("%s: %v, %v", text, again, err)
		}
	}
}

// A metric is probably meant to be another where the names differ by case or a single slip, the other is needed, and nobody has given it.
func TestMisnamed(t *testing.T) {
	s := &Study{Limits: Limits{"pH": Max(4), "p99": Max(1), "memory": Max(8)}, Objectives: []Aim{{Objective: Objective{Name: "accuracy"}}, {Objective: Objective{Name: "latency_ms"}}}}
	for _, c := range []struct {
		given, known Metrics
		meant        string
	}{
		{Metrics{"ph": 1}, nil, "pH"}, {Metrics{"ph": 1, "pH": 2}, nil, ""}, {Metrics{"ph": 1}, Metrics{"pH": 2}, ""},
		{Metrics{"p95": 1}, nil, ""}, {Metrics{"P99": 1}, nil, "p99"}, {Metrics{"p9": 1}, nil, ""},
		{Metrics{"memroy": 1}, nil, "memory"}, {Metrics{"memory2": 1}, nil, ""}, {Metrics{"latency-ms": 1}, nil, "latency_ms"},
		{Metrics{"Accuracy": 1}, nil, ""}, // the value is told by itself
	} {
		if _, meant := s.misnamed(c.given, c.known); meant != c.meant {
			t.Errorf("%v beside %v: %q, want %q", c.given, c.known, meant, c.meant)
		}
		if err := s.Misnamed(c.given, c.known); (err != nil) != (c.meant != "") {
			t.Errorf("%v beside %v: %v", c.given, c.known, err)
		}
	}
	f := Finished{State: Done, Value: 1, Metrics: Metrics{"latency_ms": 1, "ph": 3}}
	if got := s.Whole(f); got.State != Done || got.Note != "it reported ph, and no pH; was pH meant?" || got.Metrics["ph"] != 3 {
		t.Errorf("%+v", got)
	}
}
