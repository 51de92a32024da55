package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestSpeedTimesSuggestions(t *testing.T) {
	out, err := run(t, "speed", "--problems", "dropwave", "--n", "0,12", "--policies", "ei,2-bmsei-p", "--repeat", "1", "--json")
	if err != nil {
		t.Fatal(err)
	}
	starts := 0
	for line := range strings.Lines(out) {
		var r speedRow
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Seconds <= 0 || r.Evaluations == 0 || r.Problem != "dropwave" || r.Paper == 0 || r.Threads < 1 {
			t.Errorf("%+v", r)
		}
		if r.Policy == "ei" && r.N == 6 {
			starts++
			if r.Reference != 1.23 {
				t.Errorf("no reference at the start of a run: %+v", r)
			}
		}
	}
	if starts == 0 {
		t.Errorf("no start of a run in\n%s", out)
	}
	if out, err := run(t, "speed", "--problems", "dropwave", "--n", "8", "--policies", "ei", "--repeat", "1"); err != nil || !strings.Contains(out, "× paper") {
		t.Errorf("%v\n%s", err, out)
	}
	for want, args := range map[string][]string{"not known": {"--problems", "moon"}, "not a policy": {"--policies", "luck", "--n", "6"}, "--preset": {"--preset", "mine"}} {
		if _, err := run(t, append([]string{"speed"}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted %q, got %v", want, err)
		}
	}
}

func TestScaleFitsExponents(t *testing.T) {
	out, err := run(t, "scale", "--most", "8")
	if err != nil || strings.Count(out, "against") != 10 || !strings.Contains(out, "exponent") {
		t.Errorf("%v\n%s", err, out)
	}
	rows := []scaleRow{{Size: 10, Seconds: 3e-3}, {Size: 20, Seconds: 12e-3}, {Size: 50, Seconds: 75e-3}}
	if k := exponent(rows); math.Abs(k-2) > 1e-9 {
		t.Errorf("exponent of a square is %v", k)
	}
	for i := range rows { // what a processor took counts, if it is known
		rows[i].Processor = float64(rows[i].Size)
	}
	if k := exponent(rows); math.Abs(k-1) > 1e-9 {
		t.Errorf("exponent by the processor is %v, not 1", k)
	}
}
