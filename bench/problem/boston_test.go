package problem

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// The default forest scores about 0.63 on the five unshuffled folds, a little more or less by its seed.
func TestBostonDefaultForest(t *testing.T) {
	if r2, _ := boston().score(bostonDefault); r2 < 0.6 || r2 > 0.67 {
		t.Errorf("R² = %v", r2)
	}
	if folds := boston().from; folds != [6]int{0, 102, 203, 304, 405, 506} {
		t.Errorf("folds from %v", folds)
	}
}

// On rows in random order, where towns are on both sides, it predicts well.
func TestForestPredictsShuffledHouses(t *testing.T) {
	h := boston()
	order := rand.New(rand.NewPCG(1, 1)).Perm(len(h.rows))
	pick := func(from []int) (rows [][]float64, targets []float64) {
		for _, i := range from {
			rows, targets = append(rows, h.rows[i]), append(targets, h.targets[i])
		}
		return rows, targets
	}
	train, trainTargets := pick(order[:405])
	test, targets := pick(order[405:])
	f := growForest(newTable(train, trainTargets), bostonDefault)
	var predictions []float64
	for _, row := range test {
		predictions = append(predictions, f.predict(row))
	}
	if r2 := rSquared(targets, predictions); r2 < 0.8 {
		t.Errorf("R² = %v", r2)
	}
}

func TestBostonHyperparameters(t *testing.T) {
	for _, c := range []struct {
		unit                   [3]float64
		trees, depth, features int
	}{
		{[3]float64{0, 0, 0}, 1, 1, 1},
		{[3]float64{1, 1, 1}, 256, 64, 13},
		{[3]float64{0.5, 0.5, 0.5}, 128, 32, 4}, // 128.5 and 32.5 round to even; 13·10^−½ = 4.1
		{[3]float64{99. / 255, 0.1, 0.99}, 100, 7, 12},
	} {
		s := bostonAt(c.unit[:])
		if s.trees != c.trees || s.depth != c.depth || s.features != c.features {
			t.Errorf("%v: %+v, want %+v", c.unit, s, c)
		}
		if again := bostonAt(bostonUnit(s)); again != s {
			t.Errorf("%v: %+v, by way of the unit cube %+v", c.unit, s, again)
		}
	}
}

// Costs grow with every hyperparameter. They are nearly one for the default forest, since a depth of 64 does not limit these
// trees.
func TestBostonCost(t *testing.T) {
	p, err := New("boston", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	cost := func(trees, depth, features int) float64 {
		_, c := p.Evaluate(bostonUnit(forestSettings{trees: trees, depth: depth, features: features}))
		return c
	}
	if c := cost(100, 64, 13); c != 1 {
		t.Errorf("the default forest costs %v", c)
	}
	if a, b := cost(20, 10, 5), cost(40, 10, 5); math.Abs(b/a-2) > 0.05 {
		t.Errorf("twice the trees cost %v and %v", a, b)
	}
	for _, c := range [][2]float64{{cost(20, 3, 5), cost(20, 6, 5)}, {cost(20, 8, 2), cost(20, 8, 8)}, {0, cost(1, 1, 1)}} {
		if c[0] >= c[1] {
			t.Errorf("more forest for less: %v and %v", c[0], c[1])
		}
	}
}

// Costs are what the clock says, relative to the default forests. The clock is the test's own: on a busy machine a small forest may take longer.
func TestBostonTimed(t *testing.T) {
	begin := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	looks := []time.Duration{3 * time.Second, 7 * time.Second, time.Minute, time.Minute + 500*time.Millisecond} // the default takes 4 s, the other half a second
	p := bostonTimed(func() time.Time {
		at := begin.Add(looks[0])
		looks = looks[1:]
		return at
	})
	value, cost := p.Evaluate(bostonUnit(forestSettings{trees: 10, depth: 5, features: 4}))
	plain, err := New("boston", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := plain.Evaluate(bostonUnit(forestSettings{trees: 10, depth: 5, features: 4})); value != want {
		t.Errorf("value %v, by work %v", value, want)
	}
	if cost != 0.125 || len(looks) != 0 {
		t.Errorf("half a second of four costs %v, after which the clock has %v left to say", cost, looks)
	}
	if real := BostonTimed(); real.Name != "boston" {
		t.Errorf("the problem is %q", real.Name)
	} else if _, cost := real.Evaluate(bostonUnit(forestSettings{trees: 10, depth: 5, features: 4})); !(cost > 0) {
		t.Errorf("by the real clock a forest costs %v", cost)
	}
}

// The scores that the search takes from one large forest equal those of its smaller forests alone.
func TestBostonScoresOfAllSizes(t *testing.T) {
	s := forestSettings{trees: 12, depth: 6, features: 4, seed: bostonSeed}
	scores, met := boston().scores(s)
	if !met {
		t.Error("no tree met the limit")
	}
	for _, trees := range []int{1, 5, 12} {
		s.trees = trees
		if alone, _ := boston().score(s); alone != scores[trees-1] {
			t.Errorf("%d trees: %v in the search, %v alone", trees, scores[trees-1], alone)
		}
	}
}

func BenchmarkLargestForest(b *testing.B) {
	for b.Loop() {
		boston().score(forestSettings{trees: 256, depth: 64, features: 13, seed: bostonSeed})
	}
}
