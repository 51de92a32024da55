//go:build !amd64

package simd

// There is no assembly here, and haveAsm says so. The functions below are never called. They only
// let the rest of the package be the same everywhere.

func haveAsm() bool { return false }

func dotAsm(x, y []float64) float64                               { return dotGo(x, y) }
func weightedDiffAsm(w []float64, z float64, c []float64) float64 { return weightedDiffGo(w, z, c) }
func axpyAsm(alpha float64, x, y []float64)                       { axpyGo(alpha, x, y) }
func addSqDistAsm(dst []float64, z float64, col []float64)        { addSqDistGo(dst, z, col) }
func mulAsm(dst, x, y []float64)                                  { mulGo(dst, x, y) }
func expAsm(dst, x []float64)                                     { expGo(dst, x) }
func maternAsm(m *matern, k, g, r2 []float64, scale, gscale float64) {
	maternGo(m, k, g, r2, scale, gscale)
}
func mulUpperAsm(dst, a, b []float64, rows, n int) { mulUpperGo(dst, a, b, rows, n) }
func mulLowerAsm(dst, a, b []float64, rows, n int) { mulLowerGo(dst, a, b, rows, n) }
func subOuterAsm(dst, a, b []float64, n, k, ld, lda int) {
	subOuterGo(dst, a, b, n, k, ld, lda)
}
func choleskyAsm(a []float64, n, ld int) bool { return choleskyRows(a, 0, n, ld) }
func invLowerAsm(dst, l []float64, n, ld int) { invLowerGo(dst, l, n, ld) }
