package stats

import (
	"math"
	"slices"
	"testing"
)

// With few values all draws can be listed. The interval is that of the list.
func TestResampleGroupsMeetsAllDraws(t *testing.T) {
	values := [][]float64{{1, 5, 7}, {2, 40}}
	of := func(drawn [][]int) []float64 {
		sum, product := 0.0, 1.0
		for g, list := range drawn {
			for _, i := range list {
				sum, product = sum+values[g][i], product*values[g][i]
			}
		}
		return []float64{sum, product}
	}
	var sums, products []float64
	for code := range 3 * 3 * 3 * 2 * 2 {
		d := [][]int{{code % 3, code / 3 % 3, code / 9 % 3}, {code / 27 % 2, code / 54}}
		s := of(d)
		sums, products = append(sums, s[0]), append(products, s[1])
	}
	got := ResampleGroups([]int{3, 2}, of)
	for k, list := range [][]float64{sums, products} {
		slices.Sort(list)
		// No quantile of the 108 draws that are near 2.5 and 97.5 % may be missed by more than chance.
		low, high := list[1], list[4]
		if got[k].Low < low || got[k].Low > high {
			t.Errorf("statistic %d begins at %v, want %v to %v", k, got[k].Low, low, high)
		}
		low, high = list[103], list[106]
		if got[k].High < low || got[k].High > high {
			t.Errorf("statistic %d ends at %v, want %v to %v", k, got[k].High, low, high)
		}
	}
	if got[0].Mean != 55 || got[1].Mean != 2800 {
		t.Errorf("%+v", got)
	}
	if one := ResampleGroups([]int{1, 1}, of)[0]; one.Mean != 3 || !math.IsNaN(one.Low) {
		t.Errorf("single values: %+v", one)
	}
}
