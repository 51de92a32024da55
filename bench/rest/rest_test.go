package rest

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/eke-bo/eke/study"
)

func TestBeside(t *testing.T) {
	v := Verdict{Rest: study.Rest{Best: 3, Outlook: study.Outlook{Worse: 3, Better: 2}}, Spread: 10}
	for came, want := range map[float64]int{3.1: -1, 3: 0, 3 + 1e-12: 0, 2.5: 0, 2: 0, 1.9: 1} {
		v.Came = came
		if got := v.Beside(study.Minimize); got != want {
			t.Errorf("%v of small values: %d, want %d", came, got, want)
		}
		v.Came = -came
		mirror := v
		mirror.Rest.Worse, mirror.Rest.Better = -3, -2
		if got := mirror.Beside(study.Maximize); got != want {
			t.Errorf("%v of large values: %d, want %d", came, got, want)
		}
	}
}

// Outcomes drawn from the forecast itself are held as often as it claims, and 80 % of them if equal values are split, whatever the chance
// is that the best value stays the same.
func TestHeldByTheirOwnForecast(t *testing.T) {
	const draws = 1000
	for _, same := range []float64{0, 0.05, 0.1, 0.3, 0.85, 0.95, 1} {
		value := func(p float64) float64 { return -math.Max(p-same, 0) } // the quantile: small values are better
		v := Verdict{Rest: study.Rest{Outlook: study.Outlook{Worse: value(0.1), Better: value(0.9), Same: same}}, Spread: 1}
		held, split := 0.0, 0.0
		for i := range draws {
			v.Came = value((float64(i) + 0.5) / draws)
			if v.Beside(study.Minimize) == 0 {
				held++
			}
			parts := v.Split(study.Minimize)
			if sum := parts[0] + parts[1] + parts[2]; math.Abs(sum-1) > 1e-12 || min(parts[0], parts[1], parts[2]) < 0 {
				t.Errorf("%v: %v", same, parts)
			}
			split += parts[1]
		}
		if math.Abs(held/draws-v.Claimed()) > 2.0/draws || math.Abs(split/draws-0.8) > 2.0/draws {
			t.Errorf("with a chance of %v that nothing changes, %v are held and %v claimed; split: %v", same, held/draws, v.Claimed(), split/draws)
		}
	}
}

// A study is played to the end of its money, kept, and judged: the forecasts are made from what was known then, and the rule is asked
// as if it had not been told to spend all.
func TestPlayAndReport(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays a study")
	}
	c, err := Play(t.Context(), Key{"branin-tiny", "log-ei-puc", 0}, "")
	if err != nil {
		t.Fatal(err)
	}
	end, err := c.until(2)
	if err != nil {
		t.Fatal(err)
	}
	if l := end.Ledger; l.Spent < 0.6*l.Total || len(end.Trials) < 4 {
		t.Errorf("%d trials, %+v", len(end.Trials), l)
	}
	half, err := c.until(0.5)
	if err != nil || len(half.Trials) >= len(end.Trials) || half.Ledger.Spent < 0.5*half.Ledger.Total {
		t.Errorf("half of it: %d trials, %+v, %v", len(half.Trials), half.Ledger, err)
	}
	verdicts, err := Judge(t.Context(), c)
	if err != nil || len(verdicts) == 0 {
		t.Fatalf("%d verdicts, %v", len(verdicts), err)
	}
	best, _ := end.Best(c.Definition.Objective.Goal)
	for _, v := range verdicts {
		if v.Came != best.Value || v.Rest.Left <= 0 || v.Rest.Left > (1-v.Share)*end.Ledger.Total {
			t.Errorf("%+v", v)
		}
	}
	var out bytes.Buffer
	if err := Report(t.Context(), &out, []Course{c}, 2); err != nil || !strings.Contains(out.String(), "50 %") || !strings.Contains(out.String(), "money saved") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
