package problem

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/space"
)

// The table in the binary came from TrainCurves. Errors may differ a little on machines that round otherwise.
func TestCurves(t *testing.T) {
	rows, err := openCurves(curvesFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 600 {
		t.Errorf("%d networks", len(rows))
	}
	smallest := 0
	for i, r := range rows {
		if r.Training != curveBox.drawTraining(1, i) {
			t.Fatalf("row %d: %+v, drawn %+v", i, r.Training, curveBox.drawTraining(1, i))
		}
		for k, e := range curveEpochs {
			if !(r.errors[k] > 0 && r.errors[k] <= 1) || r.work[k] != curvePrice(r.Training, e) {
				t.Errorf("row %d after %d epochs: error %v, work %v, not %v", i, e, r.errors[k], r.work[k], curvePrice(r.Training, e))
			}
		}
		if r.work[0] < rows[smallest].work[0] {
			smallest = i
		}
	}
	pictures, _ := digits()
	for k, got := range trainFor(rows[smallest].Training, pictures.slice(0, curvePictures), curveEpochs[:3]...) {
		if r := rows[smallest]; !near(got.Error, r.errors[k], 0.03) || got.Work != r.work[k] {
			t.Errorf("row %d trained again: %+v, kept %v and %v", smallest, got, r.errors[k], r.work[k])
		}
	}
}

// More epochs tell more, and even one tells something.
func TestCurvesTell(t *testing.T) {
	rows, err := openCurves(curvesFile)
	if err != nil {
		t.Fatal(err)
	}
	column := func(k int) (list []float64) {
		for _, r := range rows {
			list = append(list, r.errors[k])
		}
		return list
	}
	last := 0.0
	for k := range 3 {
		corr := correlation(ranksOf(column(k)), ranksOf(column(3)))
		t.Logf("after %d epochs the rank correlation with the end is %.2f", curveEpochs[k], corr)
		if corr < 0.3 || corr < last {
			t.Errorf("after %d epochs the correlation is %.2f, before %.2f", curveEpochs[k], corr, last)
		}
		last = corr
	}
}

func ranksOf(values []float64) []float64 {
	sorted, ranks := slices.Sorted(slices.Values(values)), make([]float64, len(values))
	for i, v := range values {
		at, _ := slices.BinarySearch(sorted, v)
		ranks[i] = float64(at)
	}
	return ranks
}

func correlation(a, b []float64) float64 {
	var ma, mb, ab, aa, bb float64
	for i := range a {
		ma, mb = ma+a[i]/float64(len(a)), mb+b[i]/float64(len(a))
	}
	for i := range a {
		ab, aa, bb = ab+(a[i]-ma)*(b[i]-mb), aa+(a[i]-ma)*(a[i]-ma), bb+(b[i]-mb)*(b[i]-mb)
	}
	return ab / math.Sqrt(aa*bb)
}

// The best that the task states is that of the search from all networks, which EKE_LONG=1 repeats; from a few it is not beaten.
func TestCurvesBest(t *testing.T) {
	every, slack := 60, 0.5
	if os.Getenv("EKE_LONG") != "" {
		every, slack = 1, 1e-9
	}
	if got := searchCurves(every); got < curvesBest-1e-12 || got > curvesBest*(1+slack) {
		t.Errorf("the search finds %.17g, the task states %v", got, curvesBest)
	}
}

func TestCurvesTask(t *testing.T) {
	task := mustMake(t, "cnn-fidelity", 0)
	if got := task.Fidelity.Levels(); !slices.Equal(got, []float64{1, 3, 9, 27}) {
		t.Errorf("levels %v", got)
	}
	rows, err := openCurves(curvesFile)
	if err != nil {
		t.Fatal(err)
	}
	least := 1.0
	for _, r := range rows[:50] {
		s, x := space.Setting{}, curveBox.at(r.unitIn(curveBox))
		for i, p := range task.Params {
			s[p.Name] = space.Float(math.Min(math.Max(x[i], curveBox[i].low), curveBox[i].high))
		}
		value, _ := task.Evaluate(s)
		least = math.Min(least, value)
	}
	if !(task.Best > 0 && task.Best <= least) {
		t.Errorf("the best is %v, a network has %v", task.Best, least)
	}
}

func TestCurvesRefuseBrokenTables(t *testing.T) {
	for _, text := range []string{"a,b\n1,2\n", "a,b\n1,two\n", "a\n1,2\n"} {
		if rows, err := readCurves(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %+v", text, rows)
		}
	}
	if _, err := openCurves([]byte("no table")); err == nil {
		t.Error("what is not compressed is accepted")
	}
	var empty bytes.Buffer
	if err := gzip.NewWriter(&empty).Close(); err != nil {
		t.Fatal(err)
	}
	if rows, err := openCurves(empty.Bytes()); err != nil || len(rows) != 0 {
		t.Errorf("an empty table: %v, %v", rows, err)
	}
}
