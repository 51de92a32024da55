package suite

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/stats"
)

// made returns a run with a final regret.
func made(name, policy string, number int, final float64) Run {
	r := Run{Problem: name, Policy: policy, Number: number, Print: "p", Trials: 20, Ended: "spent", Seconds: 2, Fits: make([][3]int, len(fitEdges)+1)}
	for i := range curvePoints {
		r.Curve = append(r.Curve, final*float64(i+1)/curvePoints)
	}
	wasted := 0.1
	r.Wasted = &wasted
	for i := range 2 {
		r.Values[i].add(0, 1, 0.5, false)
		r.Costs[i].add(0, 1, 3, false)
	}
	addFit(r.Fits, 0.97, true)
	return r
}

// Two problems, two replications, three policies: everything by hand.
func byHand() []Run {
	var runs []Run
	for policy, finals := range map[string][4]float64{
		"default": {-2, -3, -1, -1},
		"ei":      {-1, -2, -2, -1}, // worse by 1 and 1 on the first problem, better by 1 and as good on the second
		"random":  {0, 0, 0, 0},
	} {
		runs = append(runs, made("gp1-independent", policy, 0, finals[0]), made("gp1-independent", policy, 1, finals[1]),
			made("branin-smooth", policy, 0, finals[2]), made("branin-smooth", policy, 1, finals[3]))
	}
	return runs
}

func TestComparisonsByHand(t *testing.T) {
	g, err := newGrid(byHand(), Experiment{Set: Tuning}, "default")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.policies, []string{"default", "ei", "random"}) || len(g.rows) != 2 {
		t.Fatalf("%v, %d problems", g.policies, len(g.rows))
	}
	ranks, problems := g.meanRanks()
	// default: 1, 1 and 2, 1.5; ei: 2, 2 and 1, 1.5; random: 3.
	for i, want := range []float64{1.375, 1.625, 3} {
		if ranks[i].Mean != want || problems != 2 {
			t.Errorf("%s: mean rank %v over %d problems, want %v over 2", g.policies[i], ranks[i].Mean, problems, want)
		}
	}
	if ranks[2] != (stats.Interval{Mean: 3, Low: 3, High: 3}) {
		t.Errorf("always last: %+v", ranks[2])
	}
	groups, pairs := g.differences("ei")
	if d := stats.Between(groups); d.Mean != (1+(-0.5))/2 || pairs != 4 {
		t.Errorf("%+v over %d pairs, want 0.25 over 4", d, pairs)
	}
	if better, worse := g.decided("ei"); better != 0 || worse != 1 {
		t.Errorf("better on %d, worse on %d, want 0 and 1", better, worse)
	}
	i := slices.IndexFunc(g.rows, func(r row) bool { return r.Name == "branin-smooth" })
	if best, behind := g.rows[i].bestOther(g.policies, "default"); best != "ei" || behind.Mean != 0.5 {
		t.Errorf("best of the others is %s, %v ahead; want ei, 0.5", best, behind.Mean)
	}
	if got := g.average("default", func(r Run) float64 { return r.Final() }); got != (-2.5-1)/2 {
		t.Errorf("mean regret %v", got)
	}
}

// Only replications that both have are compared, and only problems on which all have runs are ranked.
func TestOnlyPairsAreCompared(t *testing.T) {
	runs := append(byHand(), made("gp1-independent", "default", 7, 50), made("gp2-independent", "default", 0, 50))
	g, err := newGrid(runs, Experiment{Set: Tuning}, "default")
	if err != nil {
		t.Fatal(err)
	}
	if groups, pairs := g.differences("ei"); stats.Between(groups).Mean != 0.25 || pairs != 4 {
		t.Errorf("%v: %d pairs", groups, pairs)
	}
	if ranks, problems := g.meanRanks(); ranks[0].Mean != 1.375 || problems != 2 {
		t.Errorf("%+v over %d problems", ranks, problems)
	}
}

// Validation problems are not shown unless asked for, and never together with the others.
func TestValidationIsApart(t *testing.T) {
	hidden := slices.IndexFunc(problem.Tasks(), func(i problem.Info) bool { return i.Validation })
	name := problem.Tasks()[hidden].Name
	runs := append(byHand(), made(name, "default", 0, -1), made(name, "ei", 0, -1), made(name, "random", 0, -1))
	dir := t.TempDir()
	for _, r := range runs {
		if err := Folder(dir).Add(r); err != nil {
			t.Fatal(err)
		}
	}
	for set, want := range map[string][2]bool{Tuning: {true, false}, Validation: {false, true}, All: {true, true}} {
		var out bytes.Buffer
		if err := Draw(&out, dir, Experiment{Set: set}, "default"); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{tablesFile, pageFile} {
			content, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			text := out.String() + string(content)
			for i, name := range []string{"branin-smooth", name} {
				if strings.Contains(text, name) != want[i] {
					t.Errorf("set %s, %s: %s is there: %v, want %v", set, file, name, !want[i], want[i])
				}
			}
			if set == All && (!strings.Contains(text, "Tuning problems: 2") || !strings.Contains(text, "Validation problems: 1") || !strings.Contains(text, "All problems: 3")) {
				t.Errorf("%s does not keep them apart", file)
			}
		}
	}
}

// The page has all pictures, and needs nothing from elsewhere.
func TestPage(t *testing.T) {
	g, err := newGrid(byHand(), Experiment{Set: Tuning}, "default")
	if err != nil {
		t.Fatal(err)
	}
	page, err := newPage([]*grid{g})
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if n := strings.Count(text, "<svg"); n != 6 {
		t.Errorf("%d pictures, want 6", n)
	}
	for _, bad := range []string{"src=", "href=\"http", "NaN", "<?xml"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"Mean rank", "random", "branin-smooth", "1.38 [", "0.25 ["} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// Runs of an earlier form of a problem are repeated, and not mixed with those of the present one.
func TestChangedProblem(t *testing.T) {
	e := Experiment{Policies: []string{"random"}, Only: []string{"gp1-independent"}, Set: Tuning, Replications: 2}
	keys, err := e.Keys(func(err error) { t.Error(err) })
	if err != nil || len(keys) != 2 {
		t.Fatalf("%v, %v", keys, err)
	}
	old, now := made("gp1-independent", "random", 0, -1), made("gp1-independent", "random", 0, -2)
	now.Print = keys[0].Print
	if missing := Folder("").Missing(keys, []Run{old}); len(missing) != 2 {
		t.Errorf("%d missing, want 2", len(missing))
	}
	g, err := newGrid([]Run{old, now, made("gp1-independent", "random", 1, -1)}, e, "random")
	if err != nil {
		t.Fatal(err)
	}
	if got := g.rows[0].runs["random"]; len(got) != 1 || got[0].Final() != -2 {
		t.Errorf("%+v", got)
	}
}

// A suite that is interrupted and started again has the same runs as one that was not.
func TestSuiteGoesOn(t *testing.T) {
	e := Experiment{Policies: []string{"random", "ei"}, Only: []string{"gp1-independent", "branin-smooth"}, Set: Tuning, Replications: 1}
	keys, err := e.Keys(func(err error) { t.Error(err) })
	if err != nil || len(keys) != 4 {
		t.Fatalf("%v, %v", keys, err)
	}
	var results [][]Run
	for _, interrupted := range []bool{false, true} {
		dir := t.TempDir()
		if interrupted {
			ctx, stop := context.WithCancel(t.Context())
			if err := e.Run(ctx, dir, keys, 1, &stopper{stop}); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if runs, _ := Folder(dir).Read(); len(runs) != 1 {
				t.Fatalf("%d runs before the interrupt", len(runs))
			}
		}
		if err := e.Run(t.Context(), dir, keys, 2, &stopper{func() {}}); err != nil {
			t.Fatal(err)
		}
		runs, err := Folder(dir).Read()
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, runs)
	}
	for i, a := range results[0] {
		if b := results[1][i]; a.Key() != b.Key() || !slices.Equal(a.Curve, b.Curve) || a.Values != b.Values {
			t.Errorf("%s differs", a.Key())
		}
	}
}

// stopper calls stop when a run has ended.
type stopper struct{ stop func() }

func (s *stopper) Started(Key)      {}
func (s *stopper) Ended(Key, error) { s.stop() }

func TestExperiment(t *testing.T) {
	for _, e := range []Experiment{
		{Set: "some"}, {Set: Tuning, Only: []string{"nothing"}}, {Set: Tuning, Only: []string{"[", "x"}}, {Set: Tuning, Policies: []string{"ie"}},
	} {
		if _, err := e.Keys(func(error) {}); err == nil {
			t.Errorf("%+v has keys", e)
		}
	}
	all, err := Experiment{Set: All}.Problems()
	if err != nil || len(all) != len(problem.Tasks()) {
		t.Errorf("%d problems, %v", len(all), err)
	}
	var out bytes.Buffer
	if err := List(&out, Experiment{Set: Tuning, Only: []string{"gp2-*"}}); err != nil || !strings.Contains(out.String(), "gp2-independent") || strings.Contains(out.String(), "gp4") {
		t.Errorf("%v: %s", err, &out)
	}
}

// A stored run reads back as it was, except for rounding.
func TestRunIsKept(t *testing.T) {
	f := Folder(t.TempDir())
	want := made("gp1-independent", "ei", 3, -1.23456789)
	if err := f.Add(want); err != nil {
		t.Fatal(err)
	}
	got, err := f.Read()
	if err != nil || len(got) != 1 || got[0].Key() != want.Key() || math.Abs(got[0].Final()-want.Final()) > 1e-4 || got[0].At(0.5) != -0.6173 {
		t.Errorf("%+v, %v", got, err)
	}
}
