// EXP is shared by exp_amd64.s, which holds its constants, and
// matern_amd64.s. It turns x in Y0 into e^x and uses Y1–Y9.
//
//	n = the integer nearest x/ln 2
//	r = x − n·ln 2, |r| ≤ ln(2)/2
//	e^x = 2^n·(1 + (r + r²·q(r)))
//
// ln 2 is subtracted in two parts, as Cody and Waite do (Software Manual for
// the Elementary Functions, 1980, ch. 6); with FMA the first may be a full
// double. q, of degree 9, is the minimax polynomial for (e^r−1−r)/r², weighted
// so that the error is relative to e^r: found by Remez exchange in 50 digits,
// it is off by 3.6e-18, far below the rounding of the last addition. It is
// evaluated by Estrin's scheme, in pairs, since a Horner chain would wait for
// each FMA.
//
// 2^n is applied in two halves: neither overflows for −2044 ≤ n ≤ 2046, and
// results below the normal numbers come out rounded instead of wrong. For NaN
// n is useless, but r and so the result are NaN.
#define EXP_LOG2E ·expTable+0(SB)
#define EXP_LN2HI ·expTable+32(SB)
#define EXP_LN2LO ·expTable+64(SB)
#define EXP_ONE   ·expTable+96(SB)
#define EXP_C0    ·expTable+128(SB)
#define EXP_C1    ·expTable+160(SB)
#define EXP_C2    ·expTable+192(SB)
#define EXP_C3    ·expTable+224(SB)
#define EXP_C4    ·expTable+256(SB)
#define EXP_C5    ·expTable+288(SB)
#define EXP_C6    ·expTable+320(SB)
#define EXP_C7    ·expTable+352(SB)
#define EXP_C8    ·expTable+384(SB)
#define EXP_C9    ·expTable+416(SB)
#define EXP_BIAS  ·expTable+448(SB)

#define EXP \
	VMULPD       EXP_LOG2E, Y0, Y1; \
	VROUNDPD     $0, Y1, Y1;        /* n, as float64            */ \
	VCVTPD2DQY   Y1, X2;            /* n, as int32              */ \
	VFNMADD231PD EXP_LN2HI, Y1, Y0; \
	VFNMADD231PD EXP_LN2LO, Y1, Y0; /* r                        */ \
	VMULPD       Y0, Y0, Y3;        /* r²                       */ \
	VMOVUPD      EXP_C1, Y4;        \
	VMOVUPD      EXP_C3, Y5;        \
	VMOVUPD      EXP_C5, Y6;        \
	VMOVUPD      EXP_C7, Y7;        \
	VMOVUPD      EXP_C9, Y8;        \
	VFMADD213PD  EXP_C0, Y0, Y4;    /* q0 + q1·r                */ \
	VFMADD213PD  EXP_C2, Y0, Y5;    /* q2 + q3·r                */ \
	VFMADD213PD  EXP_C4, Y0, Y6;    /* q4 + q5·r                */ \
	VFMADD213PD  EXP_C6, Y0, Y7;    /* q6 + q7·r                */ \
	VFMADD213PD  EXP_C8, Y0, Y8;    /* q8 + q9·r                */ \
	VMULPD       Y3, Y3, Y9;        /* r⁴                       */ \
	VFMADD231PD  Y5, Y3, Y4;        /* q0 … q3                  */ \
	VFMADD231PD  Y7, Y3, Y6;        /* q4 … q7                  */ \
	VFMADD231PD  Y8, Y9, Y6;        /* q4 … q9                  */ \
	VFMADD231PD  Y6, Y9, Y4;        /* q(r)                     */ \
	VFMADD213PD  Y0, Y3, Y4;        /* r + r²·q(r)              */ \
	VADDPD       EXP_ONE, Y4, Y4;   /* e^r                      */ \
	VPSRAD       $1, X2, X5;        /* n₁ = ⌊n/2⌋               */ \
	VPSUBD       X5, X2, X2;        /* n₂ = n − n₁              */ \
	VPMOVSXDQ    X5, Y5;            \
	VPMOVSXDQ    X2, Y2;            \
	VPADDQ       EXP_BIAS, Y5, Y5;  \
	VPADDQ       EXP_BIAS, Y2, Y2;  \
	VPSLLQ       $52, Y5, Y5;       /* 2^n₁, from its exponent  */ \
	VPSLLQ       $52, Y2, Y2;       /* 2^n₂                     */ \
	VMULPD       Y5, Y4, Y4;        \
	VMULPD       Y2, Y4, Y0
