package sobol

import (
	"math"
	"slices"
	"testing"
)

func TestMatrixIsUnitLowerTriangular(t *testing.T) {
	random := newScrambler(5)
	for range 20 {
		matrix := random.matrix()
		for k, column := range matrix {
			if top := uint64(1) << (digits - 1 - k); column&^(top-1) != top {
				t.Fatalf("column %d = %052b", k, column)
			}
		}
	}
}

func TestMultiplyIsLinear(t *testing.T) {
	random := newScrambler(6)
	matrix := random.matrix()
	for range 100 {
		a, b := random.shift(), random.shift()
		if multiply(&matrix, a^b) != multiply(&matrix, a)^multiply(&matrix, b) {
			t.Fatalf("not linear at %x, %x", a, b)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	seen := make(map[float64]uint64)
	for seed := range uint64(500) {
		first := New(1, seed).Next(nil)[0]
		if other, again := seen[first]; again {
			t.Errorf("seeds %d and %d start alike", seed, other)
		}
		seen[first] = seed
	}
}

// Over seeds every coordinate is uniform, and coordinates are uncorrelated.
func TestScrambledPointsAreUniform(t *testing.T) {
	const seeds, dim, index = 4000, 3, 5
	var sum, sumSquares [dim]float64
	var product float64
	for seed := range uint64(seeds) {
		s := New(dim, seed)
		s.Skip(index)
		point := s.Next(nil)
		for d, x := range point {
			sum[d] += x
			sumSquares[d] += x * x
		}
		product += (point[0] - 0.5) * (point[1] - 0.5)
	}
	five := 5 / math.Sqrt(seeds) // five standard errors per unit of deviation
	for d := range dim {
		if gap := math.Abs(sum[d]/seeds - 0.5); gap > five*math.Sqrt(1./12) {
			t.Errorf("dimension %d: mean is off by %v", d+1, gap)
		}
		if gap := math.Abs(sumSquares[d]/seeds - 1./3); gap > five*math.Sqrt(4./45) {
			t.Errorf("dimension %d: mean square is off by %v", d+1, gap)
		}
	}
	if gap := math.Abs(product / seeds); gap > five/12 {
		t.Errorf("covariance %v", gap)
	}
}

func TestFirstDimensionsDoNotDependOnTheRest(t *testing.T) {
	few, many := Points(20, 3, 9), Points(20, 11, 9)
	for i := range few {
		if !slices.Equal(few[i], many[i][:3]) {
			t.Fatalf("point %d: %v and %v", i, few[i], many[i][:3])
		}
	}
}
