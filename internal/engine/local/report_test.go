package local

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func TestReport(t *testing.T) {
	reported := wanted{objective: "loss", cost: true}
	for _, tc := range []struct {
		text        string
		value, cost float64
	}{
		{`{"objective": 0.12, "cost": 3.4}`, 0.12, 3.4},
		{`{"value": -1e3, "cost": 1}`, -1000, 1},
		{`{"loss": 5, "cost": "2.5"}`, 5, 2.5},
		{`{"value": 1, "loss": 2, "objective": 3, "cost": 1}`, 3, 1},
		{`{"value": 1, "loss": 2, "cost": 1}`, 2, 1},
		{`{"objective": " 1e-3 ", "cost": 1, "curve": [1, {"a": 2}], "name": "x"}`, 1e-3, 1},
		{`{"objective": 1, "cost": 1, "extra": NaN, "text": "a \"NaN\" b", "more": [-Infinity, 1]}`, 1, 1},
		{"\ufeff{\"objective\": 1,\r\n \"cost\": 2}\r\n", 1, 2},
	} {
		f, err := parseObject([]byte(tc.text))
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		r := reported.read(f, engine.ResultFile)
		if want := (report{value: tc.value, cost: tc.cost, hasValue: true, hasCost: true}); r.value != want.value || r.cost != want.cost || !r.hasValue || !r.hasCost || r.problem != "" || r.lost {
			t.Errorf("%s: %+v, want %+v", tc.text, r, want)
		}
	}
}

// Any other number is a metric, in lines as in JSON: a limit may be set on it later.
func TestMetricsInLines(t *testing.T) {
	printed := "epoch=1\nloss=5\nratio = 2.5\ntime = 3 s\nloss=4\ncost=1\nx=7\nepoch=2\n"
	w := wanted{objective: "loss", cost: true, setting: space.Setting{"x": space.Float(7)}}
	r := w.readLines(tail{data: []byte(printed), size: int64(len(printed)), whole: true})
	if want := (study.Metrics{"epoch": 2, "ratio": 2.5}); r.value != 4 || r.cost != 1 || r.problem != "" || !maps.Equal(r.metrics, want) {
		t.Errorf("%+v, want %v", r, want)
	}
}

// What does not do as a result is kept as data: the value, too, if something else is missing.
func TestReportIsData(t *testing.T) {
	for text, want := range map[string]study.Metrics{
		`{"loss": NaN, "cost": 1, "size": 7}`:        {"size": 7},
		`{"size": 7, "heat": Infinity}`:              {"size": 7},
		`{"loss": 3, "size": 7}`:                     {"loss": 3, "size": 7}, // without its cost
		`{"objective": 3, "cost": 0, "heat": "hot"}`: {"loss": 3},
		`{}`: nil,
	} {
		w := wanted{objective: "loss", cost: true, quantities: []string{"size"}}
		f, err := parseObject([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if out := w.outcome(w.read(f, "it")); out.State != study.Failed || !maps.Equal(out.Metrics, want) {
			t.Errorf("%s: %+v, want the metrics %v", text, out, want)
		}
	}
	w, most := wanted{objective: "loss"}, study.Metrics{}
	for i := range study.MaxMetrics {
		most[strconv.Itoa(i)] = 1
	}
	if got := w.data(report{value: 3, hasValue: true, metrics: most}); len(got) != study.MaxMetrics {
		t.Errorf("%d metrics", len(got))
	}
}

func TestReportTrouble(t *testing.T) {
	pair := wanted{objective: "accuracy", quantities: []string{"latency_ms"}, several: true, cost: true}
	for _, tc := range []struct {
		text string
		want wanted
		says []string
	}{
		{`{"objective": NaN, "cost": 1}`, wanted{cost: true}, []string{"objective NaN", "not a number (NaN)"}},
		{`{"objective": "nan", "cost": 1}`, wanted{cost: true}, []string{"NaN", "exit with a code"}},
		{`{"objective": -Infinity}`, wanted{}, []string{"-Infinity", "not finite"}},
		{`{"objective": 1e999}`, wanted{}, []string{"1e999", "not finite"}},
		{`{"objective": null}`, wanted{}, []string{"objective null", "not a number"}},
		{`{"objective": [1]}`, wanted{}, []string{"objective [1]", "not a number"}},
		{`{"objective": "0,5"}`, wanted{}, []string{"0,5", "not a number"}},
		{`{"objective": 1}`, wanted{cost: true}, []string{"no cost", `"cost": …`, "cost.source: walltime"}},
		{`{"objective": 1, "cost": 0}`, wanted{cost: true}, []string{"cost 0", "above 0"}},
		{`{"objective": 1, "cost": -2}`, wanted{cost: true}, []string{"cost -2", "above 0"}},
		{`{"objective": 1, "cost": NaN}`, wanted{cost: true}, []string{"cost NaN"}},
		{`{"objective": 1, "cost": "dear"}`, wanted{cost: true}, []string{"cost dear", "not a number"}},
		{`{"loss": 1, "time": 2}`, wanted{cost: true}, []string{"has keys loss, time", "eke looks for objective or value, and cost",
			`print {"objective": …, "cost": …}`, "or set objective.name: loss"}},
		{`{"los": 1}`, wanted{objective: "loss"}, []string{"has key los;", "objective, loss or value;", "objective.name: los"}},
		{`{"model": "x", "cost": 1}`, wanted{cost: true}, []string{`print {"objective"`}},
		{`{}`, wanted{}, []string{"is empty"}},
		{`{}`, pair, []string{"is empty", `print {"accuracy": …, "latency_ms": …, "cost": …}`}},
		{`{"accuracy": 1, "latency_ms": 4}`, pair, []string{`report {"accuracy": …, "latency_ms": …, "cost": …}, or set`}},
		{`{"acc": 1, "cost": 3}`, pair, []string{"has keys acc, cost", `print {"accuracy": …, "latency_ms": …, "cost": …}`}},
	} {
		f, err := parseObject([]byte(tc.text))
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		r := tc.want.read(f, engine.ResultFile)
		if r.problem == "" {
			t.Errorf("%s: no problem", tc.text)
		}
		says(t, r.problem, append(tc.says, engine.ResultFile)...)
		if tc.want.several && strings.Contains(r.problem, "objective.name") {
			t.Errorf("%s: there is no objective.name to be set: %s", tc.text, r.problem)
		}
	}
}

// A cost is kept where the objective is bad, for it was spent all the same.
func TestReportKeepsCost(t *testing.T) {
	r := wanted{cost: true}.read(fields{"objective": "nan", "cost": "3"}, engine.ResultFile)
	if !r.hasCost || r.cost != 3 || r.hasValue || r.problem == "" {
		t.Errorf("%+v", r)
	}
}

func TestParseObjectRefuses(t *testing.T) {
	for _, text := range []string{"", "null", "NaN", "[1]", "3", `"x"`, `{"objective": 1`, `{"objective": 1} x`, `{objective: 1}`, "{\"a\": \xff", `{"a": NaNa}`} {
		if f, err := parseObject([]byte(text)); err == nil {
			t.Errorf("%q: %v", text, f)
		}
	}
}

// A note stays a note, however much was found.
func TestNoteIsShort(t *testing.T) {
	f := fields{}
	for i := range 1000 {
		f[fmt.Sprintf("%d\x1b[31m%s", i, strings.Repeat("k", 1000))] = strings.Repeat("v", 1000)
	}
	r := wanted{cost: true}.read(f, engine.ResultFile)
	if len(r.problem) > 1200 || strings.Contains(r.problem, "\x1b") {
		t.Errorf("%d bytes: %q", len(r.problem), r.problem)
	}
	says(t, r.problem, "(1000 in all)")
}

func checkReport(t *testing.T, r report) {
	t.Helper()
	if math.IsNaN(r.value) || math.IsInf(r.value, 0) || math.IsNaN(r.cost) || math.IsInf(r.cost, 0) || r.hasCost && r.cost <= 0 {
		t.Errorf("%+v", r)
	}
	if r.problem == "" && !r.hasValue || !r.hasValue && r.value != 0 || !r.hasCost && r.cost != 0 {
		t.Errorf("%+v", r)
	}
	if len(r.problem) > 4096 || strings.ContainsAny(r.problem, "\x1b\x00\n") {
		t.Errorf("problem %q", r.problem)
	}
}

func FuzzResultFile(f *testing.F) {
	f.Add([]byte(`{"objective": 0.12, "cost": 3.4}`), "loss", true)
	f.Add([]byte(`{"loss": NaN, "cost": "1e999", "\u001b": [-Infinity]}`), "loss", true)
	f.Add([]byte(`{"objective": "`), "", false)
	f.Fuzz(func(t *testing.T, data []byte, objective string, cost bool) {
		found, err := parseObject(data)
		if err != nil {
			return
		}
		w := wanted{objective: objective, cost: cost}
		r := w.read(found, engine.ResultFile)
		checkReport(t, r)
		if cost && r.problem == "" && !r.hasCost {
			t.Errorf("%+v", r)
		}
	})
}
