package simd

import "golang.org/x/sys/cpu"

// haveAsm reports whether the CPU has the instructions that the assembly uses, and the operating
// system saves the wide registers (x/sys/cpu checks OSXSAVE for both flags).
func haveAsm() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }

// The functions below are in the .s files of the same names. Their callers have checked the
// lengths. The length of the first input counts.

//go:noescape
func dotAsm(x, y []float64) float64

//go:noescape
func weightedDiffAsm(w []float64, z float64, col []float64) float64

//go:noescape
func axpyAsm(alpha float64, x, y []float64)

//go:noescape
func addSqDistAsm(dst []float64, z float64, col []float64)

//go:noescape
func mulAsm(dst, x, y []float64)

//go:noescape
func expAsm(dst, x []float64)

// maternAsm skips g when its base is nil; gscale is the factor of g.
//
//go:noescape
func maternAsm(m *matern, k, g, r2 []float64, scale, gscale float64)
