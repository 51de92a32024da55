package normal

import "math"

const (
	invSqrt2Pi  = 0.398942280401432677939946059934381868 // 1/√(2π), OEIS A231863
	halfLog2Pi  = 0.918938533204672741780329736405617640 // ½ ln 2π, OEIS A075700
	densityZero = 39.0                                   // exp(−39²/2) < 2⁻¹⁰⁷⁵, the underflow threshold
)

// PDF is the density φ(t) = exp(−t²/2)/√(2π).
//
// Rounding t² alone would cost up to ½t² units in the last place, so the
// rounding error of the square is recovered with a fused multiply-add
// (Dekker 1971) and applied to first order: exp(−(s+e)/2) ≈ exp(−s/2)(1 − e/2).
func PDF(t float64) float64 {
	if t > densityZero || t < -densityZero {
		return 0
	}
	square := t * t
	squareError := math.FMA(t, t, -square)
	return math.Exp(-0.5*square) * (invSqrt2Pi - 0.5*invSqrt2Pi*squareError)
}
