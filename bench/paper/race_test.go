package paper

import (
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/bench/problem"
)

func TestRacesKnowTheirBudgets(t *testing.T) {
	t.Setenv("EKE_DATA", "") // half of LDA's budget must be known as such without its data
	var results []Replication
	for _, b := range []struct {
		problem string
		budget  float64
	}{{"robot", 200}, {"lda", 50}, {"dropwave", 12}, {"dropwave", 20}, {"dropwave", 40}, {"ackley", 7}, {"ackley", 9}} {
		results = append(results, Replication{Problem: b.problem, Policy: "ei", Preset: "paper", Budget: b.budget})
	}
	list := races(results)
	titles := func(list []race) (names []string) {
		for _, k := range list {
			names = append(names, k.title())
		}
		return names
	}
	for _, c := range []struct {
		got  []race
		want []string
	}{
		{list, []string{"Dropwave", "Dropwave, half budget", "Dropwave, budget 12", "Ackley, budget 9", "Ackley, budget 7", "LDA, half budget", "Robot pushing"}},
		{mainRaces(list), []string{"Dropwave", "Ackley, budget 9", "Robot pushing"}},
		{halfRaces(list), []string{"Dropwave, half budget", "LDA, half budget"}},
	} {
		if got := titles(c.got); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestLDABudgetIsTheProblems(t *testing.T) {
	p, err := problem.New("lda", 0, "")
	if err != nil {
		t.Skip(err)
	}
	if p.Budget != ldaBudget {
		t.Errorf("the problem's budget is %v, ours %v", p.Budget, ldaBudget)
	}
}

// If lines have equal keys, the last one counts. random is one contender, whatever its preset.
func TestRacesTakeALineOnce(t *testing.T) {
	results := []Replication{
		{Problem: "dropwave", Policy: "ei", Preset: "paper", Budget: 40, Number: 1, Design: 1},
		{Problem: "dropwave", Policy: "ei", Preset: "paper", Budget: 40, Number: 0, Design: 2},
		{Problem: "dropwave", Policy: "ei", Preset: "paper", Budget: 40, Number: 1, Design: 3},
		{Problem: "dropwave", Policy: "random", Preset: "default", Budget: 40},
	}
	list := races(results)
	runs := list[0].runs[Contender{"ei", "paper"}]
	if len(runs) != 2 || runs[0].Design != 2 || runs[1].Design != 3 {
		t.Errorf("%+v", runs)
	}
	if len(list[0].runs[Contender{"random", "paper"}]) != 1 {
		t.Errorf("random is lost: %v", contendersIn(list))
	}
}

// Two runs by hand: regrets 1 and 0.01 at the start, 0.1 and 0.01 once the first has spent 30.
func TestRegretCurve(t *testing.T) {
	runs := []Replication{
		{Best: 1, Design: 0, Values: []float64{0.9, 1}, Costs: []float64{30, 11}, Budget: 40},
		{Best: 1, Design: 0.99, Budget: 40},
	}
	c := newRegretCurve(runs, 40)
	if c.money[0] != 8 || c.money[curvePoints-1] != 40 {
		t.Errorf("from %v to %v, want 8 to 40", c.money[0], c.money[curvePoints-1])
	}
	for i, money := range c.money {
		want := -1.0
		if money >= 30 {
			want = -1.5
		}
		near(t, "mean", c.mean[i], want, 1e-9)
	}
	// t of 0.975 with one degree of freedom is 12.7062; the regrets differ by 1, so that s/√2 = 0.5.
	near(t, "band", c.high[curvePoints-1]-c.mean[curvePoints-1], 12.7062*0.5, 1e-3)
	single := newRegretCurve(runs[:1], 40)
	if single.low[0] != single.mean[0] || math.IsNaN(single.high[0]) {
		t.Errorf("one run has the band %v to %v", single.low[0], single.high[0])
	}
	if bought := meanBought(runs); bought != 0.5 {
		t.Errorf("%v evaluations were paid, want one of two runs to pay one", bought)
	}
}

// Pairs are replications of the same number.
func TestDuel(t *testing.T) {
	run := func(number int, regret float64) Replication {
		return Replication{Number: number, Best: 1, Design: 1 - regret}
	}
	a := []Replication{run(0, 0.01), run(1, 0.1), run(2, 0.1), run(5, 1)}
	b := []Replication{run(2, 0.1), run(1, 0.01), run(0, 0.1), run(3, 1)}
	d := newDuel(a, b, Contender{})
	if d.wins != 1 || d.losses != 1 || d.ties != 1 || len(d.differences) != 3 {
		t.Errorf("%+v", d)
	}
	near(t, "first difference", d.differences[0], -1, 1e-9)
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.9g, want %.9g", what, got, want)
	}
}
