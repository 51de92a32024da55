package sobol

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// MaxDim is the number of dimensions for which there are direction numbers.
const MaxDim = 1111

// digits is the number of binary digits of a coordinate: with the half digit
// added by [Sequence.Next] it fills the 53 bits of a float64.
const digits = 52

// joeKuoTable is the set new-joe-kuo-6 of S. Joe and F. Y. Kuo, "Constructing
// Sobol sequences with better two-dimensional projections", SIAM J. Sci.
// Comput. 30 (2008) 2635–2654. The file carries their licence.
//
//go:embed new-joe-kuo-6.1111.txt
var joeKuoTable string

// primitive is what defines one dimension: a primitive polynomial over GF(2),
// xˢ + a₁xˢ⁻¹ + … + aₛ₋₁x + 1, and the odd initial values m₁ … mₛ, mᵢ < 2ⁱ.
type primitive struct {
	inner   uint64 // a₁ … aₛ₋₁ as a binary number
	initial []uint64
}

func (p primitive) degree() int { return len(p.initial) }

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
