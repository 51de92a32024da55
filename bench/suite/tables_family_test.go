package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eke-bo/eke/bench/problem"
)

// A policy that is worse on one family is said to be so there, and nowhere else.
func TestFamilyTable(t *testing.T) {
	g := &grid{policies: []string{"default", "other"}, against: "default"}
	for i := range 12 {
		info, worse := problem.Info{Name: fmt.Sprint(i), Family: problem.Classic}, 0.0
		if i%2 == 1 {
			info.Family, worse = problem.Mixed, 0.5
		}
		if i%3 == 0 {
			info.About = "whatever, noisy values"
		}
		r := row{info, map[string]map[int]Run{"default": {}, "other": {}}}
		for number := range 2 {
			run := func(regret float64) Run {
				run := Run{Curve: make([]float64, curvePoints)}
				run.Curve[curvePoints-1] = regret
				return run
			}
			luck := 0.01 * float64((7*i+3*number)%5-2)
			r.runs["default"][number], r.runs["other"][number] = run(-1), run(-1+worse+luck)
		}
		g.rows = append(g.rows, r)
	}
	table := g.familyTable()
	if got := strings.Join(table.Header, ", "); got != "policy, all, classic, mixed, noisy values" {
		t.Fatal(got)
	}
	cells := table.Rows[0]
	for i, want := range map[int]string{2: "0.00 [", 3: "**0.50 ["} {
		if !strings.HasPrefix(strings.TrimPrefix(cells[i], "−"), want) {
			t.Errorf("%s: %s, want %s…", table.Header[i], cells[i], want)
		}
	}
}
