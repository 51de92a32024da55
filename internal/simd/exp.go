package simd

import "math"

// Exp sets dst[i] = exp(x[i]) over the length of x; dst may be longer. Over-
// and underflow, the infinities and NaN go as with math.Exp.
func Exp(dst, x []float64) {
	need(len(dst), len(x), "simd: Exp: dst is shorter than x")
	if useAsm {
		expAsm(dst, x)
		return
	}
	expGo(dst, x)
}

func expGo(dst, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = math.Exp(v)
	}
}
