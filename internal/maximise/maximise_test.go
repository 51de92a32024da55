package maximise

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"
)

// hills has a high peak at (0.2, 0.7) and a lower one at (0.8, 0.3).
func hills() Func {
	return func(grad, x []float64) float64 {
		value := 0.0
		clear(grad)
		for _, h := range []struct{ height, a, b float64 }{{1, 0.2, 0.7}, {0.6, 0.8, 0.3}} {
			da, db := x[0]-h.a, x[1]-h.b
			v := h.height * math.Exp(-20*(da*da+db*db))
			value += v
			if grad != nil {
				grad[0] -= 40 * da * v
				grad[1] -= 40 * db * v
			}
		}
		return value
	}
}

func TestTheHighestPeakIsFound(t *testing.T) {
	ctx := context.Background()
	raw := RawPoints(64, 2, 1)
	logs := Evaluate(ctx, hills, raw, 2)
	for i, v := range logs {
		logs[i] = math.Log(v)
	}
	starts := Pick(raw, PickStarts(logs, 8, 1))
	var first Result
	for _, threads := range []int{1, 3} {
		got := From(ctx, hills, starts, Limits{100, threads, PlainTolerance})
		if top := got.Top(); math.Abs(top.X[0]-0.2) > 1e-3 || math.Abs(top.X[1]-0.7) > 1e-3 {
			t.Errorf("%d threads: top at %v", threads, top.X)
		}
		if got.Searches != 8 || got.Evaluations < 8 || len(got.Peaks) != 8 {
			t.Errorf("%d searches, %d evaluations, %d peaks", got.Searches, got.Evaluations, len(got.Peaks))
		}
		if first.Peaks == nil {
			first = got
		} else if !reflect.DeepEqual(first, got) {
			t.Error("the result depends on the threads")
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if got := From(ended, hills, starts, Limits{100, 2, PlainTolerance}); !math.IsInf(got.Top().Value, -1) || !slices.Equal(got.Top().X, starts[0]) {
		t.Errorf("after the context has ended: %v", got.Top())
	}
}

func TestResultKeepsItsPeaksInOrder(t *testing.T) {
	r := Result{Peaks: []Peak{{[]float64{1}, 1}, {[]float64{2}, math.NaN()}, {[]float64{3}, 5}}}
	r.Add(Result{Peaks: []Peak{{[]float64{4}, 5}, {[]float64{5}, 2}}, Searches: 2, Evaluations: 9})
	if r.Top().X[0] != 3 || r.Searches != 2 || r.Evaluations != 9 {
		t.Errorf("top %v of %+v", r.Top(), r)
	}
	if got := r.Points(); !reflect.DeepEqual(got, [][]float64{{3}, {4}, {5}, {1}, {2}}) {
		t.Errorf("points %v", got)
	}
	r.Keep(3)
	if !reflect.DeepEqual(r.Values(), []float64{5, 5, 2}) {
		t.Errorf("kept %v", r.Values())
	}
	r.Revalue(func(_, x []float64) float64 { return x[0] })
	if r.Top().X[0] != 5 {
		t.Errorf("after new values the top is %v", r.Top())
	}
}

// The best raw point is always a start, none is chosen twice, and hopeless ones only when nothing better is left.
func TestPickStarts(t *testing.T) {
	logs := []float64{-3, -1, -50, -1.5, -2, -60, math.Inf(-1), -1.2}
	for seed := range uint64(50) {
		for count := range len(logs) + 2 {
			got := PickStarts(logs, count, seed)
			if len(got) != min(count, len(logs)) {
				t.Fatalf("%d starts, asked for %d", len(got), count)
			}
			if count > 0 && got[0] != 1 {
				t.Errorf("the best point is not the first start: %v", got)
			}
			if len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
				t.Errorf("a start twice: %v", got)
			}
			if count <= 5 && (slices.Contains(got, 2) || slices.Contains(got, 5)) {
				t.Errorf("a hopeless start: %v", got)
			}
		}
	}
}

// For a function that may be negative, the best point is always a start, better points are likelier, and none is chosen
// twice.
func TestPickStartsOfIndex(t *testing.T) {
	values := []float64{-3, 2, -8, 1, math.Inf(-1), 0, math.NaN(), -1}
	chosen := make([]int, len(values))
	for seed := range uint64(400) {
		for count := range len(values) + 2 {
			got := PickStartsOfIndex(values, count, seed)
			if len(got) != min(count, len(values)) || len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
				t.Fatalf("%v, asked for %d", got, count)
			}
			if count > 0 && got[0] != 1 {
				t.Errorf("the best point is not the first start: %v", got)
			}
			if count <= 6 && (slices.Contains(got, 4) || slices.Contains(got, 6)) {
				t.Errorf("a point without a value: %v", got)
			}
			if count == 3 {
				for _, i := range got {
					chosen[i]++
				}
			}
		}
	}
	if !(chosen[3] > chosen[5] && chosen[5] > chosen[0] && chosen[0] > chosen[2]) {
		t.Errorf("chosen %v times", chosen)
	}
	if got := PickStartsOfIndex([]float64{1, 1, 1, 1}, 2, 1); len(got) != 2 || got[0] != 0 {
		t.Errorf("of equal values: %v", got)
	}
}

func TestDistinct(t *testing.T) {
	points := [][]float64{{0.1, 0.1}, {0.11, 0.1}, {0.1, 0.2}, {0.9, 0.9}}
	if got := Distinct(points, 9); !reflect.DeepEqual(got, [][]float64{{0.1, 0.1}, {0.1, 0.2}, {0.9, 0.9}}) {
		t.Errorf("%v", got)
	}
	if got := Distinct(points, 2); len(got) != 2 {
		t.Errorf("%v", got)
	}
}
