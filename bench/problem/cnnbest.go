package problem

import (
	"bytes"
	"math"
	"slices"
)

// cnnBest is the largest value of the problem cnn that searchCNN found; 800 starts end in five places, and this is the best of them.
const (
	cnnBest       = -0.02185698300000001
	cnnBestSource = "long search of 115175 lines through the surrogate, each in full"
)

var cnnBestAt = []float64{0.6380958333333334, 0.05668066222553239, 0.9140743334881349, 0.8205949680281402, 0.9597361249843079}

// searchCNN looks for the largest value of the problem cnn: it descends from every network of the table by one coordinate at a time, and from
// every place that ends in by two.
func searchCNN() (best candidate, profiles int) {
	rows, _ := readTable(bytes.NewReader(cnnFile)) // cnnForests has read it before
	c := &cells{forest: cnnForests().error}
	var found []candidate
	for _, r := range rows {
		at := r.unit()
		found = append(found, candidate{at, -c.descend(at)})
	}
	slices.SortStableFunc(found, byValue)
	found = slices.CompactFunc(found, func(a, b candidate) bool { return math.Abs(a.value-b.value) < 1e-12 })
	best = found[0]
	for _, f := range found {
		if value := -c.descendInPairs(f.at); value > best.value {
			best = candidate{f.at, value}
		}
	}
	best.value = -c.forest.predict(best.at)
	return best, c.evaluations
}
