package sobol

import (
	"fmt"
	"math/bits"
)

// period is the number of points after which a sequence starts again.
const period = 1 << digits

// Sequence is a scrambled Sobol sequence. It repeats after 2⁵² points. It is
// not safe for concurrent use.
type Sequence struct {
	dim        int
	directions []uint64 // direction number i of dimension d at i·dim + d
	shift      []uint64 // the digits of point 0
	state      []uint64 // the digits of point index
	index      uint64
}

// New returns the sequence of the given dimension and seed, at its first
// point. It panics unless 1 ≤ dim ≤ MaxDim.
func New(dim int, seed uint64) *Sequence {
	s := newUnscrambled(dim)
	random := newScrambler(seed)
	for d := range dim {
		matrix := random.matrix()
		for i := range digits {
			v := &s.directions[i*dim+d]
			*v = multiply(&matrix, *v)
		}
		s.shift[d] = random.shift()
	}
	copy(s.state, s.shift)
	return s
}

func newUnscrambled(dim int) *Sequence {
	if dim < 1 || dim > MaxDim {
		panic(fmt.Sprintf("sobol: dimension %d is not in 1 … %d", dim, MaxDim))
	}
	s := &Sequence{
		dim:        dim,
		directions: make([]uint64, digits*dim),
		shift:      make([]uint64, dim),
		state:      make([]uint64, dim),
	}
	for d, p := range primitives()[:dim] {
		for i, v := range p.directionNumbers() {
			s.directions[i*dim+d] = v
		}
	}
	return s
}

// Next writes the next point to dst and returns it. If dst is nil, Next allocates it; otherwise it
// must have as many coordinates as the sequence. Every coordinate is an odd multiple of 2⁻⁵³, so
// strictly between 0 and 1.
//
// Consecutive points differ by one direction number, that of the digit in
// which their Gray codes differ: the number of trailing zeros of the new index.
func (s *Sequence) Next(dst []float64) []float64 {
	if dst == nil {
		dst = make([]float64, s.dim)
	}
	if len(dst) != s.dim {
		panic(fmt.Sprintf("sobol: point of length %d for dimension %d", len(dst), s.dim))
	}
	s.index++
	// At the end of the period the top digit leads back to point 0.
	changed := min(bits.TrailingZeros64(s.index), digits-1)
	s.index %= period
	step := s.directions[changed*s.dim:][:s.dim]
	state := s.state[:len(step)]
	dst = dst[:len(step)]
	for d, v := range step {
		dst[d] = (float64(int64(state[d])) + 0.5) * (1.0 / period)
		state[d] ^= v
	}
	return dst
}

// Skip moves n points ahead, or back if n is negative, modulo the period.
func (s *Sequence) Skip(n int) {
	s.index = (s.index + uint64(n)) % period
	copy(s.state, s.shift)
	for gray := s.index ^ s.index>>1; gray != 0; gray &= gray - 1 {
		i := bits.TrailingZeros64(gray)
		for d, v := range s.directions[i*s.dim:][:s.dim] {
			s.state[d] ^= v
		}
	}
}

// Points returns the first n points of the sequence of the given dimension and
// seed.
func Points(n, dim int, seed uint64) [][]float64 {
	s := New(dim, seed)
	coordinates := make([]float64, n*dim)
	points := make([][]float64, n)
	for i := range points {
		points[i] = s.Next(coordinates[i*dim : (i+1)*dim : (i+1)*dim])
	}
	return points
}
