package transfer

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/space"
)

func TestCopiesAreListed(t *testing.T) {
	listed := slices.Sorted(slices.Values(Copies()))
	if have := slices.Sorted(maps.Keys(copies)); !slices.Equal(have, listed) {
		t.Errorf("there are %v, and %v are listed", have, listed)
	}
}

// A copy has the value and the cost of its problem at a setting that is as far away as its kind says, stretched and lifted, and no dearer than it says.
func TestCopies(t *testing.T) {
	task, err := problem.NewTask("branin-smooth", 3, "")
	if err != nil {
		t.Fatal(err)
	}
	sp, err := space.New(task.Params)
	if err != nil {
		t.Fatal(err)
	}
	task.Evaluate = func(s space.Setting) (value, cost float64) { // so that values and costs say where they were asked for
		u, err := sp.Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		return u[0], 1 + u[1]
	}
	u := []float64{0.4, 0.6}
	for kind, want := range map[string]likeness{"same": {0, 0, 1}, "near": {0.01, 0.03, 1}, "equal-cost": {0.05, 0.1, 1}, "shifted": {0.05, 0.1, 1.5}} {
		c, err := copies[kind](task)
		if err != nil {
			t.Fatal(err)
		}
		value, cost := c.Evaluate(sp.Decode(u))
		for j, at := range []float64{(value - lift*task.Scale) / stretch, cost/want.dearer - 1} {
			if d := math.Abs(at - u[j]); d < want.leastShift-1e-9 || d > want.mostShift+1e-9 {
				t.Errorf("%s: coordinate %d is %v away, want %v to %v", kind, j, d, want.leastShift, want.mostShift)
			}
		}
	}
}

func TestReflected(t *testing.T) {
	for x, want := range map[float64]float64{-0.25: 0.25, 0.5: 0.5, 1.25: 0.75} {
		if got := reflected(x); got != want {
			t.Errorf("%v becomes %v, want %v", x, got, want)
		}
	}
}

// A study from nothing gets to −1 in the end; from a copy it gets there with two fifths of the money, and from an unrelated one never.
func TestReport(t *testing.T) {
	falls := func(at int, to float64) []float64 {
		curve := make([]float64, points)
		for i := at - 1; i < points; i++ {
			curve[i] = to
		}
		return curve
	}
	var runs []Run
	for n := range 3 {
		for from, curve := range map[string][]float64{Nothing: falls(100, -1), "same": falls(40, -1.5), "unrelated": falls(100, -0.5)} {
			runs = append(runs, Run{Key: Key{"p", from, n}, Trials: 10, Used: 5, Curve: curve})
		}
	}
	same, unrelated := compare(runs, "same"), compare(runs, "unrelated")
	if len(same) != 1 || len(unrelated) != 1 || same[0].needed() != 0.4 || !math.IsInf(unrelated[0].needed(), 1) || same[0].followed != 0.5 {
		t.Errorf("%+v", same)
	}
	if !slices.Equal(same[0].middle, []float64{-0.5, -0.5, -0.5}) || !slices.Equal(unrelated[0].ends, []float64{0.5, 0.5, 0.5}) {
		t.Errorf("%v, %v", same[0].middle, unrelated[0].ends)
	}
	var out strings.Builder
	Report(&out, runs)
	for _, want := range []string{"median 40 %, at most half on 1 problems", "median more than 100 %, at most half on 0 problems"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "near") {
		t.Errorf("the report has a kind that was not played:\n%s", out.String())
	}
}
