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
