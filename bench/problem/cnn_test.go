package problem

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

var smallTraining = Training{LogRate: -2, Batch: 10, Units: [3]int{6, 8, 8}}

func TestTrainLearns(t *testing.T) {
	got := Train(smallTraining)
	if got.Error > 0.15 || got.Error <= 0 {
		t.Errorf("error %v", got.Error)
	}
	if again := Train(smallTraining); again.Error != got.Error || again.Work != got.Work {
		t.Errorf("%+v, then %+v", got, again)
	}
	// 6 passes over 1000 pictures in 100 steps each. A pass of one picture forward has 64·9·6 + 16·54·8 + 32·8 + 8·10 products,
	// and there are (9+1)·6 + (54+1)·8 + (32+1)·8 + (8+1)·10 parameters.
	const forward, first, parameters = 3456 + 6912 + 256 + 80, 3456, 60 + 440 + 264 + 90
	if want := 6.*(1000*(3*forward-first)+100*adamWork*parameters) + 797*forward; got.Work != want {
		t.Errorf("work %v, want %v", got.Work, want)
	}
}

// A rate at which training diverges gives a bad value, not an error.
func TestTrainDiverging(t *testing.T) {
	if got := Train(Training{LogRate: 0, Batch: 8, Units: [3]int{4, 4, 4}}); got.Error < 0.5 || got.Error > 1 {
		t.Errorf("error %v", got.Error)
	}
}

func TestDigits(t *testing.T) {
	train, validation := digits()
	if train.len() != 1000 || validation.len() != 797 {
		t.Errorf("%d and %d pictures", train.len(), validation.len())
	}
	if slices.Min(train.grey) != 0 || slices.Max(train.grey) != 1 {
		t.Error("grey levels are not from 0 to 1")
	}
}

func TestTrainingRange(t *testing.T) {
	for _, c := range []struct {
		unit []float64
		want Training
	}{
		{[]float64{0, 0, 0, 0, 0}, Training{-6, 4, [3]int{4, 4, 4}}},
		{[]float64{1, 1, 1, 1, 1}, Training{0, 64, [3]int{64, 64, 64}}},
		{[]float64{0.5, 0.5, 0.5, 0.25, 0.75}, Training{-3, 16, [3]int{16, 8, 32}}},
	} {
		if got := trainingAt(c.unit); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.unit, got, c.want)
		}
		if got := c.want.unit(); !slices.Equal(got, c.unit) {
			t.Errorf("%+v: at %v, want %v", c.want, got, c.unit)
		}
	}
	for i := range 100 {
		drawn := drawTraining(7, i)
		if back := trainingAt(drawn.unit()); back != drawn {
			t.Errorf("%+v, by way of the unit cube %+v", drawn, back)
		}
	}
}

// withoutSeconds is the part of a table that is the same on every machine.
func withoutSeconds(t *testing.T, text string) []tableRow {
	t.Helper()
	rows, err := readTable(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rows[i].Seconds = 0
	}
	return rows
}

// The same rows in the same order, however many train at a time, and a longer table begins with a shorter one.
func TestTrainTable(t *testing.T) {
	const seed = 65 // three small networks; the first takes longest
	var one, two bytes.Buffer
	var told []int
	progress := func(done, total int) { told = append(told, done, total) }
	if err := TrainTable(t.Context(), 3, seed, 2, &one, progress); err != nil {
		t.Fatal(err)
	}
	if err := TrainTable(t.Context(), 2, seed, 1, &two, nil); err != nil {
		t.Fatal(err)
	}
	long, short := withoutSeconds(t, one.String()), withoutSeconds(t, two.String())
	if len(long) != 3 || !slices.Equal(long[:2], short) {
		t.Errorf("tables of three and two networks:\n%+v\n%+v", long, short)
	}
	for i, row := range long {
		if row.Training != drawTraining(seed, i) {
			t.Errorf("row %d: %+v", i, row.Training)
		}
	}
	if !slices.Equal(told, []int{1, 3, 2, 3, 3, 3}) {
		t.Errorf("progress %v", told)
	}
}

// The table in the binary came from here. Errors may differ a little on machines that round otherwise.
func TestCNNTable(t *testing.T) {
	rows, err := readTable(bytes.NewReader(cnnFile))
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if row.Training != drawTraining(1, i) {
			t.Errorf("row %d: %+v, drawn %+v", i, row.Training, drawTraining(1, i))
		}
		if row.Error <= 0 || row.Error > 1 || row.Work <= 0 || row.Seconds <= 0 {
			t.Errorf("row %d: %+v", i, row.Trained)
		}
	}
	first := Train(rows[0].Training)
	if !near(first.Error, rows[0].Error, 0.02) || first.Work != rows[0].Work {
		t.Errorf("trained again %+v, kept %+v", first, rows[0].Trained)
	}
}

func TestTrainTableStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if err := TrainTable(ctx, 1000, 1, 1, &out, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	full := errors.New("disk full")
	if err := TrainTable(t.Context(), 1000, 1, 1, refusing{full}, nil); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

// refusing is a writer that always fails.
type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }

func TestTableRefusesBrokenRows(t *testing.T) {
	for _, text := range []string{"a,b\n1,2\n", "a,b\n1,two\n", "a\n1,2\n"} {
		if rows, err := readTable(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %+v", text, rows)
		}
	}
}

// The surrogates must distinguish networks that they have not seen: fitted to four fifths of the table, they predict the
// rest.
func TestCNNSurrogatesPredict(t *testing.T) {
	rows, err := readTable(bytes.NewReader(cnnFile))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 600 {
		t.Errorf("%d networks", len(rows))
	}
	cut := len(rows) * 4 / 5
	s, all := fitCNN(rows[:cut]), fitCNN(rows)
	var errs, seen, logs, seenLogs []float64
	for _, r := range rows[cut:] {
		errs, logs = append(errs, s.error.predict(r.unit())), append(logs, s.logHours.predict(r.unit()))
		seen, seenLogs = append(seen, r.Error), append(seenLogs, r.logHours())
	}
	if r2 := rSquared(seen, errs); r2 < 0.7 {
		t.Errorf("errors: R² = %v", r2)
	}
	if r2 := rSquared(seenLogs, logs); r2 < 0.95 {
		t.Errorf("ln hours: R² = %v", r2)
	}
	if got, want := all.error.predict(rows[0].unit()), cnnForests().error.predict(rows[0].unit()); got != want {
		t.Errorf("the same table gives %v and %v", got, want)
	}
}
