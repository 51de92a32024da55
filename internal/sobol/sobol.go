// Package sobol makes scrambled Sobol points: low-discrepancy points of the open unit cube,
// randomised by a seed.
//
// The sequence (Sobol 1967) is the Gray-code variant of Antonov and Saleev
// (1979) with the direction numbers of Joe and Kuo (2008), scrambled by a
// random linear matrix (Matoušek 1998) and a digital shift. Scrambling keeps
// the equidistribution of the points and makes each of them uniform, so that
// averages over them are unbiased (Owen 1998).
package sobol

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
)

// MaxDim is the number of dimensions for which there are direction numbers.
const MaxDim = 1111

// digits is the number of binary digits of a coordinate: with the half digit
// added by [Sequence.Next] it fills the 53 bits of a float64.
const digits = 52

// period is the number of points after which a sequence starts again.
const period = 1 << digits

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

// scrambler draws the random part of a sequence from ChaCha8, whose output is
// fixed by its specification, so that a seed names the same points on every
// platform and in every release of Go. Dimensions are drawn in order: the
// first dimensions do not depend on how many follow.
type scrambler struct{ random *rand.ChaCha8 }

func newScrambler(seed uint64) scrambler {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return scrambler{rand.NewChaCha8(key)}
}

// matrix draws the left scrambling matrix of one dimension (Matoušek 1998, "On
// the L₂-discrepancy for anchored boxes"; Owen 1998): lower triangular over
// GF(2) with ones on the diagonal. Column k is the image of binary digit k.
func (s scrambler) matrix() (column [digits]uint64) {
	for k := range column {
		below := digits - 1 - k
		column[k] = 1<<below | s.lowDigits(below)
	}
	return column
}

// shift draws the digital shift of one dimension, added to every point.
func (s scrambler) shift() uint64 { return s.lowDigits(digits) }

// lowDigits returns n random bits.
func (s scrambler) lowDigits(n int) uint64 {
	return s.random.Uint64() & (1<<n - 1)
}

// multiply is the product over GF(2) of the matrix and the digits of v.
func multiply(column *[digits]uint64, v uint64) uint64 {
	var product uint64
	for v != 0 {
		lowest := bits.TrailingZeros64(v)
		product ^= column[digits-1-lowest]
		v &= v - 1
	}
	return product
}

// primitives holds dimension d at d−1. The first dimension, van der Corput's
// sequence, has no polynomial.
var primitives = sync.OnceValue(func() []primitive {
	all := make([]primitive, 1, MaxDim)
	for line := range strings.Lines(joeKuoTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var row []uint64
		for field := range strings.FieldsSeq(line) {
			value, err := strconv.ParseUint(field, 10, 32)
			if err != nil {
				panic("sobol: direction numbers: " + err.Error())
			}
			row = append(row, value)
		}
		all = append(all, primitive{inner: row[2], initial: row[3:]})
	}
	return all
})

// primitive is what defines one dimension: a primitive polynomial over GF(2),
// xˢ + a₁xˢ⁻¹ + … + aₛ₋₁x + 1, and the odd initial values m₁ … mₛ, mᵢ < 2ⁱ.
type primitive struct {
	inner   uint64 // a₁ … aₛ₋₁ as a binary number
	initial []uint64
}

func (p primitive) degree() int { return len(p.initial) }

// directionNumbers returns v₁ … of the dimension, each with its first binary
// digit at the top of digits bits (Bratley and Fox 1988, Algorithm 659): vᵢ is
// mᵢ·2⁻ⁱ for i ≤ s, and then
//
//	vᵢ = a₁vᵢ₋₁ ⊕ … ⊕ aₛ₋₁vᵢ₋ₛ₊₁ ⊕ vᵢ₋ₛ ⊕ vᵢ₋ₛ·2⁻ˢ.
func (p primitive) directionNumbers() (v [digits]uint64) {
	s := p.degree()
	if s == 0 {
		for i := range v {
			v[i] = 1 << (digits - 1 - i)
		}
		return v
	}
	for i, m := range p.initial {
		v[i] = m << (digits - 1 - i)
	}
	for i := s; i < digits; i++ {
		v[i] = v[i-s] ^ v[i-s]>>s
		for k := 1; k < s; k++ {
			if p.inner>>(s-1-k)&1 == 1 {
				v[i] ^= v[i-k]
			}
		}
	}
	return v
}

// joeKuoTable is the set new-joe-kuo-6 of S. Joe and F. Y. Kuo, "Constructing
// Sobol sequences with better two-dimensional projections", SIAM J. Sci.
// Comput. 30 (2008) 2635–2654. The file carries their licence.
//
//go:embed new-joe-kuo-6.1111.txt
var joeKuoTable string
