package paper

import (
	"math"
	"slices"

	"github.com/eke-bo/eke/acq"
	"github.com/eke-bo/eke/lookahead"
)

// planValues returns, for each point of the grid as a root, the value of the best path from there: grown greedily or
// taken from a neighbour, then improved node by node over the grid until nothing gets better.
func planValues(b acq.Belief, fantasies []int) ([]float64, error) {
	shape, err := lookahead.NewShape(fantasies)
	if err != nil {
		return nil, err
	}
	// On a path all samples are zero, so the seed does not matter.
	tree, err := lookahead.New(b, shape, lookahead.SobolSamples(fantasies, 0), lookahead.Options{})
	if err != nil {
		return nil, err
	}
	walk, grower := tree.NewWalk(), lookahead.NewPool(b, gridOfLine).NewGrower(tree)
	values, paths := make([]float64, len(gridOfLine)), make([][]float64, len(gridOfLine))
	try := func(root int, nodes []float64) {
		nodes[0] = gridOfLine[root]
		if v := math.Exp(improveBelowRoot(walk, nodes)); v > values[root] || paths[root] == nil {
			values[root], paths[root] = v, nodes
		}
	}
	for root := range gridOfLine {
		grown, _ := grower.Grow([]int{root}, nil)
		try(root, grown)
	}
	// What is good after a root is good after its neighbour: once up the line and once down.
	for root := 1; root < len(gridOfLine); root++ {
		try(root, slices.Clone(paths[root-1]))
	}
	for root := len(gridOfLine) - 2; root >= 0; root-- {
		try(root, slices.Clone(paths[root+1]))
	}
	return values, nil
}

// improveBelowRoot moves one node after another, the root excepted, to the grid's best point for it.
func improveBelowRoot(walk *lookahead.Walk, nodes []float64) (logValue float64) {
	logValue = walk.LogValue(nil, nodes)
	for better := true; better; {
		better = false
		for j := 1; j < len(nodes); j++ {
			best := nodes[j]
			for _, x := range gridOfLine {
				nodes[j] = x
				if v := walk.LogValue(nil, nodes); v > logValue+1e-9 {
					logValue, best, better = v, x, true
				}
			}
			nodes[j] = best
		}
	}
	return logValue
}
