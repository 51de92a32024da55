package study

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eke-bo/eke/space"
)

func TestTemplateOfNothing(t *testing.T) {
	text := Template(Study{})
	s, err := Parse([]byte(text), "study.yaml")
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	want := Study{}.withExamples()
	if diff := cmp.Diff(&want, s, valueEqual); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(text, "log-ei-puc with noise, fidelity, several objectives") {
		t.Errorf("it does not say what auto is:\n%s", text)
	}
	if !strings.Contains(text, "# ") || len(s.Command) == 0 || len(s.Parameters) < 3 {
		t.Errorf("a poor example:\n%s", text)
	}
	for i, line := range strings.Split(text, "\n") {
		if len(line) > 120 || strings.HasSuffix(line, " ") {
			t.Errorf("line %d is too long, or ends in a space: %q", i+1, line)
		}
	}
	for _, option := range []string{"# noise: true", "  # per_trial:", "  # deadline:", "# workdir:", "# env:", "# stop: never"} {
		text = strings.Replace(text, option, strings.Replace(option, "# ", "", 1), 1)
	}
	if s, err := Parse([]byte(text), "study.yaml"); err != nil || !s.Noisy || !s.Stop.Never || s.Env == nil || s.Budget.PerTrial != 360 {
		t.Errorf("what is commented out is wrong: %v in\n%s", err, text)
	}
}

func TestTemplateReported(t *testing.T) {
	s, err := Parse([]byte(Template(Study{Cost: Cost{Source: Reported}, Budget: Budget{PerTrial: 500}})), "study.yaml")
	if err != nil || s.Cost.Unit != "units" || s.Budget.Total != 500 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestCommandFor(t *testing.T) {
	params := exampleParameters()
	s, err := Parse([]byte(Template(Study{Parameters: params, Command: CommandFor([]string{"./a b"}, params)})), "study.yaml")
	if err != nil || s.Command[0] != "./a b" || s.Command[4] != "--momentum={momentum}" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestTemplateParses: whatever a study says, its template says the same.
func TestTemplateParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStudy(t)
		text := Template(s)
		got, err := Parse([]byte(text), "study.yaml")
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(&s, got, valueEqual); diff != "" {
			t.Fatalf("(-want +got):\n%s\nin\n%s", diff, text)
		}
	})
}

// bound draws a number in a range, or none.
func bound(t *rapid.T, low, high float64) *float64 {
	if rapid.Bool().Draw(t, "bounded") {
		x := rapid.Float64Range(low, high).Draw(t, "bound")
		return &x
	}
	return nil
}

// anyStudy draws a valid study.
func anyStudy(t *rapid.T) Study {
	line := rapid.StringMatching(`[!-~éµ→{}#:,\[\]&*"'\\ ]{0,12}[a-zA-Z0-9#:%@"'-]`)
	argument := rapid.Map(line, escaped)
	name := rapid.StringMatching(`[A-Za-z0-9_][A-Za-z0-9_.-]{0,8}`)
	s := Study{
		Name:      name.Draw(t, "name"),
		Objective: Objective{Name: line.Filter(func(s string) bool { return s != "cost" }).Draw(t, "objective"), Goal: rapid.SampledFrom([]Goal{Minimize, Maximize}).Draw(t, "goal"), Min: bound(t, -2, -1), Max: bound(t, 0, 1)},
		Cost:      Cost{Unit: "seconds", Source: Walltime},
		Parallel:  rapid.IntRange(1, maxParallel).Draw(t, "parallel"),
		Seed:      rapid.Uint64Range(0, maxSeed).Draw(t, "seed"),
		Noisy:     rapid.Bool().Draw(t, "noise"),
		Policy:    Policy{Name: rapid.SampledFrom(PolicyNames()).Draw(t, "policy"), Preset: rapid.SampledFrom([]Preset{PresetDefault, PresetThorough, PresetPaper}).Draw(t, "preset"), Design: rapid.IntRange(0, 20).Draw(t, "design")},
	}
	switch rapid.IntRange(0, 2).Draw(t, "stop") {
	case 1:
		s.Stop.Never = true
	case 2:
		s.Stop.Gain = rapid.Float64Range(math.SmallestNonzeroFloat64, math.MaxFloat64).Draw(t, "gain")
	}
	if s.Policy.Name == "bmsei" {
		s.Policy.Fantasies = rapid.SliceOfN(rapid.IntRange(1, 4), 1, 5).Draw(t, "fantasies")
	}
	if rapid.Bool().Draw(t, "reported") {
		s.Cost = Cost{Unit: line.Draw(t, "unit"), Source: Reported}
	}
	s.Budget.Total = rapid.Float64Range(1e-9, MaxAmount).Draw(t, "total")
	if rapid.Bool().Draw(t, "limited") {
		s.Budget.PerTrial = s.Budget.Total * rapid.Float64Range(0.01, 1).Draw(t, "part")
	}
	s.Budget.Timeout = time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "timeout"))
	s.Budget.Deadline = time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "deadline"))
	for i := range rapid.IntRange(1, 5).Draw(t, "parameters") {
		s.Parameters = append(s.Parameters, anyParam(t, i, s.Parameters))
	}
	s.Parameters = append(s.Parameters, space.Param{Name: "z", Kind: space.KindFloat, Max: 10, Step: rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "z.step")}) // something varies
	s.Where = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"z > 0.5", "z < 9.5 or z == 10", "not z == 3"}), 0, 2, rapid.ID[string]).Draw(t, "where")
	if len(s.Where) == 0 {
		s.Where = nil
	}
	s.Notify = rapid.SampledFrom([]*Notify{nil, {Command: []string{"sh", "-c", "echo \"a: {b}\" > c"}}, {URL: "https://example.org/a?b=c#d", On: []Notice{NoticeEnd, NoticeBest}}}).Draw(t, "notify")
	s.Budget.Trials = rapid.IntRange(0, 1000).Draw(t, "trials")
	s.Budget.Limit = rapid.SampledFrom([]Limit{LimitForecast, LimitNone}).Draw(t, "limit")
	s.Budget.Over = rapid.SampledFrom([]Over{OverKeep, OverCut}).Draw(t, "over")
	if rapid.Bool().Draw(t, "has command") {
		s.Command = append([]string{argument.Draw(t, "program")}, rapid.SliceOfN(argument, 0, 3).Draw(t, "arguments")...)
		s.Command = append(s.Command, flags(s.Parameters)...)
	}
	if rapid.Bool().Draw(t, "has env") {
		s.Env = rapid.MapOfN(rapid.StringMatching(`[A-DF-Za-z_]\w{0,5}`), rapid.OneOf(argument, rapid.Just(""), rapid.Just("a\nb\tc")), 1, 3).Draw(t, "env")
		s.Workdir = line.Draw(t, "workdir")
	}
	switch rapid.IntRange(0, 3).Draw(t, "slots") {
	case 1:
		s.Slots = rapid.SliceOfN(rapid.SampledFrom([]Slot{{}, {Env: map[string]string{"GPU": "0"}}, {Env: map[string]string{"A": "a: {{b}}, # c", "B": "", "C": "a\nb"}}}), 1, 4).Draw(t, "slot")
		s.Parallel = rapid.IntRange(1, len(s.Slots)).Draw(t, "at once")
	case 2:
		s.GPUs, s.Parallel = GPUsAuto, rapid.IntRange(0, 2).Draw(t, "at once")
	}
	return s
}

func escaped(s string) string { return strings.NewReplacer("{", "{{", "}", "}}").Replace(s) }

func anyParam(t *rapid.T, i int, before []space.Param) space.Param {
	name := rapid.SampledFrom([]string{"lr", "true", "5", "-", ".", "null", "1e3", "0x1", "a.b-c", "y", "---", "..."}).Draw(t, "name")
	p := space.Param{Name: fmt.Sprintf("%s%d", name, i), Kind: rapid.SampledFrom([]space.Kind{
		space.KindFloat, space.KindInt, space.KindChoice, space.KindOrdered, space.KindBool, space.KindFixed}).Draw(t, "kind")}
	if i == 0 {
		p.Name = name
	}
	value := rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"", " ", "a", "true", "no", "1", "1.0", "~", "null", ".inf", "0x10", "é", "a\nb", "\t", "#", "a: b", "- a", "\"", "'", "\\", "{", "[", "1_0", "08", "\u2028", "\ufeff", "\x7f", "\u0085", "😀"}), space.String),
		rapid.Map(rapid.Int64(), space.Int),
		rapid.Map(rapid.Float64().Filter(func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }), space.Float),
		rapid.Map(rapid.Bool(), space.Bool),
	)
	switch p.Kind {
	case space.KindFloat:
		p.Min = rapid.Float64Range(1e-9, 1e9).Draw(t, "min")
		p.Max = p.Min * rapid.Float64Range(1.5, 1e9).Draw(t, "ratio")
		p.Log = rapid.Bool().Draw(t, "log")
	case space.KindInt:
		p.Step = float64(rapid.IntRange(0, 3).Draw(t, "step"))
		p.Min = float64(rapid.IntRange(-100, 100).Draw(t, "min"))
		p.Max = p.Min + max(p.Step, 1)*float64(rapid.IntRange(0, 1e6).Draw(t, "steps"))
		p.Log = p.Min > 0 && rapid.Bool().Draw(t, "log")
	case space.KindChoice, space.KindOrdered:
		p.Values = rapid.SliceOfNDistinct(value, 1, 4, space.Value.String).Draw(t, "values")
	case space.KindFixed:
		p.Value = value.Draw(t, "value")
	}
	for _, q := range before {
		if len(q.Values) > 0 && len(p.When) == 0 && rapid.Bool().Draw(t, "when") {
			p.When = []space.Condition{{Param: q.Name, Values: q.Values[:rapid.IntRange(1, len(q.Values)).Draw(t, "of")]}}
		}
	}
	return p
}
