package problem

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// every returns the problems whose data are available.
func every(t *testing.T, replication uint64) []*Problem {
	t.Helper()
	var all []*Problem
	for _, name := range Names() {
		data := ""
		if name == "lda" {
			if data = dataFolder(ldaFile); data == "" {
				t.Logf("without lda: %s is not here", ldaFile)
				continue
			}
		}
		p, err := New(name, replication, data)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func TestNames(t *testing.T) {
	want := []string{"dropwave", "alpine1", "ackley", "shekel5", "lda", "cnn", "boston", "robot"}
	if got := Names(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if _, err := New("branin", 0, ""); err == nil || !strings.Contains(err.Error(), "dropwave") {
		t.Errorf("an unknown name: %v", err)
	}
}

// The paper's table: dimensions and budgets.
func TestProblemsAreThePapers(t *testing.T) {
	want := map[string]struct {
		dim    int
		budget float64
	}{
		"dropwave": {2, 40}, "alpine1": {3, 60}, "ackley": {3, 60}, "shekel5": {4, 80},
		"lda": {3, 100}, "cnn": {5, 10}, "boston": {3, 10}, "robot": {3, 200},
	}
	for _, p := range every(t, 1) {
		if w := want[p.Name]; p.Dim != w.dim || p.Budget != w.budget {
			t.Errorf("%s: dimension %d, budget %v, want %+v", p.Name, p.Dim, p.Budget, w)
		}
		if p.BestSource == "" {
			t.Errorf("%s does not say where its best is from", p.Name)
		}
	}
}

// evaluations is how many evaluations of a problem a test may make.
func evaluations(name string, many int) int {
	switch name {
	case "boston":
		return many / 100 // a fifth of a second each; its best value comes from trying all of them
	case "robot":
		return many / 2
	}
	return many
}

func TestValuesAndCosts(t *testing.T) {
	for _, replication := range []uint64{0, 1, 33} {
		for _, p := range every(t, replication) {
			if replication > 0 && p.Name == "boston" {
				continue // the same in all replications
			}
			rng := rand.New(rand.NewPCG(replication, 9))
			total, n := 0.0, evaluations(p.Name, 1000)
			if replication > 0 {
				n /= 5
			}
			for i := range n {
				unit := make([]float64, p.Dim)
				for j := range unit {
					unit[j] = rng.Float64()
					if i < 20 { // corners and edges
						unit[j] = math.Round(2*unit[j]) / 2
					}
				}
				before := slices.Clone(unit)
				value, cost := p.Evaluate(unit)
				total += cost
				if math.IsNaN(value) || math.IsInf(value, 0) || !(cost > 0) || math.IsInf(cost, 1) {
					t.Errorf("%s at %v: value %v, cost %v", p.Name, unit, value, cost)
				}
				if value > p.Best && !near(value, p.Best, 1e-14) {
					t.Errorf("%s, replication %d, at %v: %v, better than the best, %v", p.Name, replication, unit, value, p.Best)
				}
				if !slices.Equal(before, unit) {
					t.Errorf("%s changed its argument", p.Name)
				}
				if again, price := p.Evaluate(unit); i < 10 && (again != value || price != cost) {
					t.Errorf("%s at %v: (%v, %v), then (%v, %v)", p.Name, unit, value, cost, again, price)
				}
			}
			if replication == 0 {
				t.Logf("%s: mean cost %.3g, so the budget buys about %.0f", p.Name, total/float64(n), p.Budget*float64(n)/total)
			}
		}
	}
}

func TestBestIsReached(t *testing.T) {
	for replication := range uint64(robotTargets) {
		for _, p := range every(t, replication) {
			if replication > 1 && p.Name != "robot" {
				continue
			}
			if len(p.BestAt) != p.Dim || slices.Min(p.BestAt) < 0 || slices.Max(p.BestAt) > 1 {
				t.Errorf("%s: best at %v", p.Name, p.BestAt)
				continue
			}
			value, _ := p.Evaluate(p.BestAt)
			if !near(value, p.Best, 1e-9) {
				t.Errorf("%s, replication %d: %v where the best is said to be, want %v", p.Name, replication, value, p.Best)
			}
		}
	}
}

// Evaluate may be called from several goroutines.
func TestEvaluateTogether(t *testing.T) {
	for _, p := range every(t, 2) {
		at := make([]float64, p.Dim)
		for i := range at {
			at[i] = 0.2
		}
		value, cost := p.Evaluate(at)
		var together sync.WaitGroup
		for range 4 {
			together.Go(func() {
				if v, c := p.Evaluate(at); v != value || c != cost {
					t.Errorf("%s: (%v, %v), then (%v, %v)", p.Name, value, cost, v, c)
				}
			})
		}
		together.Wait()
	}
}

// Replications differ in what is drawn, and are the same when drawn again.
func TestReplications(t *testing.T) {
	for _, name := range []string{"dropwave", "alpine1", "ackley", "shekel5", "robot"} {
		seen := map[[2]float64]bool{}
		for replication := range uint64(20) {
			var got [2]float64
			for k := range 2 {
				p, err := New(name, replication, "")
				if err != nil {
					t.Fatal(err)
				}
				at := make([]float64, p.Dim)
				for i := range at {
					at[i] = 0.3
				}
				value, cost := p.Evaluate(at)
				if v := [2]float64{value, cost}; k == 0 {
					got = v
				} else if got != v {
					t.Errorf("%s, replication %d: %v, then %v", name, replication, got, v)
				}
			}
			seen[got] = true
		}
		if len(seen) != 20 {
			t.Errorf("%s: %d different replications of 20", name, len(seen))
		}
	}
}

func TestCostDraws(t *testing.T) {
	var sum waves
	const n = 4000
	for replication := range uint64(n) {
		w := drawWaves(replication, 1, nil)
		if w.alpha < 0.75 || w.alpha > 1.5 || w.beta < 1 || w.beta > 3 || w.gamma < 0 || w.gamma > 2*math.Pi {
			t.Fatalf("replication %d: %+v", replication, w)
		}
		sum.alpha, sum.beta, sum.gamma = sum.alpha+w.alpha/n, sum.beta+w.beta/n, sum.gamma+w.gamma/n
	}
	// Means of uniform draws, within five of their standard errors.
	for _, c := range [][3]float64{{sum.alpha, 1.125, 0.75}, {sum.beta, 2, 2}, {sum.gamma, math.Pi, 2 * math.Pi}} {
		if math.Abs(c[0]-c[1]) > 5*c[2]/math.Sqrt(12*n) {
			t.Errorf("mean %v, want %v", c[0], c[1])
		}
	}
}

func TestShapeMistakesPanic(t *testing.T) {
	for _, p := range every(t, 0) {
		for _, wrong := range []int{0, p.Dim - 1, p.Dim + 1} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s took %d coordinates for %d", p.Name, wrong, p.Dim)
					}
				}()
				p.Evaluate(make([]float64, wrong))
			}()
		}
	}
}
