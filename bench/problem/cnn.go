package problem

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"sync"
)

// CNN: the three layers of a convolutional network, its learning rate and its batch size. The paper trained on CIFAR-10 and
// then optimised random-forest surrogates of the results. Here the pictures are the digits. The ranges of batch and units are
// a quarter or less of the paper's (32–512 and 16–256), because pictures and training set are smaller. The surrogates are the
// forests of forest.go, on the table that TrainTable made.
var cnnBox = box{
	{-6, 0},                // log10 of the learning rate
	{2, 6},                 // log2 of the batch size
	{2, 6}, {2, 6}, {2, 6}, // log2 of the units in each layer
}

// cnnFile is the table that TrainTable wrote for 800 networks and seed 1.
//
//go:embed data/cnn.csv
var cnnFile []byte

// cnnHour is how many multiply-adds count as an hour. The paper's networks took hours, and these take seconds. By this measure the
// most expensive ones take 1.25 hours and the mean is 0.15, so the paper's ten hours buy eight of the most expensive or about
// seventy of any kind.
const cnnHour = 1e10

// cnnSurrogates are forests, of scikit-learn's default size, on the table: one for the validation error, one for ln hours.
type cnnSurrogates struct{ error, logHours *forest }

var cnnForests = sync.OnceValue(func() cnnSurrogates {
	rows, err := readTable(bytes.NewReader(cnnFile))
	if err != nil {
		panic(fmt.Sprintf("problem: the networks in the binary: %v", err))
	}
	return fitCNN(rows)
})

func fitCNN(rows []tableRow) cnnSurrogates {
	var units [][]float64
	var errors, logHours []float64
	for _, r := range rows {
		units = append(units, r.unit())
		errors = append(errors, r.Error)
		logHours = append(logHours, r.logHours())
	}
	settings := forestSettings{trees: 100, seed: 1}
	return cnnSurrogates{growForest(newTable(units, errors), settings), growForest(newTable(units, logHours), settings)}
}

func (r tableRow) logHours() float64 { return math.Log(r.Work / cnnHour) }

func cnn(uint64, string) (*Problem, error) {
	return &Problem{
		Dim: len(cnnBox), Budget: 10,
		Best: cnnBest, BestAt: cnnBestAt, BestSource: cnnBestSource,
		Evaluate: func(unit []float64) (value, cost float64) {
			cnnBox.check(unit)
			s := cnnForests()
			return -s.error.predict(unit), math.Exp(s.logHours.predict(unit))
		},
	}, nil
}

// trainingAt returns the hyperparameters at a point of the unit cube: whole pictures and units, and a learning rate of
// as many digits as the table keeps.
func trainingAt(unit []float64) Training { return cnnBox.training(unit) }

func (b box) training(unit []float64) Training {
	x := b.at(unit)
	whole := func(log2 float64) int { return int(math.Round(math.Exp2(log2))) }
	return Training{
		LogRate: math.Round(x[0]*1e4) / 1e4,
		Batch:   whole(x[1]),
		Units:   [3]int{whole(x[2]), whole(x[3]), whole(x[4])},
	}
}

// unit returns the point of the unit cube that stands for the hyperparameters.
func (t Training) unit() []float64 { return t.unitIn(cnnBox) }

func (t Training) unitIn(b box) []float64 {
	x := []float64{t.LogRate, math.Log2(float64(t.Batch))}
	for _, u := range t.Units {
		x = append(x, math.Log2(float64(u)))
	}
	return b.unit(x)
}
