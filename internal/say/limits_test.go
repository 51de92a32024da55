package say

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/eke-bo/eke/study"
)

// What a trial said last tells more than its exit code.
func TestTrouble(t *testing.T) {
	for note, want := range map[string]string{
		"": "", "exit code 1": "exit code 1", "exit code 1\nit reported no cost": "exit code 1",
		"exit code 1\nstderr ends:\n    Traceback\n    CUDA out of memory":                      "CUDA out of memory (exit code 1)",
		"exit code 1\nstderr ends:\n    the glaze ran\nit reported no cost and is charged 0.01": "the glaze ran (exit code 1)",
		"exit code 1\nstdout ends:\n    no\n      ":                                             "no (exit code 1)",
		"stderr ends:\n    a": "stderr ends:",
	} {
		if got := Trouble(note); got != want {
			t.Errorf("%q: %q, want %q", note, got, want)
		}
	}
}

// A limit that must not be reached says so.
func TestStrictLimitWords(t *testing.T) {
	for text, want := range map[string]string{
		"< 1 GB": "x below 1 GB", "> 0": "x above 0", "< 0": "x below 0", "> 0.1 and < 0.5": "x above 0.1 and below 0.5", ">= 3 and < 5": "x at least 3 and below 5", "> 3 and <= 5": "x above 3 and at most 5",
		">= 3 and <= 5": "x from 3 to 5", "<= 0.3": "x at most 0.3", ">= 0.30000000000000004": "x above 0.3",
	} {
		limits, err := study.LimitsOf([]byte(`{"limits": {"x": "` + text + `"}}`))
		if got := Limits(&study.Study{Limits: limits}); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
}

// Limits in words, and what is beyond them.
func TestLimitWords(t *testing.T) {
	s := &study.Study{Limits: study.Limits{"memory": study.Max(8), "yield": study.Min(0.9)}}
	b := s.Limits["memory"]
	b.Unit = "GB"
	s.Limits["memory"] = b
	if got, want := Limits(s), "memory at most 8 GB, yield at least 0.9"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m := study.Metrics{"epochs": 12, "memory": 9.5}
	if got, want := Metrics(s, m), "memory=9.5 GB, epochs=12"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := NotCounted(study.Trial{Metrics: m, Violates: []string{"memory", "yield"}}), "memory 9.5 is beyond its limit, no yield was reported: does not count"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r := study.NewRecord(10, false)
	r.Judge(s.Limits)
	for i, e := range []study.Event{{Kind: study.EventAsked, Trial: 1, Asked: &study.Asked{Reserved: 1}}, {Kind: study.EventFinished, Trial: 1, Finished: &study.Finished{State: study.Done, Metrics: m}}} {
		if e.Seq = int64(i + 1); r.Apply(e) != nil {
			t.Fatal(e)
		}
	}
	if got, want := Meet(s.Limits, r, 0), "0 of 1 result meet them, and 1 does not report yield"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := NoneFeasible(s, r), "the only result does not meet the limits yet: memory at most 8 GB (nearest: 9.5), yield at least 0.9 (never reported)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	said := "; the last trial was 2% likely to meet them, so perhaps no setting does"
	asked := &study.Asked{Reserved: 1, Why: json.RawMessage(`{"expected": {"within": 0.02}}`)}
	for i, e := range []study.Event{{Kind: study.EventAsked, Trial: 2, Asked: asked}, {Kind: study.EventFinished, Trial: 2, Finished: &study.Finished{State: study.Done, Metrics: m}}} {
		if e.Seq = int64(i + 3); r.Apply(e) != nil {
			t.Fatal(e)
		}
	}
	if got := NoneFeasible(s, r); !strings.HasSuffix(got, said) {
		t.Errorf("%q, want %q at its end", got, said)
	}
	r.Judge(s.Limits) // the same limits as before
	if got := NoneFeasible(s, r); !strings.HasSuffix(got, said) {
		t.Errorf("%q, want %q at its end, still", got, said)
	}
	r.Trials[1].Item = 1 // somebody asked for it
	if got := NoneFeasible(s, r); strings.Contains(got, "likely") {
		t.Errorf("%q", got)
	}
	r.Trials[1].Item = 0
	r.Judge(study.Limits{"memory": s.Limits["memory"]}) // what was likely by other limits says nothing
	if got := NoneFeasible(s, r); strings.Contains(got, "likely") {
		t.Errorf("%q", got)
	}
}

// A number a hair beyond a round limit is not written as the limit.
func TestNumbersNearLimits(t *testing.T) {
	for x, want := range map[float64]string{
		8.0000001: "8.0000001", 8: "8", 8.01: "8.01", 7.99996: "7.99996", 9.53216: "9.532", 12.50004: "12.50004", -0.90000003: "-0.90000003", 0: "0", 12346.2: "12,346.2", 1e9 + 1: "1.000000001e9", 0.1 + 0.2: "0.3",
	} {
		if got := nearLimit(x); got != want {
			t.Errorf("%v is written as %s, want %s", x, got, want)
		}
	}
	s := &study.Study{Limits: study.Limits{"memory": study.Max(8)}}
	if got, want := NotCounted(study.Trial{Metrics: study.Metrics{"memory": 8.00001}, Violates: s.Limits.Names()}), "memory 8.00001 is beyond its limit: does not count"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
