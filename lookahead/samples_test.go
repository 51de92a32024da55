package lookahead_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eke-bo/eke/lookahead"
)

func TestSobolSamples(t *testing.T) {
	fantasies := []int{4, 1, 16}
	a := lookahead.SobolSamples(fantasies, 7)
	if d := cmp.Diff(a, lookahead.SobolSamples(fantasies, 7)); d != "" {
		t.Errorf("the same seed: %s", d)
	}
	if cmp.Equal(a, lookahead.SobolSamples(fantasies, 8)) {
		t.Error("another seed gave the same samples")
	}
	for i, m := range fantasies {
		if len(a[i]) != m {
			t.Fatalf("level %d has %d samples", i, len(a[i]))
		}
		for _, s := range a[i] {
			if math.Abs(s.Value) > 9 || math.Abs(s.LnCost) > 9 || math.IsNaN(s.Value+s.LnCost) {
				t.Errorf("level %d: %v", i, s)
			}
		}
	}
	if a[1][0] != (lookahead.Sample{}) {
		t.Errorf("a single fantasy is %v, not the mean", a[1][0])
	}
	if cmp.Equal(lookahead.SobolSamples([]int{4, 4}, 1)[0], lookahead.SobolSamples([]int{4, 4}, 1)[1]) {
		t.Error("two levels have the same samples")
	}
	if len(lookahead.SobolSamples(nil, 1)) != 0 {
		t.Error("samples for a tree without fantasies")
	}
}

// Scrambled Sobol points are spread evenly: of 2^k points, as many lie above the median as below,
// in both outputs, and the mean over seeds is that of a normal.
func TestSobolSamplesAreStandardNormal(t *testing.T) {
	const m, seeds = 32, 200
	var sum, squares [2]float64
	for seed := range uint64(seeds) {
		var above [2]int
		for _, s := range lookahead.SobolSamples([]int{m}, seed)[0] {
			for k, v := range []float64{s.Value, s.LnCost} {
				sum[k] += v / (m * seeds)
				squares[k] += v * v / (m * seeds)
				if v > 0 {
					above[k]++
				}
			}
		}
		if above != [2]int{m / 2, m / 2} {
			t.Errorf("seed %d: %v of %d above the median", seed, above, m)
		}
	}
	for k := range sum {
		if math.Abs(sum[k]) > 0.03 || math.Abs(squares[k]-1) > 0.05 {
			t.Errorf("output %d: mean %v, mean square %v", k, sum[k], squares[k])
		}
	}
}
