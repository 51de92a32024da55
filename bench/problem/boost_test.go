package problem

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eke-bo/eke/internal/gradcheck"
	"github.com/eke-bo/eke/space"
)

// The derivatives of a loss are those of its differences, the second of the first.
func TestBoostLosses(t *testing.T) {
	for name, l := range map[string]loss{"squares": squares, "logistic": logistic} {
		for _, target := range []float64{0, 1} {
			for _, score := range []float64{-3, -0.4, 0.1, 2.5} {
				gradcheck.Check(t, func(grad, x []float64) float64 {
					if grad != nil {
						grad[0], _ = l.slopes(x[0], target)
					}
					return l.at(x[0], target)
				}, []float64{score}, gradcheck.Settings{})
				gradcheck.Check(t, func(grad, x []float64) float64 {
					first, second := l.slopes(x[0], target)
					if grad != nil {
						grad[0] = second
					}
					return first
				}, []float64{score}, gradcheck.Settings{})
			}
		}
		// The constant score with the least loss of three ones and a zero.
		at := func(score float64) float64 { return 3*l.at(score, 1) + l.at(score, 0) }
		if c := l.begin(0.75); at(c) > at(c+1e-3) || at(c) > at(c-1e-3) {
			t.Errorf("%s begins at %v", name, c)
		}
	}
}

// slowSplit tries every bin of every feature, and adds up both sides anew.
func slowSplit(t *boostTree, rows []int32) (feature, bin int, best float64) {
	worth := func(list []int32) float64 {
		first, second := 0.0, 0.0
		for _, r := range list {
			first, second = first+t.first[r], second+t.second[r]
		}
		return first * first / (second + t.shrink)
	}
	feature, best = -1, worth(rows)*(1+1e-9)
	for _, f := range t.features {
		for k := range mostBins {
			var left, right []int32
			for _, r := range rows {
				if int(t.columns[f][r]) <= k {
					left = append(left, r)
				} else {
					right = append(right, r)
				}
			}
			if len(left) < max(t.leaf, 1) || len(right) < max(t.leaf, 1) {
				continue
			}
			if w := worth(left) + worth(right); w > best*(1+1e-12) {
				feature, bin, best = f, k, w
			}
		}
	}
	return feature, bin, best
}

func TestBoostSplitMeetsItsSlowTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	found := 0
	for range 60 {
		rows, width := 2+rng.IntN(60), 1+rng.IntN(5)
		features, targets := make([][]float64, rows), make([]float64, rows)
		for i := range features {
			for range width {
				features[i] = append(features[i], float64(rng.IntN(1+rng.IntN(80))))
			}
			targets[i] = float64(rng.IntN(2))
		}
		tree := &boostTree{boostSet: newBoostSet(logistic, features, targets, rows), boosting: boosting{leaf: 1 + rng.IntN(4), shrink: rng.Float64() + 0.01},
			features: rng.Perm(width)}
		var all sums
		for r := range rows {
			first, second := logistic.slopes(rng.NormFloat64(), targets[r])
			tree.first, tree.second = append(tree.first, first), append(tree.second, second)
			all = sums{all.first + first, all.second + second, all.rows + 1}
		}
		list := numbersTo(0, rows)
		feature, bin := tree.bestSplit(list, all)
		slowFeature, slowBin, best := slowSplit(tree, list)
		if (feature < 0) != (slowFeature < 0) {
			t.Fatalf("feature %d, the twin has %d", feature, slowFeature)
		}
		if feature < 0 {
			continue
		}
		found++
		left, right := tree.part(slices.Clone(list), feature, bin)
		worth := 0.0
		for _, side := range [][]int32{left, right} {
			var s sums
			for _, r := range side {
				s = sums{s.first + tree.first[r], s.second + tree.second[r], s.rows + 1}
			}
			worth += s.worth(tree.shrink)
		}
		if math.Abs(worth-best) > 1e-9*best {
			t.Errorf("feature %d at %d is worth %v, the twin's %d at %d is worth %v", feature, bin, worth, slowFeature, slowBin, best)
		}
	}
	if found < 30 {
		t.Errorf("only %d splits", found)
	}
}

// Bins keep the order of values, and equal values share one.
func TestBoostBins(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	var rows [][]float64
	for range 200 {
		rows = append(rows, []float64{rng.NormFloat64(), float64(rng.IntN(7)), 3})
	}
	b := newBoostSet(squares, rows, make([]float64, 200), 150)
	if b.bins[0] > mostBins || b.bins[0] < mostBins-2 || b.bins[1] != 7 || b.bins[2] != 1 {
		t.Errorf("%v bins", b.bins)
	}
	order := rand.New(rand.NewPCG(0, 0x626f6f73)).Perm(200)
	for f := range rows[0] {
		for i := range 200 {
			for j := range 200 {
				if rows[order[i]][f] <= rows[order[j]][f] && b.columns[f][i] > b.columns[f][j] {
					t.Fatalf("feature %d: %v in bin %d, %v in bin %d", f, rows[order[i]][f], b.columns[f][i], rows[order[j]][f], b.columns[f][j])
				}
			}
		}
	}
}

// Boosting learns: it is better than a constant, on data that it has not seen.
func TestBoostLearns(t *testing.T) {
	s := boosting{iterations: 30, rate: 0.2, depth: 3, leaf: 2, shrink: 1, seen: 0.5, data: 1}
	for name, data := range map[string]*boostSet{"houses": boostHouses(), "odd": boostOdd(), "loop": boostLoop()} {
		constant, _ := data.fit(boosting{data: 1})
		value, work := data.fit(s)
		again, workAgain := data.fit(s)
		if value > 0.45*constant || value != again || work != workAgain {
			t.Errorf("%s: %v for %v, again %v for %v; a constant has %v", name, value, work, again, workAgain, constant)
		}
	}
}

// More of a fidelity costs more, the highest is what a setting without one has, and what a low one shows is near enough to be of use.
func TestLives(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	validation := 0
	for _, info := range Lives() {
		if info.Validation {
			validation++
		}
		task := mustMake(t, info.Name, 0)
		known := liveTable[info.Name]
		if task.Family != Live || !(known.best < known.median) || !(known.work > 0) || task.Best != known.best {
			t.Errorf("%+v: %+v", task.Info, known)
		}
		sp := spaceOf(t, task)
		for range 4 {
			s := randomSetting(sp, rng)
			value, cost := task.Evaluate(s)
			last := 0.0
			for _, z := range task.Fidelity.Levels() {
				s[task.Fidelity.Name] = space.Float(z)
				v, c := task.Evaluate(s)
				if c <= last || math.IsNaN(v) {
					t.Errorf("%s: %v costs %v after %v, and has %v", info.Name, s, c, last, v)
				}
				if last = c; z == task.Fidelity.Top() && (v != value || c != cost) {
					t.Errorf("%s: %v has %v for %v, without its fidelity %v for %v", info.Name, s, v, c, value, cost)
				}
			}
			if value < task.Best {
				t.Errorf("%s: %v has %v, better than the best, %v", info.Name, s, value, task.Best)
			}
		}
	}
	if n := len(Lives()); validation != n/2 {
		t.Errorf("%d of %d are for validation", validation, n)
	}
}

// A few steps of the search that found liveTable find the same median and work, and nothing better. The dearer problems are left out.
func TestLiveTable(t *testing.T) {
	for _, l := range lives() {
		if l.name != "boost-fraction-houses" {
			continue
		}
		found, err := l.search(t.Context(), 1, 20)
		if err != nil {
			t.Fatal(err)
		}
		if want := liveTable[l.name]; found.median != want.median || found.work != want.work || found.best < want.best || found.best > want.median {
			t.Errorf("%s: %+v, the table has %+v", l.name, found, want)
		}
	}
	if _, err := LiveRow(t.Context(), "nothing", 1, 1); err == nil {
		t.Error("an unknown problem has a row")
	}
}
