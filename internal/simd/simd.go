// Package simd holds the few dense kernels that the Gaussian-process code
// spends its time in: dot products, Matérn rows, products with triangular
// matrices, and the Cholesky factorisation.
//
// On amd64 with AVX2 and FMA the work is done by hand-written assembly;
// elsewhere, and when the environment variable EKE_NOSIMD is set to 1, by
// plain Go. The two agree to rounding (about 1e-14 relative), not to the last
// bit: the assembly fuses multiplications into additions and sums in another
// order. For each of the two, the same input always gives the same output.
//
// Every exported function checks its slices before any assembly runs and
// panics with a message that begins with "simd:" when one is too short. None
// allocates. Unless said otherwise the destination may be one of the inputs
// exactly, but may not overlap one partly.
package simd

import (
	"math/bits"
	"os"
)

// useAsm says which implementation runs. Only the start of the program and SetEnabled write it.
var useAsm = haveAsm() && os.Getenv("EKE_NOSIMD") != "1"

// lanes is the number of float64 in one vector register.
const lanes = 4

// Enabled reports whether the assembly is in use.
func Enabled() bool { return useAsm }

// SetEnabled turns the assembly on (if the CPU can run it) or off, and returns
// what Enabled reported before. It is for tests, and must not be called while
// a kernel runs.
func SetEnabled(on bool) bool {
	was := useAsm
	useAsm = on && haveAsm()
	return was
}

// Pad rounds n up to the multiple of 4 that the matrix kernels ask of row
// lengths.
func Pad(n int) int { return (n + lanes - 1) &^ (lanes - 1) }

// need panics unless a slice of length got holds at least want elements. It is
// small enough to be inlined, so that the kernels pay one comparison.
func need(got, want int, msg string) {
	if got < want {
		panic(msg)
	}
}

// needMatrix panics unless a slice of length got holds rows×cols elements, both
// non-negative. The product is taken in 128 bits, so that it cannot wrap around to a small number.
func needMatrix(got, rows, cols int, msg string) {
	hi, lo := bits.Mul64(uint64(rows), uint64(cols))
	if hi != 0 || lo > uint64(got) {
		panic(msg)
	}
}
