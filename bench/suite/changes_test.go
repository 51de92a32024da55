package suite

import (
	"math"
	"strings"
	"testing"

	"github.com/eke-bo/eke/bench/problem"
)

func TestChangeReport(t *testing.T) {
	dir := t.TempDir()
	var runs []Run
	for _, name := range []string{"gp2-change", "gp2-reported"} {
		task, err := problem.NewTask(name, 0, "")
		if err != nil {
			t.Fatal(err)
		}
		for n := range 4 {
			for policy, r := range map[string]Run{
				told: runTo(n, 10, -2-float64(n%2)), notTold: runTo(n, 20, -1), knowsAll: runTo(n, 8, -2-float64(n%2)), "ei": runTo(n, 20, -1),
			} {
				r.Problem, r.Policy, r.Print, r.Changed = name, policy, fingerprint(task), 0.5
				r.Fits = make([][3]int, len(fitEdges)+1)
				if policy == notTold && name == "gp2-reported" {
					r.Changed = 0.9 // which the claim is not about
				}
				runs = append(runs, r)
			}
		}
	}
	for _, r := range runs {
		if err := Folder(dir).Add(r); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := ChangeReport(&out, []string{dir}, told, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"gp2-change    tuning  4      −1.50 [−2.00, −1.00]  50.0 %                  50.0 %  47 %", "gp2-reported  tuning  4      −1.50 [−2.00, −1.00]  90.0 %",
		"1 of 30–80 %  all     4 ", "1 of these    tuning  4 ", "with reports  all     4      0.00 [0.00, 0.00]  25 %", "ei      tuning  2         8      1.50",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "without") {
		t.Errorf("nothing was played without reports:\n%s", out.String())
	}
	if p := pairsOf([]row{{runs: map[string]map[int]Run{"a": {1: runTo(1, 4, -2)}, "b": {1: runTo(1, 4, -2)}}}}, "a", "b"); p.more().Mean != 0 || math.Abs(p.money().Mean-0.2) > 1e-4 {
		t.Errorf("equal runs: %+v, %+v", p.more(), p.money())
	}
}
