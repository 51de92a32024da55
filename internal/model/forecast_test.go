package model

import (
	"math"
	"slices"
	"testing"

	"github.com/eke-bo/eke/gp"
	"github.com/eke-bo/eke/internal/maximise"
	"github.com/eke-bo/eke/internal/student"
)

// skewed is a study whose values, a few of which are far below the others, are modelled after a transformation.
func skewed(n int) State {
	s := State{Dim: 2, Parameters: 2, Initial: 30, Remaining: 20, Seed: 5, Trial: n}
	for _, x := range maximise.RawPoints(n, 2, 3) {
		off := (x[0]-0.3)*(x[0]-0.3) + (x[1]-0.6)*(x[1]-0.6)
		s.X, s.Y, s.LnCost = append(s.X, x), append(s.Y, -math.Exp(6*off)), append(s.LnCost, x[0])
	}
	return s
}

func believed(t *testing.T, s *State, paper bool) *Beliefs {
	t.Helper()
	f, err := NewFitter(Settings{Paper: paper, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Believe(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The chance to beat a value is what the forecast's distribution has above it: Student's after the transformation, whose quantiles are
// those of the values.
func TestChanceIsThatOfTheForecast(t *testing.T) {
	s := skewed(14)
	for _, tails := range []bool{true, false} {
		d := believed(t, &s, !tails)
		if tails && d.Warp == (gp.Warp{}) {
			t.Fatal("the values are modelled as they are")
		}
		widths := d.widths()
		for _, x := range [][]float64{{0.9, 0.1}, {0.35, 0.5}, s.X[3]} {
			mean, sd := d.Belief.Objective.PosteriorSD(x)
			if tails {
				scale, near := plainScale(d.Belief.Objective, 0, x, sd)
				sd = scale * widths[0].of(near)
			}
			for _, value := range []float64{mean - sd, mean, mean + 3*sd} {
				sum, step := 0.0, sd/200
				for y := value + step/2; y < mean+400*sd; y += step { // the slow twin adds up the density
					z := (y - mean) / sd
					if tails {
						sum += student.PDF(z) * step / sd
					} else {
						sum += math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * step / sd
					}
				}
				if got := d.chanceAbove(d.Belief.Objective, 0, x, value, widths[0]); math.Abs(got-sum) > 1e-5 {
					t.Errorf("tails %v at %v: %v, the density above has %v", tails, x, got, sum)
				}
			}
		}
	}
}

// The band of a forecast holds 80 %, with a tenth on either side, and is as lopsided as the values.
func TestBandOfTheForecast(t *testing.T) {
	s := skewed(14)
	for _, tails := range []bool{true, false} {
		d := believed(t, &s, !tails)
		widths := d.widths()
		for _, x := range [][]float64{{0.9, 0.1}, {0.35, 0.5}} {
			f := d.Expect(x, 1)
			for _, end := range []struct{ value, above float64 }{{f.ValueLow, 0.9}, {f.Value, 0.5}, {f.ValueHigh, 0.1}} {
				if got := d.chanceAbove(d.Belief.Objective, value, x, d.Warp.To(end.value), widths[0]); math.Abs(got-end.above) > 1e-6 {
					t.Errorf("tails %v at %v: the value is above %v with a chance of %v, want %v", tails, x, end.value, got, end.above)
				}
			}
			if below, above := f.Value-f.ValueLow, f.ValueHigh-f.Value; tails && !(below > above) {
				t.Errorf("tails %v at %v: %v below and %v above, though bad values lie far below", tails, x, below, above)
			}
		}
	}
}

// Where nothing is left to know, a value is above another or it is not.
func TestChanceOfWhatIsKnown(t *testing.T) {
	s := skewed(14)
	d := believed(t, &s, true)
	mean, sd := d.Belief.Objective.PosteriorSD(s.X[3])
	for value, want := range map[float64]float64{mean - 1e6*sd - 1: 1, mean + 1e6*sd + 1: 0} {
		if got := d.chanceAbove(d.Belief.Objective, 0, s.X[3], value, width{1, 1}); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// The chance to beat a best value that several settings have is as many times less. Two results of one setting are no tie, and with noise there is none.
func TestChanceAtACeiling(t *testing.T) {
	s := skewed(14)
	top := Highest(s.Y)
	odds := func(s State, set Settings) float64 {
		f, err := NewFitter(set)
		if err != nil {
			t.Fatal(err)
		}
		d, err := f.Believe(t.Context(), &s)
		if err != nil {
			t.Fatal(err)
		}
		place, _ := d.Top()
		if d.IsNoisy() {
			return 1 / float64(d.Ties())
		}
		return d.Beats()([]float64{0.31, 0.77}) / d.chanceAbove(d.Belief.Objective, value, []float64{0.31, 0.77}, d.Values[place], d.widths()[value])
	}
	s.X[top], s.X[12], s.Y[top], s.Y[12] = s.X[12], s.X[top], s.Y[12], s.Y[top]
	top = 12
	const other = 13
	for name, c := range map[string]struct {
		x    []float64
		set  Settings
		want float64
	}{
		"two settings": {s.X[other], Settings{}, 0.5},
		"one setting":  {s.X[top], Settings{}, 1},
		"noise":        {s.X[other], Settings{Noise: Noisy()}, 1},
	} {
		same := s
		same.X, same.Y = slices.Clone(s.X), slices.Clone(s.Y)
		same.X[other], same.Y[other] = c.x, s.Y[top]
		if got := odds(same, c.set); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: the chance is %v times as large, want %v", name, got, c.want)
		}
	}
}
