package problem

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// cnn-fidelity: the error of a small convolutional network after up to 27 epochs. Errors are those of a forest for each number of epochs, on
// the table that TrainCurves made; the forests draw the same rows and so share their errors, as learning curves do. Prices are the
// multiply-adds of the training, which follow from the hyperparameters.

// curvesFile is the table that TrainCurves wrote for 600 networks and seed 1.
//
//go:embed data/curves.csv.gz
var curvesFile []byte

// curvesTrials is the budget, in trainings of 27 epochs at an average price.
const curvesTrials = 16

// curveForests are the surrogates, one for each of curveEpochs.
var curveForests = sync.OnceValue(func() []*forest {
	rows, err := openCurves(curvesFile)
	if err != nil {
		panic(fmt.Sprintf("problem: the learning curves in the binary: %v", err))
	}
	return fitCurves(rows)
})

func openCurves(file []byte) ([]curve, error) {
	plain, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	table, err := io.ReadAll(plain)
	if err != nil {
		return nil, err
	}
	return readCurves(bytes.NewReader(table))
}

func fitCurves(rows []curve) (forests []*forest) {
	var units [][]float64
	for _, r := range rows {
		units = append(units, r.unitIn(curveBox))
	}
	for k := range curveEpochs {
		var errors []float64
		for _, r := range rows {
			errors = append(errors, r.errors[k])
		}
		forests = append(forests, growForest(newTable(units, errors), forestSettings{trees: 100, seed: 1}))
	}
	return forests
}

// curvePrice returns the multiply-adds of a training, as trainFor counts them.
func curvePrice(t Training, epochs int) float64 {
	_, validation := digits()
	n := &network{units: t.Units, batch: t.Batch}
	work := 0.0
	for i := 0; i < curvePictures; i += t.Batch {
		work += n.stepWork(min(t.Batch, curvePictures-i))
	}
	return float64(epochs)*work + n.forwardWork(validation.len())
}

// curvesBest is the lowest error after all epochs that searchCurves found.
const curvesBest = 0.056210805999999731

// searchCurves looks for the lowest error after all epochs: it descends from every this many networks of the table by one coordinate at a time,
// and from the best few places where that ends by two.
func searchCurves(every int) float64 {
	rows, _ := openCurves(curvesFile) // curveForests has read it before
	c := &cells{forest: curveForests()[len(curveEpochs)-1]}
	var found []candidate
	for i := 0; i < len(rows); i += every {
		at := rows[i].unitIn(curveBox)
		found = append(found, candidate{at, -c.descend(at)})
	}
	slices.SortStableFunc(found, byValue)
	best := -found[0].value
	for _, f := range found[:min(4, len(found))] {
		best = math.Min(best, c.descendInPairs(f.at))
	}
	return best
}

// curvesTask has the hyperparameters as numbers between bounds, since the forests are defined there, and prices networks of whole units.
func curvesTask(d *dice, _ string) (*Task, error) {
	at := func(s space.Setting) int {
		epochs, given := s[epochsName].Number()
		if !given {
			return len(curveEpochs) - 1
		}
		return slices.Index(curveEpochs, int(epochs))
	}
	t := &Task{
		Params: floats(curveBox), Goal: study.Minimize, Budget: curvesTrials, Best: curvesBest,
		Evaluate: func(s space.Setting) (float64, float64) {
			unit, k := curveBox.unit(curveBox.point(s)), at(s)
			return curveForests()[k].predict(unit), curvePrice(curveBox.training(unit), curveEpochs[k])
		},
	}
	t.finish(d.seed)
	t.Fidelity = &study.Fidelity{Name: epochsName, Min: 1, Max: 27, Log: true} // its levels are curveEpochs
	return t, nil
}

// epochsName is the entry of a setting.
const epochsName = "epochs"
