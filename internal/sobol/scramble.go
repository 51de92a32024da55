package sobol

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

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

// lowDigits returns n random bits.
func (s scrambler) lowDigits(n int) uint64 {
	return s.random.Uint64() & (1<<n - 1)
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
