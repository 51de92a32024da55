package problem

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// Gradient boosting of trees (J. Friedman, Greedy function approximation, 2001) with Newton's steps, as in XGBoost (T. Chen, C. Guestrin, 2016), and
// histograms of binned features. It is small, but trained for real, on data that are part of the module.
//
// A tree's node with the sums G of gradients and H of curvatures has the value −G/(H+λ), and a split is worth G_L²/(H_L+λ) + G_R²/(H_R+λ) − G²/(H+λ).
//
// The first rows and the first trees of a training do not depend on how many there are. So a training on a part of the data is one on its first rows,
// and a shorter training is the beginning of a longer one.

// mostBins is the number of bins of a feature.
const mostBins = 32

// boostSet is data to learn from and data to be judged by, in bins.
type boostSet struct {
	loss    loss
	bins    []int     // of each feature
	columns [][]uint8 // by feature: bins of all rows, those to learn from first
	targets []float64 // of all rows
	train   int       // rows to learn from
}

// loss is what is minimised, with its first and second derivative by the score of a row.
type loss struct {
	at     func(score, target float64) float64
	slopes func(score, target float64) (first, second float64)
	begin  func(mean float64) float64 // the best constant score
}

// squares is for numbers: half of the squared error.
var squares = loss{
	at:     func(score, target float64) float64 { return (score - target) * (score - target) / 2 },
	slopes: func(score, target float64) (float64, float64) { return score - target, 1 },
	begin:  func(mean float64) float64 { return mean },
}

// logistic is for targets of 0 and 1: −ln of the probability of the right one, where the score is the log odds of 1.
var logistic = loss{
	at: func(score, target float64) float64 {
		if target == 1 {
			score = -score
		}
		return math.Max(score, 0) + math.Log1p(math.Exp(-math.Abs(score)))
	},
	slopes: func(score, target float64) (float64, float64) {
		p := 1 / (1 + math.Exp(-score))
		return p - target, p * (1 - p)
	},
	begin: func(mean float64) float64 { return math.Log(mean / (1 - mean)) },
}

// newBoostSet puts rows in an order drawn from a fixed seed, and bins their features by quantiles of the rows to learn from.
func newBoostSet(l loss, rows [][]float64, targets []float64, train int) *boostSet {
	order := rand.New(rand.NewPCG(0, 0x626f6f73)).Perm(len(rows))
	b := &boostSet{loss: l, train: train}
	for _, i := range order {
		b.targets = append(b.targets, targets[i])
	}
	for f := range rows[0] {
		values := make([]float64, train)
		for k := range values {
			values[k] = rows[order[k]][f]
		}
		edges := binEdges(values)
		column := make([]uint8, len(rows))
		for k, i := range order {
			bin, _ := slices.BinarySearch(edges, rows[i][f]) // a value is at most the edge of its bin
			column[k] = uint8(bin)
		}
		b.columns, b.bins = append(b.columns, column), append(b.bins, len(edges)+1)
	}
	return b
}

// binEdges returns the largest value of each bin but the last.
func binEdges(values []float64) (edges []float64) {
	values = slices.Clone(values)
	slices.Sort(values)
	distinct := slices.Compact(slices.Clone(values))
	if len(distinct) <= mostBins {
		return distinct[:len(distinct)-1]
	}
	for k := 1; k < mostBins; k++ {
		edges = append(edges, values[k*len(values)/mostBins])
	}
	return slices.Compact(edges)
}

// boosting are the hyperparameters.
type boosting struct {
	iterations int
	rate       float64 // by which a tree counts
	depth      int     // most splits on the way to a leaf
	leaf       int     // least rows of a leaf
	shrink     float64 // λ
	seen       float64 // part of the features that a tree looks at
	data       float64 // part of the rows to learn from
}

// fit returns the mean loss of the rows to judge by, and the work: how many rows and bins were looked at.
func (b *boostSet) fit(s boosting) (judged, work float64) {
	rows := max(1, int(math.Round(s.data*float64(b.train))))
	t := &boostTree{boostSet: b, boosting: s,
		scores: make([]float64, len(b.targets)), first: make([]float64, rows), second: make([]float64, rows)}
	mean := 0.0
	for _, y := range b.targets[:rows] {
		mean += y / float64(rows)
	}
	if least := 0.5 / float64(rows); b.loss.begin(0.5) == 0 { // the mean of zeros and ones
		mean = math.Min(math.Max(mean, least), 1-least)
	}
	for i := range t.scores {
		t.scores[i] = b.loss.begin(mean)
	}
	seen := max(1, int(math.Round(s.seen*float64(len(b.columns)))))
	for i := range s.iterations {
		for r := range rows {
			t.first[r], t.second[r] = b.loss.slopes(t.scores[r], b.targets[r])
		}
		t.features = rand.New(rand.NewPCG(uint64(i), 0x626f6f74)).Perm(len(b.columns))[:seen]
		t.grow(numbersTo(0, rows), numbersTo(b.train, len(b.targets)), 0)
		t.work += rows
	}
	for r := b.train; r < len(b.targets); r++ {
		judged += b.loss.at(t.scores[r], b.targets[r]) / float64(len(b.targets)-b.train)
	}
	return judged, float64(t.work + len(b.targets) - b.train)
}

func numbersTo(from, to int) []int32 {
	list := make([]int32, to-from)
	for i := range list {
		list[i] = int32(from + i)
	}
	return list
}

// boostTree grows the trees of a training. Trees are not kept: each adds to the scores of all rows as it grows.
type boostTree struct {
	*boostSet
	boosting
	scores        []float64
	first, second []float64 // derivatives of the loss of the rows to learn from
	features      []int
	work          int
}

// sums are what a split is judged by.
type sums struct {
	first, second float64
	rows          int
}

func (s sums) less(o sums) sums { return sums{s.first - o.first, s.second - o.second, s.rows - o.rows} }

func (s sums) worth(shrink float64) float64 { return s.first * s.first / (s.second + shrink) }

// grow makes the node of some rows to learn from and of others to judge by.
func (t *boostTree) grow(rows, others []int32, depth int) {
	var all sums
	for _, r := range rows {
		all.first, all.second, all.rows = all.first+t.first[r], all.second+t.second[r], all.rows+1
	}
	t.work += len(rows)
	if depth < t.depth && len(rows) >= 2*t.leaf {
		if feature, bin := t.bestSplit(rows, all); feature >= 0 {
			left, right := t.part(rows, feature, bin)
			otherLeft, otherRight := t.part(others, feature, bin)
			t.grow(left, otherLeft, depth+1)
			t.grow(right, otherRight, depth+1)
			return
		}
	}
	value := -t.rate * all.first / (all.second + t.shrink)
	for _, list := range [][]int32{rows, others} {
		for _, r := range list {
			t.scores[r] += value
		}
	}
}

// bestSplit returns the split that is worth the most: rows up to a bin of a feature are on the left. The feature is −1 if no split is worth anything.
func (t *boostTree) bestSplit(rows []int32, all sums) (feature, bin int) {
	const rounding = 1e-9
	feature = -1
	best := all.worth(t.shrink) * (1 + rounding)
	for _, f := range t.features {
		var bins [mostBins + 1]sums
		column := t.columns[f]
		for _, r := range rows {
			s := &bins[column[r]]
			s.first, s.second, s.rows = s.first+t.first[r], s.second+t.second[r], s.rows+1
		}
		t.work += len(rows) + t.bins[f]
		var left sums
		for k := range t.bins[f] - 1 {
			s := bins[k]
			left = sums{left.first + s.first, left.second + s.second, left.rows + s.rows}
			right := all.less(left)
			if s.rows == 0 || left.rows < t.leaf || right.rows < t.leaf {
				continue
			}
			if worth := left.worth(t.shrink) + right.worth(t.shrink); worth > best {
				best, feature, bin = worth, f, k
			}
		}
	}
	return feature, bin
}

// part puts the rows up to a bin first, and returns both parts.
func (t *boostTree) part(rows []int32, feature, bin int) (left, right []int32) {
	column := t.columns[feature]
	t.work += len(rows)
	kept := 0
	for i, r := range rows {
		if int(column[r]) <= bin {
			rows[i], rows[kept] = rows[kept], r
			kept++
		}
	}
	return rows[:kept], rows[kept:]
}

// The data: the price of houses, whether a digit is odd, and whether it has a loop.
var (
	boostHouses = sync.OnceValue(func() *boostSet {
		h := boston()
		return newBoostSet(squares, h.rows, h.targets, 338)
	})
	boostOdd  = sync.OnceValue(func() *boostSet { return boostDigits(1, 3, 5, 7, 9) })
	boostLoop = sync.OnceValue(func() *boostSet { return boostDigits(0, 6, 8, 9) })
)

// boostDigits asks whether a picture shows one of some digits.
func boostDigits(these ...int) *boostSet {
	train, validation := digits()
	var rows [][]float64
	var targets []float64
	for _, m := range []images{train.slice(0, 600), validation.slice(0, 400)} {
		for i, label := range m.labels {
			target := 0.0
			if slices.Contains(these, label) {
				target = 1
			}
			rows, targets = append(rows, m.grey[i*pixels:(i+1)*pixels]), append(targets, target)
		}
	}
	return newBoostSet(logistic, rows, targets, 600)
}
