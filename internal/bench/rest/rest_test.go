package rest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/study"
)

func TestBeside(t *testing.T) {
	v := Verdict{Rest: advisor.Rest{Best: 3, Outlook: advisor.Outlook{Worse: 3, Better: 2}}, Spread: 10}
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
