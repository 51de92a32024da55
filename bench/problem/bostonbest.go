package problem

import "math"

// bostonBest is the largest value of the problem boston, and bostonBestAt its forest, by searchBoston.
const (
	bostonBest       = 0.6875875242686827
	bostonBestSource = "known: the best of all 212992 forests there are"
)

var bostonBestAt = forestSettings{trees: 20, depth: 12, features: 8, seed: bostonSeed}

// searchBoston tries every forest: trees, depth and features are whole numbers. It is quick for two reasons. A forest begins with
// every smaller one, so one forest of 256 trees gives the values of all sizes. And if no tree reaches the limit of depth, deeper
// limits change nothing.
func searchBoston() (at forestSettings, best float64, forests int) {
	h := boston()
	most := bostonAt([]float64{1, 1, 1})
	best = math.Inf(-1)
	for features := 1; features <= most.features; features++ {
		for depth := 1; depth <= most.depth; depth++ {
			s := forestSettings{trees: most.trees, depth: depth, features: features, seed: bostonSeed}
			scores, met := h.scores(s)
			forests += len(scores)
			for i, score := range scores {
				if score > best {
					best, at = score, s
					at.trees = i + 1
				}
			}
			if !met {
				break
			}
		}
	}
	return at, best, forests
}

// scores returns the scores of the first tree, the first two, and so on, and whether a tree reached the limit of
// depth.
func (h *housing) scores(s forestSettings) (scores []float64, met bool) {
	scores = make([]float64, s.trees)
	for k, train := range h.train {
		f := growForest(train, s)
		test := h.rows[h.from[k]:h.from[k+1]]
		sums, means := make([]float64, len(test)), make([]float64, len(test))
		for i, t := range f.trees {
			met = met || t.depth(0) >= s.depth
			for j, row := range test {
				sums[j] += t.predict(row)
				means[j] = sums[j] / float64(i+1)
			}
			scores[i] += rSquared(h.targets[h.from[k]:h.from[k+1]], means) / folds
		}
	}
	return scores, met
}

// depth returns the most splits on the way from a node to a leaf.
func (t tree) depth(from int32) int {
	if t[from].feature < 0 {
		return 0
	}
	return 1 + max(t.depth(t[from].left), t.depth(t[from].right))
}
