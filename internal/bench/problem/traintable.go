package problem

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"sync"
)

// A table of trained networks is a CSV file with these columns.
var tableColumns = []string{"log10_rate", "batch", "units1", "units2", "units3", "error", "multiply_adds", "seconds"}

// tableRow is one trained network.
type tableRow struct {
	Training
	Trained
}

// TrainTable trains n networks at hyperparameters drawn from the seed and writes them to out as CSV, in the order drawn
// whatever the number of workers, each as soon as those before it are there. Progress, if not nil, is called after every row
// with the number of rows written. Only the column of seconds differs from run to run. When ctx ends, TrainTable ends too, and
// the finished rows are written.
func TrainTable(ctx context.Context, n int, seed uint64, workers int, out io.Writer, progress func(done, total int)) error {
	ctx, cancel := context.WithCancel(ctx)
	rows := make([]chan tableRow, n)
	for i := range rows {
		rows[i] = make(chan tableRow, 1)
	}
	next := make(chan int)
	var running sync.WaitGroup
	defer running.Wait() // last of all
	defer cancel()
	running.Go(func() {
		defer close(next)
		for i := range n {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for range max(workers, 1) {
		running.Go(func() {
			for i := range next {
				t := drawTraining(seed, i)
				rows[i] <- tableRow{t, Train(t)}
			}
		})
	}
	w := csv.NewWriter(out)
	if err := writeRow(w, tableColumns); err != nil {
		return err
	}
	for i, row := range rows {
		select {
		case r := <-row:
			if err := writeRow(w, r.fields()); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		if progress != nil {
			progress(i+1, n)
		}
	}
	return nil
}

// drawTraining draws the hyperparameters of row i, uniform in the unit cube: a longer table begins with the shorter one.
func drawTraining(seed uint64, i int) Training {
	rng := rand.New(rand.NewPCG(seed, uint64(i)))
	unit := make([]float64, len(cnnBox))
	for j := range unit {
		unit[j] = rng.Float64()
	}
	return trainingAt(unit)
}

func writeRow(w *csv.Writer, fields []string) error {
	if err := w.Write(fields); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

func (r tableRow) fields() []string {
	number := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	return []string{
		number(r.LogRate, 4), strconv.Itoa(r.Batch),
		strconv.Itoa(r.Units[0]), strconv.Itoa(r.Units[1]), strconv.Itoa(r.Units[2]),
		strconv.FormatFloat(r.Error, 'g', 6, 64), number(r.Work, 0), number(r.Seconds, 2),
	}
}

// readTable reads what TrainTable wrote.
func readTable(in io.Reader) ([]tableRow, error) {
	records, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []tableRow
	for i, record := range records {
		if i == 0 {
			continue // the names of the columns
		}
		v := make([]float64, len(record))
		for k, field := range record {
			if v[k], err = strconv.ParseFloat(field, 64); err != nil {
				return nil, err
			}
		}
		if len(v) != len(tableColumns) {
			return nil, fmt.Errorf("row %d has %d fields", i+1, len(v))
		}
		rows = append(rows, tableRow{
			Training{v[0], int(v[1]), [3]int{int(v[2]), int(v[3]), int(v[4])}},
			Trained{v[5], v[6], v[7]},
		})
	}
	return rows, nil
}
