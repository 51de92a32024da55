package normal

// ratioIsLinear is the x beyond which D(x) = x + 2/x − … rounds to x; any bound
// above 2²⁷ would do, and this one keeps the powers of x in [tailRatio] finite.
const ratioIsLinear = 1e20

// Coefficients of P and Q in [tailRatio]: a weighted minimax fit of degree
// 9 over 10 for x in [0, ∞), made for this package in 90-digit arithmetic. The
// error of x + P/Q relative to D is at most 3.5e-17, and all coefficients are
// positive, so that rounding does not grow. TestTailRatio measures both against
// the continued fraction and the power series.
const (
	p0 = 5251147.74553924353633458
	p1 = 5789014.290138565926686321
	p2 = 3304732.396729139553828537
	p3 = 1238418.523288807905226298
	p4 = 330704.143043228245763707
	p5 = 64762.5266673324502116221
	p6 = 9276.351342206295270268056
	p7 = 938.74669882792175266971
	p8 = 61.31747215705997714001165
	p9 = 1.999999999985205032963113

	q0 = 4189809.712660536038224507
	q1 = 6053786.343696914109284482
	q2 = 4413321.126537165196920317
	q3 = 2096048.579563005924869018
	q4 = 710829.9739303032579802597
	q5 = 178898.6382169797329477608
	q6 = 33777.38498132643746672142
	q7 = 4730.151847590641650176696
	q8 = 472.3733498123889874663797
	q9 = 30.65873607579642652348958
)

// tailRatio is D(x) = Φ(−x)/h(−x) for x ≥ 0. Laplace's continued fraction of
// the Mills ratio, Φ(−x)/φ(x) = 1/(x + 1/(x + 2/(x + 3/(x + …))))
// (Abramowitz and Stegun 26.2.14), gives
//
//	D(x) = x + 2/(x + 3/(x + 4/(x + …))),
//
// and the fraction after the first x is replaced by P(x)/Q(x), which is good
// down to x = 0. Even and odd powers run as separate Horner chains so that the
// processor works on four of them at once.
func tailRatio(x float64) float64 {
	if x > ratioIsLinear {
		return x
	}
	s := x * x
	pEven := (((p8*s+p6)*s+p4)*s+p2)*s + p0
	pOdd := (((p9*s+p7)*s+p5)*s+p3)*s + p1
	qEven := ((((s+q8)*s+q6)*s+q4)*s+q2)*s + q0
	qOdd := (((q9*s+q7)*s+q5)*s+q3)*s + q1
	return x + (pEven+x*pOdd)/(qEven+x*qOdd)
}

// millsRatio is Φ(−x)/φ(x) for x ≥ 0 (Mills 1926).
func millsRatio(x float64) float64 {
	return 1 / (x + 1/tailRatio(x))
}
