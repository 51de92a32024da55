package problem

import (
	"context"
	"fmt"
	"io"
	"strconv"
)

// A table of learning curves has a row for each network: its hyperparameters, and for each number of epochs the error and the work of a
// training that ends there.

// curveEpochs are the epochs after which a network is judged.
var curveEpochs = []int{1, 3, 9, 27}

// curvePictures is the number of pictures that they learn from.
const curvePictures = 400

// curveBox are the hyperparameters of the networks. They are those of the problem cnn. Networks and their training sets are smaller, since
// they learn for longer.
var curveBox = box{
	{-5, -0.5},                   // log10 of the learning rate
	{3, 6},                       // log2 of the batch size
	{1.5, 4}, {1.5, 4}, {1.5, 4}, // log2 of the units in each layer
}

// curve is a network's row of the table.
type curve struct {
	Training
	errors, work []float64 // after each of curveEpochs
}

func curveColumns() []string {
	columns := tableColumns[:5:5]
	for _, what := range []string{"error", "multiply_adds"} {
		for _, e := range curveEpochs {
			columns = append(columns, fmt.Sprintf("%s_%d", what, e))
		}
	}
	return columns
}

// TrainCurves is TrainTable for learning curves. Its tables are the same on every run.
func TrainCurves(ctx context.Context, n int, seed uint64, workers int, out io.Writer, progress func(done, total int)) error {
	return writeTable(ctx, n, workers, out, curveColumns(), progress, func(i int) []string {
		t := curveBox.drawTraining(seed, i)
		pictures, _ := digits()
		fields, results := t.fields(), trainFor(t, pictures.slice(0, curvePictures), curveEpochs...)
		for _, r := range results {
			fields = append(fields, strconv.FormatFloat(r.Error, 'g', 6, 64))
		}
		for _, r := range results {
			fields = append(fields, strconv.FormatFloat(r.Work, 'f', 0, 64))
		}
		return fields
	})
}

// readCurves reads what TrainCurves wrote.
func readCurves(in io.Reader) ([]curve, error) {
	list, err := readNumbers(in, len(curveColumns()))
	if err != nil {
		return nil, err
	}
	var rows []curve
	for _, v := range list {
		rows = append(rows, curve{training(v), v[5 : 5+len(curveEpochs)], v[5+len(curveEpochs):]})
	}
	return rows, nil
}
