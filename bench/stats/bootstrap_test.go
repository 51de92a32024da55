package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Of two values, one resample in four is all low and one in four all high, so the interval is from one to the other.
func TestBootstrapOfTwo(t *testing.T) {
	got := Bootstrap([]float64{1, 3})
	if got != (Interval{2, 1, 3}) {
		t.Errorf("%+v, want 2 from 1 to 3", got)
	}
	if again := Bootstrap([]float64{1, 3}); again != got {
		t.Errorf("%+v, then %+v", got, again)
	}
	if got := Bootstrap([]float64{4}); got.Mean != 4 || !math.IsNaN(got.Low) || !math.IsNaN(got.High) {
		t.Errorf("of one value: %+v", got)
	}
	if got := Bootstrap([]float64{5, 5, 5}); got != (Interval{5, 5, 5}) {
		t.Errorf("without spread: %+v", got)
	}
}

// Of many values it is the normal interval, with the standard deviation of the sample.
func TestBootstrapOfMany(t *testing.T) {
	var values []float64
	for i := range 400 {
		values = append(values, float64(i%20)) // mean 9.5, variance 33.25
	}
	half := 1.96 * math.Sqrt(33.25/400)
	got := Bootstrap(values)
	near(t, "mean", got.Mean, 9.5, 1e-12)
	near(t, "low", got.Low, 9.5-half, 0.05)
	near(t, "high", got.High, 9.5+half, 0.05)
}

// Every group counts the same, however many values it has. Within the groups there is no spread here; if groups are drawn, 0 and 6 have
// means of 0, 3 and 6.
func TestGroups(t *testing.T) {
	groups := [][]float64{{0, 0, 0, 0}, {6}}
	if got := Within(groups); got != (Interval{3, 3, 3}) {
		t.Errorf("within: %+v", got)
	}
	if got := Between(groups); got != (Interval{3, 0, 6}) {
		t.Errorf("between: %+v", got)
	}
	if got, want := Between([][]float64{{1, 3}}), Bootstrap([]float64{1, 3}); got != want {
		t.Errorf("of one group: %+v, want %+v", got, want)
	}
	if got := Between(nil); !math.IsNaN(got.Mean) {
		t.Errorf("of nothing: %+v", got)
	}
}

// Of groups that differ by chance alone, the interval over groups is that of all values: their spread counts once.
func TestBetweenCountsSpreadOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	groups := make([][]float64, 200)
	for i := range groups {
		for range 5 {
			groups[i] = append(groups[i], rng.NormFloat64())
		}
	}
	half := 1.96 / math.Sqrt(200*5)
	for name, got := range map[string]Interval{"between": Between(groups), "within": Within(groups)} {
		near(t, name, (got.High-got.Low)/2, half, 0.15*half)
	}
}

func TestRanks(t *testing.T) {
	for _, c := range []struct {
		values []float64
		tie    float64
		want   []float64
	}{
		{[]float64{3, 1, 2}, 0, []float64{3, 1, 2}},
		{[]float64{1, 1, 0}, 0, []float64{2.5, 2.5, 1}},
		{[]float64{2, 2, 2, 2}, 0, []float64{2.5, 2.5, 2.5, 2.5}},
		{[]float64{1, 1.05, 3}, 0.1, []float64{1.5, 1.5, 3}},
	} {
		if got := Ranks(c.values, c.tie); !slices.Equal(got, c.want) {
			t.Errorf("%v within %v: %v, want %v", c.values, c.tie, got, c.want)
		}
	}
}
