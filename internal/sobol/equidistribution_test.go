package sobol

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// Every dimension alone is a (0,1)-sequence in base 2: of the first 2ᵏ points,
// one lies in each interval of length 2⁻ᵏ.
func TestEachDimensionIsStratified(t *testing.T) {
	const log = 10
	for name, s := range map[string]*Sequence{"plain": newUnscrambled(MaxDim), "scrambled": New(MaxDim, 3)} {
		points := take(s, 1<<log)
		for k := 1; k <= log; k++ {
			for d := range MaxDim {
				var hit [1 << log]bool
				for _, point := range points[:1<<k] {
					cell := int(point[d] * float64(int(1)<<k))
					if hit[cell] {
						t.Fatalf("%s, dimension %d: two of the first %d points in interval %d", name, d+1, 1<<k, cell)
					}
					hit[cell] = true
				}
			}
		}
	}
}

// checkNet reports an elementary interval of the chosen dimensions that does
// not hold 2ᵗ of the 2ᵐ points, among those of volume 2ᵗ⁻ᵐ.
func checkNet(points [][]float64, dimensions []int, quality int) error {
	m := int(math.Log2(float64(len(points))))
	return eachComposition(m-quality, len(dimensions), nil, func(cuts []int) error {
		count := make(map[string]int)
		for _, point := range points {
			var cell strings.Builder
			for k, d := range dimensions {
				fmt.Fprint(&cell, int(point[d-1]*float64(int(1)<<cuts[k])), ",")
			}
			count[cell.String()]++
		}
		for cell, n := range count {
			if n != 1<<quality {
				return fmt.Errorf("dimensions %v cut into 2^%v: cell %s holds %d of %d points, want %d",
					dimensions, cuts, cell, n, len(points), 1<<quality)
			}
		}
		return nil
	})
}

// eachComposition visits all ways of writing total as a sum of parts numbers.
func eachComposition(total, parts int, chosen []int, visit func([]int) error) error {
	if parts == 1 {
		return visit(append(slices.Clone(chosen), total))
	}
	for first := range total + 1 {
		if err := eachComposition(total-first, parts-1, append(slices.Clone(chosen), first), visit); err != nil {
			return err
		}
	}
	return nil
}

// Sobol's theorem: dimensions with polynomials of degree sᵢ form a
// (t, s)-sequence with t = Σ(sᵢ − 1), and scrambling keeps t.
func TestElementaryIntervals(t *testing.T) {
	const m = 8
	quality := func(dimensions ...int) int {
		var sum int
		for _, d := range dimensions {
			sum += max(0, primitives()[d-1].degree()-1)
		}
		return sum
	}
	for name, s := range map[string]*Sequence{"plain": newUnscrambled(6), "scrambled": New(6, 11)} {
		// Any aligned block of 2ᵐ points is a net, not the first alone.
		for block := range 2 {
			points := take(s, 1<<m)
			for a := 1; a <= 6; a++ {
				for b := a + 1; b <= 6; b++ {
					if err := checkNet(points, []int{a, b}, quality(a, b)); err != nil {
						t.Errorf("%s, block %d: %v", name, block, err)
					}
				}
			}
			if err := checkNet(points, []int{1, 2, 3}, quality(1, 2, 3)); err != nil {
				t.Errorf("%s, block %d: %v", name, block, err)
			}
		}
	}
}

// The product Π(1 + cⱼ(xⱼ − ½)), cⱼ = 1/j, has mean 1 and variance
// Π(1 + cⱼ²/12) − 1.
func TestIntegratesBetterThanMonteCarlo(t *testing.T) {
	const dim, n, seeds = 10, 1 << 11, 32
	variance := 1.0
	for j := 1; j <= dim; j++ {
		variance *= 1 + 1/float64(12*j*j)
	}
	monteCarlo := math.Sqrt((variance - 1) / n)
	var squares float64
	point := make([]float64, dim)
	for seed := range uint64(seeds) {
		s := New(dim, seed)
		var sum float64
		for range n {
			product := 1.0
			for j, x := range s.Next(point) {
				product *= 1 + (x-0.5)/float64(j+1)
			}
			sum += product - 1
		}
		squares += (sum / n) * (sum / n)
	}
	rms := math.Sqrt(squares / seeds)
	t.Logf("root mean square error %.3g, Monte Carlo %.3g", rms, monteCarlo)
	if rms > monteCarlo/20 {
		t.Errorf("root mean square error %.3g, want below a twentieth of Monte Carlo's %.3g", rms, monteCarlo)
	}
}
