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
	return writeTable(ctx, n, workers, out, tableColumns, progress, func(i int) []string {
		t := drawTraining(seed, i)
		return tableRow{t, Train(t)}.fields()
	})
}

// writeTable writes the rows of a table, as many of which are made at a time as there are workers.
func writeTable(ctx context.Context, n, workers int, out io.Writer, columns []string, progress func(done, total int), row func(i int) []string) error {
	ctx, cancel := context.WithCancel(ctx)
	rows := make([]chan []string, n)
	for i := range rows {
		rows[i] = make(chan []string, 1)
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
				rows[i] <- row(i)
			}
		})
	}
	w := csv.NewWriter(out)
	if err := writeRow(w, columns); err != nil {
		return err
	}
	for i, made := range rows {
		select {
		case fields := <-made:
			if err := writeRow(w, fields); err != nil {
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
func drawTraining(seed uint64, i int) Training { return cnnBox.drawTraining(seed, i) }

func (b box) drawTraining(seed uint64, i int) Training {
	rng := rand.New(rand.NewPCG(seed, uint64(i)))
	unit := make([]float64, len(b))
	for j := range unit {
		unit[j] = rng.Float64()
	}
	return b.training(unit)
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
	return append(r.Training.fields(), strconv.FormatFloat(r.Error, 'g', 6, 64), number(r.Work, 0), number(r.Seconds, 2))
}

func (t Training) fields() []string {
	return []string{
		strconv.FormatFloat(t.LogRate, 'f', 4, 64), strconv.Itoa(t.Batch),
		strconv.Itoa(t.Units[0]), strconv.Itoa(t.Units[1]), strconv.Itoa(t.Units[2]),
	}
}

// training returns the hyperparameters at the beginning of a row.
func training(v []float64) Training {
	return Training{v[0], int(v[1]), [3]int{int(v[2]), int(v[3]), int(v[4])}}
}

func numbers(fields []string) ([]float64, error) {
	list := make([]float64, len(fields))
	for i, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

// readNumbers reads a table of numbers whose first row has the names of its columns.
func readNumbers(in io.Reader, columns int) (rows [][]float64, err error) {
	records, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, err
	}
	for i, record := range records {
		if i == 0 {
			continue
		}
		v, err := numbers(record)
		if err != nil {
			return nil, err
		}
		if len(v) != columns {
			return nil, fmt.Errorf("row %d has %d fields", i+1, len(v))
		}
		rows = append(rows, v)
	}
	return rows, nil
}

// readTable reads what TrainTable wrote.
func readTable(in io.Reader) ([]tableRow, error) {
	list, err := readNumbers(in, len(tableColumns))
	if err != nil {
		return nil, err
	}
	var rows []tableRow
	for _, v := range list {
		rows = append(rows, tableRow{training(v), Trained{v[5], v[6], v[7]}})
	}
	return rows, nil
}
