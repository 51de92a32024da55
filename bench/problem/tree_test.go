package problem

import (
	"math"
	"math/rand/v2"
	"testing"
)

// growWhole grows a tree on all rows, each once: the hand-checkable part of a forest.
func growWhole(t *table, depth, features int) tree {
	g := newGrower(t, forestSettings{depth: depth, features: features})
	g.rng = rand.New(rand.NewPCG(1, 1))
	for row, y := range t.targets {
		g.drawn[row] = draws{1, y}
	}
	return g.growDrawn()
}

func TestTreeByHand(t *testing.T) {
	// Split by the first feature at 2.5 or 3.5, or by the second at 0.5: sums of squares left 2·0.25·… are least for 3.5.
	rows := [][]float64{{1, 0}, {2, 1}, {3, 0}, {4, 1}, {5, 0}}
	targets := []float64{1, 2, 3, 10, 12}
	stump := growWhole(newTable(rows, targets), 1, 2)
	want := tree{{feature: 0, threshold: 3.5, left: 1, right: 2, value: 5.6}, {feature: -1, value: 2}, {feature: -1, value: 11}}
	if len(stump) != len(want) {
		t.Fatalf("%+v, want %+v", stump, want)
	}
	for i := range want {
		if stump[i] != want[i] {
			t.Errorf("node %d: %+v, want %+v", i, stump[i], want[i])
		}
	}
	whole := growWhole(newTable(rows, targets), 0, 2)
	for i, row := range rows {
		if got := whole.predict(row); got != targets[i] {
			t.Errorf("%v: %v, want %v", row, got, targets[i])
		}
	}
	if d := whole.depth(0); d < 3 || d > 4 {
		t.Errorf("depth %d", d)
	}
}

func TestTreeEnds(t *testing.T) {
	for name, c := range map[string]struct {
		rows    [][]float64
		targets []float64
		nodes   int
	}{
		"one row":         {[][]float64{{1}}, []float64{7}, 1},
		"equal targets":   {[][]float64{{1}, {2}, {3}}, []float64{0.1, 0.1, 0.1}, 1},
		"equal features":  {[][]float64{{1, 2}, {1, 2}, {1, 2}}, []float64{1, 2, 6}, 1},
		"one varies":      {[][]float64{{1, 2, 0}, {1, 2, 1}, {1, 2, 2}}, []float64{1, 2, 6}, 5},
		"neighbours":      {[][]float64{{1}, {math.Nextafter(1, 2)}}, []float64{1, 2}, 3},
		"infinitely wide": {[][]float64{{-math.MaxFloat64}, {math.MaxFloat64}}, []float64{1, 2}, 3},
	} {
		// One feature per split: if the others are constant, it must continue.
		got := growWhole(newTable(c.rows, c.targets), 0, 1)
		if len(got) != c.nodes {
			t.Errorf("%s: %d nodes, want %d: %+v", name, len(got), c.nodes, got)
		}
		mean := 0.0
		for i, row := range c.rows {
			mean += c.targets[i] / float64(len(c.rows))
			if v := got.predict(row); c.nodes > 1 && v != c.targets[i] {
				t.Errorf("%s: %v, want %v", name, v, c.targets[i])
			}
		}
		if !near(got[0].value, mean, 1e-15) {
			t.Errorf("%s: mean %v, want %v", name, got[0].value, mean)
		}
	}
}

// The slow twin: at every node, every threshold of every feature, sums of squares from their definition.
func TestTreeAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 30 {
		n, width := 2+rng.IntN(30), 1+rng.IntN(4)
		var rows [][]float64
		var targets []float64
		for range n {
			row := make([]float64, width)
			for f := range row {
				row[f] = float64(rng.IntN(12))
			}
			rows, targets = append(rows, row), append(targets, rng.NormFloat64())
		}
		got := growWhole(newTable(rows, targets), 0, width)
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		checkNode(t, got, 0, rows, targets, all)
	}
}

func checkNode(t *testing.T, grown tree, at int32, rows [][]float64, targets []float64, members []int) {
	t.Helper()
	least := math.Inf(1)
	for f := range rows[0] {
		for _, m := range members {
			if l, r := parted(rows, members, f, rows[m][f]); len(l) > 0 && len(r) > 0 {
				least = min(least, spread(targets, l)+spread(targets, r))
			}
		}
	}
	n := grown[at]
	if n.feature < 0 {
		if !math.IsInf(least, 1) && spread(targets, members) > 1e-12 {
			t.Errorf("a leaf of %d rows that could be split", len(members))
		}
		return
	}
	l, r := parted(rows, members, n.feature, n.threshold)
	if len(l) == 0 || len(r) == 0 {
		t.Fatalf("a split with an empty side: %+v", n)
	}
	if left := spread(targets, l) + spread(targets, r); left > least+1e-9 {
		t.Errorf("a split leaves %v, the best one %v", left, least)
	}
	checkNode(t, grown, n.left, rows, targets, l)
	checkNode(t, grown, n.right, rows, targets, r)
}

func parted(rows [][]float64, members []int, f int, threshold float64) (left, right []int) {
	for _, m := range members {
		if rows[m][f] <= threshold {
			left = append(left, m)
		} else {
			right = append(right, m)
		}
	}
	return left, right
}

func spread(targets []float64, members []int) float64 {
	mean, sum := 0.0, 0.0
	for _, m := range members {
		mean += targets[m] / float64(len(members))
	}
	for _, m := range members {
		sum += (targets[m] - mean) * (targets[m] - mean)
	}
	return sum
}
