package suite

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/stats"
)

// drawn returns a run whose regret falls at random.
func drawn(rng *rand.Rand, name, policy string, number int, fall float64) Run {
	r := made(name, policy, number, 0)
	at := 0.0
	for k := range r.Curve {
		if rng.IntN(3) == 0 {
			at -= fall * rng.Float64()
		}
		r.Curve[k] = at
	}
	return r
}

// madeUp are runs of three policies on three tasks of two families, with different numbers of replications. A fourth policy has played one task only.
func madeUp() (runs []Run) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, name := range []string{"gp1-independent", "branin-smooth", "gp2-independent"} {
		for _, p := range []struct {
			name string
			runs int
			fall float64
		}{{"default", 5, 0.6}, {"ei", 3, 0.4}, {"random", 4, 0.2}} {
			for n := range p.runs {
				runs = append(runs, drawn(rng, name, p.name, n, p.fall))
			}
		}
	}
	return append(runs, drawn(rng, "branin-smooth", "tpe", 0, 1))
}

func madeUpGrid(t *testing.T) *grid {
	t.Helper()
	g, err := newGrid(madeUp(), Experiment{Set: All}, "default")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// slowMean is the mean over tasks of the mean over replications, as it is said.
func slowMean(g *grid, policy string, tasks []int, point int) float64 {
	sum := 0.0
	for _, i := range tasks {
		inner, count := 0.0, 0.0
		for _, run := range g.rows[i].runs[policy] {
			inner, count = inner+math.Pow(10, run.Curve[point]), count+1
		}
		sum += inner / count
	}
	return sum / float64(len(tasks))
}

// slowMoney walks along the mean curve in small steps until it is as low as the other's end.
func slowMoney(g *grid, policy string, tasks []int) float64 {
	const steps = 20000
	goal := slowMean(g, policy, tasks, curvePoints-1)
	curve := []float64{1}
	for k := range curvePoints {
		curve = append(curve, slowMean(g, "default", tasks, k))
	}
	for s := range steps + 1 {
		x := float64(s) / steps * curvePoints
		k := min(int(x), curvePoints-1)
		if v := curve[k] + (x-float64(k))*(curve[k+1]-curve[k]); v <= goal*(1+1e-9) {
			return float64(s) / steps
		}
	}
	return math.Inf(1)
}

func TestAnytimeMeetsItsSlowTwin(t *testing.T) {
	g := madeUpGrid(t)
	a := g.anytime(normalised)
	if !slices.Equal(a.policies, []string{"default", "ei", "random"}) || a.tasks != 3 || !slices.Equal(a.runs, []int{15, 9, 12}) {
		t.Fatalf("%v on %d tasks in %v runs", a.policies, a.tasks, a.runs)
	}
	every := []int{0, 1, 2}
	var draws [][]int // of three tasks
	for code := range 27 {
		draws = append(draws, []int{code % 3, code / 3 % 3, code / 9})
	}
	for i, policy := range a.policies {
		for k := range curvePoints {
			if want := slowMean(g, policy, every, k); math.Abs(a.curves[i][k].Mean-want) > 1e-12 || math.Abs(a.alone[i][k].Mean-want) > 1e-12 {
				t.Errorf("%s at point %d: %v, want %v", policy, k, a.curves[i][k].Mean, want)
			}
			var all []float64
			for _, tasks := range draws {
				all = append(all, slowMean(g, policy, tasks, k))
			}
			within27(t, fmt.Sprintf("%s at point %d", policy, k), a.curves[i][k], all, 1e-12)
		}
		var all []float64
		for _, tasks := range draws {
			all = append(all, slowMoney(g, policy, tasks))
		}
		if want := slowMoney(g, policy, every); !near(a.money[i].Mean, want, 1e-4) || !near(a.moneyAlone[i].Mean, want, 1e-4) {
			t.Errorf("money for %s: %v, want %v", policy, a.money[i].Mean, want)
		}
		within27(t, "money for "+policy, a.money[i], all, 1e-4)
		for task := range every {
			if want := slowMoney(g, policy, []int{task}); !near(a.taskMoney[i][task], want, 1e-4) {
				t.Errorf("money for %s on task %d: %v, want %v", policy, task, a.taskMoney[i][task], want)
			}
		}
	}
	if !near(a.money[0].Mean, 1, 0.3) || a.money[2].Mean > a.money[1].Mean {
		t.Errorf("%+v", a.money)
	}
}

// within27 checks an interval over three tasks: each of the 27 draws has a chance of 3.7 %, so the ends are the extremes.
func within27(t *testing.T, what string, got stats.Interval, all []float64, tolerance float64) {
	t.Helper()
	if !near(got.Low, slices.Min(all), tolerance) || !near(got.High, slices.Max(all), tolerance) {
		t.Errorf("%s: %+v, want %v to %v", what, got, slices.Min(all), slices.Max(all))
	}
}

func near(a, b, tolerance float64) bool { return a == b || math.Abs(a-b) <= tolerance }

// The interval for these tasks alone is that of means of means of replications drawn within each task.
func TestAnytimeAloneMeetsItsSlowTwin(t *testing.T) {
	g := madeUpGrid(t)
	a := g.anytime(normalised)
	rng := rand.New(rand.NewPCG(3, 3))
	for i, policy := range a.policies {
		var ends []float64
		for range 20000 {
			sum := 0.0
			for _, r := range g.rows {
				n := len(r.runs[policy])
				for range n {
					sum += math.Pow(10, r.runs[policy][rng.IntN(n)].Final()) / float64(n*len(g.rows))
				}
			}
			ends = append(ends, sum)
		}
		slices.Sort(ends)
		got, wide := a.alone[i][curvePoints-1], ends[len(ends)-1]-ends[0]
		if !near(got.Low, ends[500], 0.05*wide) || !near(got.High, ends[19500], 0.05*wide) {
			t.Errorf("%s: %+v, want %v to %v", policy, got, ends[500], ends[19500])
		}
	}
}

// A rank is one more than the number of policies that are better, counting equal ones by half.
func TestRanksAtMeetTheirSlowTwin(t *testing.T) {
	g := madeUpGrid(t)
	policies, rows := g.shared()
	for _, part := range shownParts {
		got := ranksAt(rows, policies, part)
		for i, policy := range policies {
			sum := 0.0
			for _, r := range rows {
				for n := range 3 { // which all have
					rank := 1.0
					for _, other := range policies {
						switch d := r.runs[policy][n].At(part) - r.runs[other][n].At(part); {
						case other == policy:
						case d > 0:
							rank++
						case d == 0:
							rank += 0.5
						}
					}
					sum += rank / 9
				}
			}
			if !near(got[i].Mean, sum, 1e-12) {
				t.Errorf("%s with %v of the money: %v, want %v", policy, part, got[i].Mean, sum)
			}
		}
	}
}

// By hand: two workers are as good as one with equal money, better in equal time, and reach the end of one in half of the time.
func TestWorkersAgainstOne(t *testing.T) {
	var runs []Run
	for n := range 2 {
		one, two := made("branin-smooth", "ei", n, -1), made("branin-smooth", "ei", n, -1)
		one.Steps = [][3]float64{{0.4, 0.4, -0.5}, {0.8, 0.8, -1}}
		two.Steps, two.Workers = [][3]float64{{0.4, 0.2, -0.5}, {0.8, 0.4, -1}}, 2
		runs = append(runs, one, two)
	}
	g, err := newGrid(runs, Experiment{Set: Tuning}, "ei")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.policies, []string{"ei", "ei, 2 workers"}) || !slices.Equal(g.crowds(), []crowd{{"ei", "ei, 2 workers", 2}}) {
		t.Fatalf("%v, %v", g.policies, g.crowds())
	}
	got := g.workersTable().Rows[0]
	want := []string{"ei", "2", "1", "2", "0.100", "0.100", "0.00 [0.00, 0.00]", "0.316", "0.100", "−0.50 [−0.50, −0.50]", "40 %"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Runs without a fidelity are policies of their own on the tasks with one.
func TestFullTrainingsJoin(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	id := ""
	for _, info := range problem.Curves(problem.LCBench) {
		if !info.Validation {
			id = info.Name
			break
		}
	}
	for n := range 3 {
		for _, r := range []Run{made(id, "default", n, -2), made(id+"-full", "default", n, -1), made("branin-smooth", "gittins", n, -1)} {
			if err := Folder(dir).Add(r); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range []Run{made(id, "default", n, -7), made(id, "external:gp --fast=1", n, -0.5)} { // the first folder's default counts
			if err := Folder(other).Add(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	var out bytes.Buffer
	to := filepath.Join(t.TempDir(), "figures")
	if err := Anytime(&out, to, []string{dir, other}, Experiment{Set: LCBench}, "default", map[string]string{"external:gp --fast=1": "GP"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"default, full trainings", "GP", "0.010", "0.100", "0.316"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "gittins") || strings.Contains(out.String(), "external") {
		t.Errorf("strangers in\n%s", &out)
	}
	for _, name := range []string{"anytime.png", "anytime.svg", "anytime.md", "anytime.csv"} {
		if _, err := os.Stat(filepath.Join(to, name)); err != nil {
			t.Error(err)
		}
	}
	if err := Anytime(&out, to, []string{dir}, Experiment{Set: FidelityTuning}, "default", nil); err == nil {
		t.Error("figures of nothing")
	}
}

// A policy that is ahead on one task is listed there, and nowhere else.
func TestAhead(t *testing.T) {
	g, err := newGrid(byHand(), Experiment{Set: Tuning}, "ei")
	if err != nil {
		t.Fatal(err)
	}
	list, compared := g.ahead()
	if len(list) != 1 || list[0].problem != "gp1-independent" || list[0].policy != "default" || list[0].by.Mean != 1 || compared != 4 {
		t.Errorf("%+v of %d", list, compared)
	}
}
