package problem

import "math"

// CNN: the three layers of a convolutional network, its learning rate and its batch size. The paper trained on CIFAR-10 and
// then optimised random-forest surrogates of the results; here the pictures are the digits, the ranges of batch and units are
// a quarter or less of the paper's (32–512 and 16–256), as pictures and training set are smaller, and the surrogates are
// those of forest.go, on the table that TrainTable made.
var cnnBox = box{
	{-6, 0},                // log10 of the learning rate
	{2, 6},                 // log2 of the batch size
	{2, 6}, {2, 6}, {2, 6}, // log2 of the units in each layer
}

// trainingAt returns the hyperparameters at a point of the unit cube: whole pictures and units, and a learning rate of
// as many digits as the table keeps.
func trainingAt(unit []float64) Training {
	x := cnnBox.at(unit)
	whole := func(log2 float64) int { return int(math.Round(math.Exp2(log2))) }
	return Training{
		LogRate: math.Round(x[0]*1e4) / 1e4,
		Batch:   whole(x[1]),
		Units:   [3]int{whole(x[2]), whole(x[3]), whole(x[4])},
	}
}

// unit returns the point of the unit cube that stands for the hyperparameters.
func (t Training) unit() []float64 {
	x := []float64{t.LogRate, math.Log2(float64(t.Batch))}
	for _, u := range t.Units {
		x = append(x, math.Log2(float64(u)))
	}
	return cnnBox.unit(x)
}
