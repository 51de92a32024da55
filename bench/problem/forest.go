package problem

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// table is a regression problem laid out for trees: features by column, and the rows sorted by each.
type table struct {
	columns [][]float64
	order   [][]int32
	targets []float64
}

// newTable lays out rows of features and their targets.
func newTable(rows [][]float64, targets []float64) *table {
	t := &table{targets: targets}
	for f := range rows[0] {
		column, order := make([]float64, len(rows)), make([]int32, len(rows))
		for i, row := range rows {
			column[i], order[i] = row[f], int32(i)
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(column[a], column[b]) })
		t.columns, t.order = append(t.columns, column), append(t.order, order)
	}
	return t
}

// forest is a random forest: L. Breiman, Random Forests, Machine Learning 45, 2001.
type forest struct {
	trees []tree
	work  int // rows touched while growing: a measure of the time it takes, equal on every machine
}

// forestSettings are the hyperparameters of a forest.
type forestSettings struct {
	trees    int
	depth    int // 0: no limit
	features int // looked at in each split; 0: all
	seed     uint64
}

// growForest grows a forest on the table. Tree i depends only on the seed and i, so a larger forest begins
// with the smaller one.
func growForest(t *table, s forestSettings) *forest {
	g := newGrower(t, s)
	all := &forest{}
	for i := range s.trees {
		g.rng = rand.New(rand.NewPCG(s.seed, uint64(i)))
		for f := range g.visit {
			g.visit[f] = f
		}
		all.trees = append(all.trees, g.grow())
	}
	all.work = g.work
	return all
}

// predict returns the mean of the trees.
func (f *forest) predict(x []float64) float64 {
	sum := 0.0
	for _, t := range f.trees {
		sum += t.predict(x)
	}
	return sum / float64(len(f.trees))
}
